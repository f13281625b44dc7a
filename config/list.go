package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// List is some of the words in the tag legal, each once, spelled as there.
type List []string

// Decode splits at commas and trims; empty items and repetitions are left out.
func (l *List) Decode(value string) error {
	items, err := splitItems(value)
	*l = items
	return err
}

// String is the list as it is written in a variable.
func (l List) String() string { return strings.Join(l, ",") }

// Names is a list of account names, in lower case: the server takes names that differ in case only for one account.
type Names []string

// nameForm is what the server takes for a name: also the short and odd ones that it no longer gives to new accounts.
var nameForm = regexp.MustCompile(`^[a-z0-9_-]{1,30}$`)

// Decode splits at commas and trims; a leading @ is dropped, empty items and repetitions are left out.
func (n *Names) Decode(value string) error {
	items, err := splitItems(strings.ToLower(value))
	if err != nil {
		return err
	}
	for i, item := range items {
		items[i] = strings.TrimPrefix(item, "@")
		if !nameForm.MatchString(items[i]) {
			return fmt.Errorf("%s is no account name", quote(item))
		}
	}
	*n = unique(items)
	return nil
}

// String is the list as it is written in a variable.
func (n Names) String() string { return strings.Join(n, ",") }

// Hosts is a list of host names, in small letters; * is any.
type Hosts []string

var hostForm = regexp.MustCompile(`^(\*|[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*)$`)

// Decode splits at commas and trims; empty items and repetitions are left out.
func (h *Hosts) Decode(value string) error {
	items, err := splitItems(strings.ToLower(value))
	if err != nil {
		return err
	}
	for _, item := range items {
		if len(item) > 253 || !hostForm.MatchString(item) {
			return fmt.Errorf("%s is no host name", quote(item))
		}
	}
	*h = unique(items)
	return nil
}

// String is the list as it is written in a variable.
func (h Hosts) String() string { return strings.Join(h, ",") }

// Folders is a list of folders.
type Folders []string

// Decode splits as that of Paths does.
func (f *Folders) Decode(value string) error { return (*Paths)(f).Decode(value) }

// String is the list as it is written in a variable.
func (f Folders) String() string { return Paths(f).String() }

// Paths is a list of files.
type Paths []string

// Decode splits at commas and trims, so no path can have a comma in it; empty items and repetitions are left out.
func (p *Paths) Decode(value string) error {
	items, err := splitItems(value)
	*p = items
	return err
}

// String is the list as it is written in a variable.
func (p Paths) String() string { return strings.Join(p, ",") }

// Pair is a name with a value.
type Pair struct{ Name, Value string }

// Pairs is a list of names with values, each name once.
type Pairs []Pair

// Decode splits at commas and each item at its first =, and trims; so no name can have either in it, and no value a comma. Empty items
// are left out. A name that comes again, in whatever case of letters, is an error.
func (p *Pairs) Decode(value string) error {
	items, err := splitItems(value)
	if err != nil {
		return err
	}
	var pairs Pairs
	for _, item := range items {
		name, value, ok := strings.Cut(item, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" {
			return fmt.Errorf("%s is no name=value", quote(item))
		}
		if strings.ContainsFunc(item, unicode.IsControl) || !utf8.ValidString(item) {
			return fmt.Errorf("%s holds a control character", quote(item))
		}
		if slices.ContainsFunc(pairs, func(p Pair) bool { return strings.EqualFold(p.Name, name) }) {
			return fmt.Errorf("%s is there twice", quote(name))
		}
		pairs = append(pairs, Pair{name, value})
	}
	*p = pairs
	return nil
}

// String is the list as it is written in a variable.
func (p Pairs) String() string {
	var items []string
	for _, pair := range p {
		items = append(items, pair.Name+"="+pair.Value)
	}
	return strings.Join(items, ",")
}

// splitItems cuts a comma-separated text into its items, trimmed, each once. A text without any item is an error: it
// is neither "not set" nor a list.
func splitItems(value string) ([]string, error) {
	var items []string
	for item := range strings.SplitSeq(value, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	if len(items) == 0 {
		return nil, errors.New("is a list without an item")
	}
	return unique(items), nil
}

// unique drops repetitions and keeps the order.
func unique(items []string) []string {
	var once []string
	seen := map[string]bool{}
	for _, item := range items {
		if !seen[item] {
			seen[item] = true
			once = append(once, item)
		}
	}
	return once
}
