package sandbox

import (
	"net/url"
	"strconv"
	"strings"
)

// boolParam reads a switch in the spellings that the server takes.
func boolParam(form url.Values, name string, missing bool) (bool, error) {
	switch strings.ToLower(form.Get(name)) {
	case "":
		return missing, nil
	case "true", "1", "on", "yes":
		return true, nil
	case "false", "0", "off", "no":
		return false, nil
	}
	return false, badRequest("%s: must be true or false", name)
}

// intParam reads a whole number from least to most.
func intParam(form url.Values, name string, missing, least, most int) (int, error) {
	text := form.Get(name)
	if text == "" {
		return missing, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, badRequest("%s: must be a whole number from %d to %d", name, least, most)
	}
	return n, nil
}
