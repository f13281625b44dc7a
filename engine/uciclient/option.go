package uciclient

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// OptionType is how an option takes its value.
type OptionType string

// The types of options that the protocol has.
const (
	Check  OptionType = "check"  // true or false
	Spin   OptionType = "spin"   // a whole number from Min to Max
	Combo  OptionType = "combo"  // one of Choices
	Button OptionType = "button" // no value
	String OptionType = "string" // any text on one line
)

// Option is a setting that an engine has declared.
type Option struct {
	Name     string
	Type     OptionType
	Default  string
	Min, Max int64    // of a Spin
	Choices  []string // of a Combo
}

// parseOption reads the words after "option". An option that makes no sense is left out: ok is false.
func parseOption(words []string) (o Option, ok bool) {
	var low, high string
	for len(words) > 0 {
		key := words[0]
		n := 1
		for n < len(words) && (key != "type" || n == 1) && !isOptionKey(words[n], o.Type) { // a type is one word
			n++
		}
		value := strings.Join(words[1:n], " ")
		words = words[n:]
		switch key {
		case "name":
			o.Name = value
		case "type":
			o.Type = OptionType(value)
		case "default":
			o.Default = value
		case "min":
			low = value
		case "max":
			high = value
		case "var":
			o.Choices = append(o.Choices, value)
		}
	}
	if o.Name == "" {
		return o, false
	}
	switch o.Type {
	case Check, Button, String:
	case Combo:
		ok = len(o.Choices) > 0
		return o, ok
	case Spin:
		var err1, err2 error
		o.Min, err1 = strconv.ParseInt(low, 10, 64)
		o.Max, err2 = strconv.ParseInt(high, 10, 64)
		return o, err1 == nil && err2 == nil && o.Min <= o.Max
	default:
		return o, false
	}
	return o, true
}

// isOptionKey tells whether a word begins the next part of an option line. Names have words such as "min" in them, so a name
// ends only at "type", and what is special after it depends on the type.
func isOptionKey(word string, t OptionType) bool {
	switch word {
	case "type":
		return t == ""
	case "default":
		return t != ""
	case "min", "max":
		return t == Spin
	case "var":
		return t == Combo
	}
	return false
}

// check returns the value as it is to be sent, or what is wrong with it.
func (o *Option) check(value string) (send, reason string) {
	switch o.Type {
	case Check:
		lower := strings.ToLower(value)
		if lower != "true" && lower != "false" {
			return "", fmt.Sprintf("is true or false, not %q", value)
		}
		return lower, ""
	case Spin:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < o.Min || n > o.Max {
			return "", fmt.Sprintf("is a whole number from %d to %d, not %q", o.Min, o.Max, value)
		}
		return strconv.FormatInt(n, 10), ""
	case Combo:
		i := slices.IndexFunc(o.Choices, func(c string) bool { return strings.EqualFold(c, value) })
		if i < 0 {
			return "", fmt.Sprintf("is one of %q, not %q", o.Choices, value)
		}
		return o.Choices[i], ""
	case Button:
		if value != "" {
			return "", "is a button and takes no value"
		}
	case String:
		if strings.ContainsAny(value, "\r\n\x00") {
			return "", "takes one line of text"
		}
	}
	return value, ""
}
