package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// maxNamesFile is the largest file of names that is read, in bytes: some ten thousands of names.
const maxNamesFile = 1 << 20

// NameLists are the accounts that may challenge, and those that may not, from the settings and from their files.
type NameLists struct {
	Allow, Block Names
}

// NameLists joins the lists of the settings with those in the files, which are read anew. The error is a [Faults] with
// everything that is wrong; the lists are of no use then.
func (g *Guests) NameLists() (NameLists, error) {
	lists := NameLists{Allow: g.AcceptAllowList, Block: g.AcceptBlockList}
	var faults Faults
	for _, file := range []struct {
		variable string
		path     Path
		list     *Names
	}{
		{"CASTELLAN_ACCEPT_ALLOW_FILE", g.AcceptAllowFile, &lists.Allow},
		{"CASTELLAN_ACCEPT_BLOCK_FILE", g.AcceptBlockFile, &lists.Block},
	} {
		if file.path == "" {
			continue
		}
		names, err := readNames(string(file.path))
		if err != nil {
			faults = append(faults, Fault{Variable: file.variable, Wrong: err.Error(), Legal: "path of a file with an account name in each line"})
		}
		*file.list = unique(append(append(Names{}, *file.list...), names...))
	}
	if g.AcceptAllowFile != "" && len(lists.Allow) == 0 && len(faults) == 0 {
		faults = append(faults, Fault{Variable: "CASTELLAN_ACCEPT_ALLOW_FILE",
			Wrong: quote(string(g.AcceptAllowFile)) + " has no name in it, so that nobody could play", Legal: "a file with at least one account name"})
	}
	return lists, faults.orNil()
}

// readNames reads the names in a file.
func readNames(path string) (Names, error) {
	// A pipe without a writer would hold the program up for ever.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", quote(path))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", quote(path), cause(err))
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxNamesFile+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", quote(path), cause(err))
	}
	names, err := parseNames(string(content))
	if err != nil {
		return nil, fmt.Errorf("%s %w", quote(path), err)
	}
	return names, nil
}

// parseNames takes the names out of a file's content: one or more a line, separated by commas; # begins a remark.
func parseNames(content string) (Names, error) {
	switch {
	case len(content) > maxNamesFile:
		return nil, fmt.Errorf("is larger than %d bytes", maxNamesFile)
	case !utf8.ValidString(content):
		return nil, errors.New("is not text in UTF-8")
	}
	var all Names
	number := 0
	for line := range strings.Lines(content) {
		number++
		line, _, _ = strings.Cut(line, "#")
		if strings.Trim(line, ", \t\r\n") == "" {
			continue
		}
		var names Names
		if err := names.Decode(line); err != nil {
			return nil, fmt.Errorf("is wrong in line %d: %w", number, err)
		}
		all = append(all, names...)
	}
	return unique(all), nil
}
