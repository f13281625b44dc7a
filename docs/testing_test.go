package docs_test

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	testName = regexp.MustCompile("`(Test[A-Za-z0-9]+)`")
	// A test in another package than bot is followed by the package.
	inPackage = regexp.MustCompile("`(Test[A-Za-z0-9]+)`(?: \\(`([a-z/]+)`\\))?")
	testFunc  = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9]+)\(`)
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
		if there[name[1]] == nil {
			t.Errorf("manners.md names %s, and there is no such test", name[1])
		}
	}
	named := testName.FindAllStringSubmatch(string(page), -1)
	if len(named) < 40 {
		t.Fatalf("testing.md names %d tests, too few to be right", len(named))
	}
	for _, name := range named {
		if there[name[1]] == nil {
			t.Errorf("testing.md names %s, and there is no such test", name[1])
		}
	}
	_, faults, _ := strings.Cut(string(page), "## What went wrong for other bots\n")
	faults, _, _ = strings.Cut(faults, "\n## ")
	for line := range strings.Lines(faults) {
		for _, name := range inPackage.FindAllStringSubmatch(line, -1) {
			if dir := cmp.Or(name[2], "bot"); !slices.Contains(there[name[1]], dir) {
				t.Errorf("testing.md says that %s is in %s, and it is in %v", name[1], dir, there[name[1]])
			}
		}
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| what went wrong ") && !testName.MatchString(line) {
			t.Errorf("a row without a test: %s", line)
		}
	}
}

// testsThere tells for the name of each test of the module in which packages it is.
func testsThere(t *testing.T) map[string][]string {
	t.Helper()
	there := map[string][]string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		for _, f := range testFunc.FindAllSubmatch(code, -1) {
			dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")
			there[string(f[1])] = append(there[string(f[1])], dir)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return there
}

// TestTestsOfTheRulesAreNamed wants testing.md to name each file of rules vectors and each fuzz target of engine/chess, and no other one.
func TestTestsOfTheRulesAreNamed(t *testing.T) {
	data, err := os.ReadFile("testing.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	vectors, err := os.ReadDir("../testdata/rules")
	if err != nil || len(vectors) < 10 {
		t.Fatalf("%d files of vectors: %v", len(vectors), err)
	}
	for _, v := range vectors {
		if v.Name() != "README.md" && !strings.Contains(page, "`"+v.Name()) {
			t.Errorf("testing.md does not name testdata/rules/%s", v.Name())
		}
	}
	code, err := os.ReadFile("../engine/chess/fuzz_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, f := range regexp.MustCompile(`(?m)^func (Fuzz[A-Za-z0-9]+)\(`).FindAllSubmatch(code, -1) {
		targets = append(targets, string(f[1]))
		if !strings.Contains(page, "`"+string(f[1])+"`") {
			t.Errorf("testing.md does not name %s", f[1])
		}
	}
	for _, name := range regexp.MustCompile("`(Fuzz[A-Za-z0-9]+)`").FindAllStringSubmatch(page, -1) {
		if !slices.Contains(targets, name[1]) {
			t.Errorf("testing.md names %s, and engine/chess has no such fuzz target", name[1])
		}
	}
}
