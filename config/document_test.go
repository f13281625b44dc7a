package config

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/configuration.md from the struct tags")

// TestDocumentIsCurrent keeps docs/configuration.md the same as the structs say.
func TestDocumentIsCurrent(t *testing.T) {
	path := filepath.Join("..", "docs", "configuration.md")
	want := document()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is out of date; `go generate ./config` writes it anew", path)
	}
}

// TestEverySettingIsDocumented fails for a field without the tags that the listing and the document need.
func TestEverySettingIsDocumented(t *testing.T) {
	setEnv(t, nil)
	cfg, _ := Load()
	seen := map[string]bool{}
	for _, s := range cfg.Settings() {
		if s.Section == "" || s.Meaning == "" || s.Example == "" || s.Legal == "" || !strings.HasSuffix(s.Meaning, ".") {
			t.Errorf("%s lacks a section, a meaning in sentences, an example or legal values: %+v", s.Variable, s)
		}
		if strings.Contains(s.Legal, "from  ") || strings.HasSuffix(s.Legal, " ") || strings.Contains(s.Legal, "most  ") {
			t.Errorf("%s lacks a bound: %q", s.Variable, s.Legal)
		}
		if seen[s.Variable] {
			t.Errorf("two settings have the name %s", s.Variable)
		}
		seen[s.Variable] = true
	}
}

const documentHead = `# Configuration

<!-- Written from the structs of config/config.go by go generate ./config; a test fails when the two differ. -->

Castellan is set up by environment variables alone. ` + "`castellan config`" + ` lists them with the values in force.

- A variable that is set to nothing counts as not set.
- Everything that is wrong is told at once, at start, and the process ends with exit code 2. Unknown variables that
  start with ` + "`CASTELLAN_`" + ` are wrong too; those that Kubernetes sets for a Service named castellan are let be.
- Numbers are decimal: 010 is ten.
- Durations have units, as in ` + "`200ms`, `1m30s`, `2h`" + `; a bare number is seconds.
- Yes and no are also read as true and false, on and off, 1 and 0.
- Lists are separated by commas; space around an item does not count, and one that comes again counts once, where it stood
  first. Words and names are the same in upper and lower case.
- Scores are in centipawns, hundredths of a pawn; more than zero is good for the bot.
`

const generalHead = `
Each of these takes the place of the setting beside it, for these challenges. While it is not set, that one counts.

| setting | in place of | example |
|---|---|---|
`

// document is the text of docs/configuration.md.
func document() string {
	var b strings.Builder
	b.WriteString(documentHead)
	var cfg Config
	section := ""
	for _, s := range cfg.Settings() {
		if s.Section != section {
			section = s.Section
			fmt.Fprintf(&b, "\n## %s\n", section)
			if s.General != "" {
				b.WriteString(generalHead)
			}
		}
		if s.General != "" {
			fmt.Fprintf(&b, "| `%s` | `%s` | `%s=%s` |\n", s.Variable, s.General, s.Variable, shellWord(s.Example))
			continue
		}
		standard := "not set"
		if s.Default != "" {
			standard = "`" + s.Default + "`"
		}
		fmt.Fprintf(&b, "\n### `%s`\n\n%s\n\n", s.Variable, s.Meaning)
		fmt.Fprintf(&b, "- Kind: %s; legal: %s\n- Default: %s\n- Example: `%s=%s`\n", s.Kind, s.Legal, standard, s.Variable, shellWord(s.Example))
	}
	return b.String()
}

// shellWord quotes a value that a shell would take apart.
func shellWord(value string) string {
	if strings.ContainsAny(value, " !{}'") {
		return "'" + value + "'"
	}
	return value
}
