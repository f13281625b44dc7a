package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"castellan/config"
)

type configCommand struct{}

// Run lists the settings in force even when some are wrong, and then says which.
func (configCommand) Run(std streams) error {
	cfg, fault := config.Load()
	out := bufio.NewWriter(std.out)
	section := ""
	for _, s := range cfg.Settings() {
		if s.Section != section {
			section = s.Section
			fmt.Fprintf(out, "# %s\n\n", section)
		}
		if s.General != "" {
			fmt.Fprintf(out, "%s=%s\n    default: that of %s\n\n", s.Variable, s.Value, s.General)
			continue
		}
		fmt.Fprintf(out, "%s=%s\n", s.Variable, s.Value)
		fmt.Fprintf(out, "    default: %s\n", orNone(s.Default))
		fmt.Fprintf(out, "    takes:   %s\n", s.Legal)
		for i, line := range wrap(s.Meaning, 100) {
			fmt.Fprintf(out, "    %-8s %s\n", [...]string{"meaning:", ""}[min(i, 1)], line)
		}
		fmt.Fprintln(out)
	}
	return errors.Join(fault, out.Flush())
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// wrap breaks a text into lines of at most width characters where words allow it.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}
