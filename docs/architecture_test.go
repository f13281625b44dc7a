// Package docs_test keeps the pages of this folder true.
package docs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "castellan"

// room is a row of the table in architecture.md.
type room struct {
	all       bool     // may import all other rooms
	ours      []string // rooms that it may import
	libraries []string // modules that it may import
}

// pkg is what go list says of a package.
type pkg struct {
	ImportPath string
	Standard   bool
	Imports    []string // without those of test files
	Module     *struct{ Path string }
}

func TestImportsFollowTheArrows(t *testing.T) {
	page, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	rooms, testOnly := readPage(string(page))
	if len(rooms) < 5 || len(testOnly) < 4 {
		t.Fatalf("architecture.md: found %d rooms and %d libraries for tests, too few to be right", len(rooms), len(testOnly))
	}
	for _, wrong := range breaches(rooms, testOnly, goList(t)) {
		t.Error(wrong)
	}
}

// TestBreachesAreSeen gives the check imports that are wrong, so that it is known to be able to fail.
func TestBreachesAreSeen(t *testing.T) {
	rooms := map[string]room{
		"engine/chess": {},
		"engine":       {ours: []string{"engine/chess"}},
		"config":       {libraries: []string{"example.org/env"}},
		"cmd":          {all: true},
	}
	outside := func(path string) pkg {
		return pkg{ImportPath: path, Module: &struct{ Path string }{Path: path}}
	}
	ours := func(path string, imports ...string) pkg {
		p := outside(module + "/" + path)
		p.Imports, p.Module.Path = imports, module
		return p
	}
	clean := []pkg{
		{ImportPath: "fmt", Standard: true},
		outside("example.org/env"),
		ours("engine/chess", "fmt"), ours("engine", "castellan/engine/chess"), ours("config", "example.org/env"),
		ours("cmd", "castellan/config", "castellan/engine"),
	}
	for _, test := range []struct {
		name  string
		extra []pkg // takes the place of those of the same path
		want  string
	}{
		{"clean", nil, ""},
		{"arrow turned round", []pkg{ours("engine/chess", "castellan/engine")}, "engine/chess imports engine, which"},
		{"config known below cmd", []pkg{ours("engine", "castellan/config")}, "engine imports config, which"},
		{"cmd imported", []pkg{ours("engine", "castellan/cmd")}, "engine imports cmd, which"},
		{"foreign library", []pkg{ours("engine/chess", "example.org/env")}, "engine/chess imports example.org/env, which"},
		{"library for tests", []pkg{outside("example.org/oracle")}, "example.org/oracle is a library for tests"},
		{"room without a row", []pkg{ours("attic")}, "attic is no room"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var packages []pkg
			for _, p := range clean {
				if !slices.ContainsFunc(test.extra, func(e pkg) bool { return e.ImportPath == p.ImportPath }) {
					packages = append(packages, p)
				}
			}
			found := breaches(rooms, []string{"example.org/oracle"}, append(packages, test.extra...))
			if test.want == "" && len(found) == 0 {
				return
			}
			if len(found) != 1 || test.want == "" || !strings.HasPrefix(found[0], test.want) {
				t.Errorf("found %q, want one that starts with %q", found, test.want)
			}
		})
	}
	if found := breaches(rooms, nil, clean[:3]); len(found) != 3 {
		t.Errorf("found %q, want the three rooms that have no package", found)
	}
}

// breaches compares packages with the rooms, and says of each import what is wrong with it.
func breaches(rooms map[string]room, testOnly []string, packages []pkg) []string {
	byPath := map[string]pkg{}
	for _, p := range packages {
		byPath[p.ImportPath] = p
	}
	var found []string
	exists := map[string]bool{}
	for _, p := range packages {
		if p.Module != nil && slices.Contains(testOnly, p.Module.Path) {
			found = append(found, fmt.Sprintf("%s is a library for tests and would be part of a binary", p.ImportPath))
		}
		name, isOurs := strings.CutPrefix(p.ImportPath, module+"/")
		if !isOurs {
			continue
		}
		exists[name] = true
		from, known := rooms[name]
		if !known {
			found = append(found, fmt.Sprintf("%s is no room of architecture.md: give it a row there", name))
			continue
		}
		for _, path := range p.Imports {
			imported := byPath[path]
			to, isOurs := strings.CutPrefix(path, module+"/")
			switch {
			case imported.Standard || isOurs && (from.all || slices.Contains(from.ours, to)):
			case !isOurs && imported.Module != nil && slices.Contains(from.libraries, imported.Module.Path):
			default:
				found = append(found, fmt.Sprintf("%s imports %s, which architecture.md does not allow", name, to))
			}
		}
	}
	for name := range rooms {
		if !exists[name] {
			found = append(found, fmt.Sprintf("%s is a room of architecture.md and no package", name))
		}
	}
	slices.Sort(found)
	return found
}

var (
	row    = regexp.MustCompile("^\\| `([^`]+)` \\|[^|]*\\|([^|]*)\\|([^|]*)\\|$")
	quoted = regexp.MustCompile("`([^`]+)`")
)

// readPage takes the rooms and the libraries for tests out of architecture.md.
func readPage(page string) (rooms map[string]room, testOnly []string) {
	rooms = map[string]room{}
	for line := range strings.Lines(page) {
		cells := row.FindStringSubmatch(strings.TrimSpace(line))
		if cells == nil {
			continue
		}
		rooms[cells[1]] = room{
			all:       strings.TrimSpace(cells[2]) == "all",
			ours:      names(cells[2]),
			libraries: names(cells[3]),
		}
	}
	_, after, _ := strings.Cut(page, "Libraries that tests alone may use")
	paragraph, _, _ := strings.Cut(after, "\n\n")
	return rooms, names(paragraph)
}

// names returns the words between back quotes.
func names(text string) []string {
	var found []string
	for _, match := range quoted.FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	return found
}

// readSources looks at every source file in this process. go list reads them in another, which the cache of test results
// does not see: without this, a new import would be answered by the result from before it.
func readSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if filepath.Ext(path) == ".go" || entry.Name() == "go.mod" {
			_, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// goList lists the packages of the module that are not tests alone, and everything that they need.
func goList(t *testing.T) []pkg {
	t.Helper()
	readSources(t)
	command := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Imports,Module,GoFiles", "./...")
	command.Dir = ".."
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", command, err, stderr.String())
	}
	var packages []pkg
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var p struct {
			pkg
			GoFiles []string
		}
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles) > 0 { // a folder with nothing but tests, such as this one, is no room
			packages = append(packages, p.pkg)
		}
	}
}
