package uci

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestOptionsAreInTheDocument holds the table in docs/engine.md against what the program tells a GUI.
func TestOptionsAreInTheDocument(t *testing.T) {
	page, err := os.ReadFile("../../docs/engine.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## UCI options\n")
	table, _, _ = strings.Cut(table, "\n## ")
	var out strings.Builder
	if err := Run(t.Context(), strings.NewReader("uci\nquit\n"), &out, Options{Name: "Castellan"}); err != nil {
		t.Fatal(err)
	}
	options := regexp.MustCompile(`(?m)^option name (.+) type (\w+)(?: default (\S+))?(?: min (\d+) max (\d+))?$`).FindAllStringSubmatch(out.String(), -1)
	for _, o := range options {
		name, kind, value, low, high := o[1], o[2], strings.Trim(o[3], "<>"), o[4], o[5]
		between := ""
		switch {
		case low != "":
			between = low + " to " + high
		case kind == "button":
			between = kind
		}
		row := strings.ReplaceAll("| `"+name+"` | "+value+" | "+between+" |", "  ", " ")
		if !strings.Contains(table, row) {
			t.Errorf("docs/engine.md has no row that begins with %q", row)
		}
	}
	if rows := strings.Count(table, "\n| `"); rows != len(options) || rows == 0 {
		t.Errorf("docs/engine.md has rows for %d options, want %d", rows, len(options))
	}
}
