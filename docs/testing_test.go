package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testName = regexp.MustCompile("`(Test[A-Za-z0-9]+)`")
	testFunc = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9]+)\(`)
)

// TestTestsExist wants each test that testing.md and manners.md name to be there.
func TestTestsExist(t *testing.T) {
	page, err := os.ReadFile("testing.md")
	if err != nil {
		t.Fatal(err)
	}
	there := testsThere(t)
	manners, err := os.ReadFile("manners.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range testName.FindAllStringSubmatch(string(manners), -1) {
		if !there[name[1]] {
			t.Errorf("manners.md names %s, and there is no such test", name[1])
		}
	}
	named := testName.FindAllStringSubmatch(string(page), -1)
	if len(named) < 40 {
		t.Fatalf("testing.md names %d tests, too few to be right", len(named))
	}
	for _, name := range named {
		if !there[name[1]] {
			t.Errorf("testing.md names %s, and there is no such test", name[1])
		}
	}
	_, faults, _ := strings.Cut(string(page), "## What went wrong for other bots\n")
	faults, _, _ = strings.Cut(faults, "\n## ")
	for line := range strings.Lines(faults) {
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| what went wrong ") && !testName.MatchString(line) {
			t.Errorf("a row without a test: %s", line)
		}
	}
}

// testsThere are the names of all tests of the module.
func testsThere(t *testing.T) map[string]bool {
	t.Helper()
	there := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		for _, f := range testFunc.FindAllSubmatch(code, -1) {
			there[string(f[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return there
}
