package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// settingUsed finds settings and what they are set to.
var settingUsed = regexp.MustCompile("`(CASTELLAN_[A-Z0-9_]+)(?:=[^`]*)?`")

// TestComparisonHolds wants each setting and each test that comparison.md names to be there, each row of what is here to name a test, and
// each row of what is left out to say why. Each setting has to have its example in configuration.md.
func TestComparisonHolds(t *testing.T) {
	content, err := os.ReadFile("comparison.md")
	if err != nil {
		t.Fatal(err)
	}
	configuration, err := os.ReadFile("configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, m := range settingUsed.FindAllStringSubmatch(string(configuration), -1) {
		there[m[1]] = there[m[1]] || strings.Contains(string(configuration), "`"+m[1]+"=")
	}
	for name, example := range there {
		if strings.Contains(string(configuration), "### `"+name+"`") && !example {
			t.Errorf("configuration.md has no example for %s", name)
		}
	}
	page := string(content)
	named := settingUsed.FindAllStringSubmatch(page, -1)
	for _, m := range named {
		if !there[m[1]] {
			t.Errorf("comparison.md names %s, and there is no such setting with an example", m[1])
		}
	}
	tests := testsThere(t)
	rows := 0
	here, out, found := strings.Cut(page, "\n## Left out\n")
	if !found {
		t.Fatal("comparison.md does not say what is left out")
	}
	for line := range strings.Lines(here) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| what | here | shown by |") {
			continue
		}
		rows++
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || strings.TrimSpace(cells[2]) == "" || !testName.MatchString(cells[3]) {
			t.Errorf("a row without what is here, or without a test: %s", line)
			continue
		}
		for _, m := range testName.FindAllStringSubmatch(cells[3], -1) {
			if tests[m[1]] == nil {
				t.Errorf("comparison.md names %s, and there is no such test", m[1])
			}
		}
	}
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| what | why |") {
			continue
		}
		rows++
		if cells := strings.Split(strings.TrimSpace(line), "|"); len(cells) != 4 || len(strings.TrimSpace(cells[2])) < 20 {
			t.Errorf("left out without a reason: %s", line)
		}
	}
	if rows < 70 || len(named) < 80 {
		t.Errorf("comparison.md has %d rows and names %d settings, too few to be right", rows, len(named))
	}
}
