package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"castellan/config"
)

type configCommand struct {
	Changed bool `help:"List only the settings that have not their default."`
	JSON    bool `name:"json" help:"Print JSON."`
}

// Help is shown by castellan config --help.
func (configCommand) Help() string {
	return `Examples:

  castellan config
  CASTELLAN_ELO=1500 castellan config --changed

Settings are environment variables. What is listed is what run, local and replay would take from the same environment; what is wrong with it
is told on standard error, with exit code 2. A misspelt name is wrong too. Files and folders that the settings name are not opened, but for those of
tokens: castellan doctor does that. docs/configuration.md has the same list with an example for each.`
}

// Run lists the settings in force even when some are wrong, and then says which.
func (c configCommand) Run(std streams) error {
	cfg, fault := config.Load()
	settings := cfg.Settings()
	if c.Changed {
		settings = changed(settings)
	}
	if c.JSON {
		return errors.Join(fault, printJSON(std.out, settingsForPrograms(settings)))
	}
	out := bufio.NewWriter(std.out)
	section := ""
	for _, s := range settings {
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

// changed returns the settings that have another value than they would have without being set.
func changed(settings []config.Setting) (list []config.Setting) {
	values := map[string]string{}
	for _, s := range settings {
		values[s.Variable] = s.Value
		usual := s.Default
		if s.General != "" {
			usual = values[s.General] // which comes first
		}
		if s.Value != usual {
			list = append(list, s)
		}
	}
	return list
}

// settingJSON is a setting for programs.
type settingJSON struct {
	Section  string `json:"section"`
	Variable string `json:"variable"`
	Value    string `json:"value"` // masked when it is secret
	Default  string `json:"default"`
	Legal    string `json:"legal"`
	Meaning  string `json:"meaning"`
	General  string `json:"general,omitempty"` // the setting whose value it has when it is not set
}

func settingsForPrograms(settings []config.Setting) (list []settingJSON) {
	for _, s := range settings {
		list = append(list, settingJSON{s.Section, s.Variable, s.Value, s.Default, s.Legal, s.Meaning, s.General})
	}
	return list
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
