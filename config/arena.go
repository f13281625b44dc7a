package config

import (
	"fmt"
	"regexp"
	"strings"
)

// Arenas is a list of ids of arena tournaments.
type Arenas []string

// arenaForm is an id, or an address whose last part is one. Ids differ by the case of their letters.
var arenaForm = regexp.MustCompile(`^(?:https?://[^/?#]+/(?:api/)?tournament/)?([A-Za-z0-9]{8})$`)

// Decode splits at commas and takes the id out of each item.
func (a *Arenas) Decode(value string) error {
	items, err := splitItems(value)
	if err != nil {
		return err
	}
	for i, item := range items {
		id := arenaForm.FindStringSubmatch(item)
		if id == nil {
			return fmt.Errorf("%s is no arena", quote(item))
		}
		items[i] = id[1]
	}
	*a = unique(items)
	return nil
}

// String is the list as it is written in a variable.
func (a Arenas) String() string { return strings.Join(a, ",") }
