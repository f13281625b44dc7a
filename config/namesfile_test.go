package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestNameLists(t *testing.T) {
	list := func(content string) Path { return Path(writeFile(t, content)) }
	for _, test := range []struct {
		name         string
		guests       Guests
		allow, block string // comma-separated
		wrong        string // what the error holds
	}{
		{"nothing", Guests{}, "", "", ""},
		{"inline", Guests{AcceptAllowList: Names{"alice"}, AcceptBlockList: Names{"bob"}}, "alice", "bob", ""},
		{"files", Guests{AcceptAllowFile: list("alice\n"), AcceptBlockFile: list("# rude\nBob # very\n\n@eve, Mallory\r\nbob")}, "alice", "bob,eve,mallory", ""},
		{"both", Guests{AcceptBlockList: Names{"bob"}, AcceptBlockFile: list("Carol\nBOB\n")}, "", "bob,carol", ""},
		{"empty block file", Guests{AcceptBlockFile: list("# nobody yet\n")}, "", "", ""},
		{"empty allow file", Guests{AcceptAllowFile: list("\n")}, "", "", "CASTELLAN_ACCEPT_ALLOW_FILE: "},
		{"empty allow file beside a list", Guests{AcceptAllowList: Names{"alice"}, AcceptAllowFile: list("")}, "alice", "", ""},
		{"wrong line", Guests{AcceptBlockFile: list("alice\nal ice\n")}, "", "", `is wrong in line 2: "al ice" is no account name`},
		{"not there", Guests{AcceptBlockFile: "/nowhere/block"}, "", "", `CASTELLAN_ACCEPT_BLOCK_FILE: cannot read "/nowhere/block": no such file`},
		{"a directory", Guests{AcceptAllowFile: Path(t.TempDir())}, "", "", "is not a regular file"},
		{"binary", Guests{AcceptBlockFile: list("\xff\xfe\n")}, "", "", "is not text in UTF-8"},
		{"too large", Guests{AcceptBlockFile: list(strings.Repeat("#", maxNamesFile+1))}, "", "", "is larger than 1048576 bytes"},
		{"two faults", Guests{AcceptAllowFile: "/nowhere/allow", AcceptBlockFile: "/nowhere/block"}, "", "", "2 settings are wrong"},
	} {
		t.Run(test.name, func(t *testing.T) {
			lists, err := test.guests.NameLists()
			if test.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), test.wrong) {
					t.Fatalf("error %v, want %s", err, test.wrong)
				}
				return
			}
			if err != nil || lists.Allow.String() != test.allow || lists.Block.String() != test.block {
				t.Errorf("got %v and %v, error %v; want %s and %s", lists.Allow, lists.Block, err, test.allow, test.block)
			}
		})
	}
}

func TestNameListsAreReadAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "block")
	guests := Guests{AcceptBlockList: Names{"eve"}, AcceptBlockFile: Path(path)}
	for _, content := range []string{"alice", "bob"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		lists, err := guests.NameLists()
		if want := (Names{"eve", content}); err != nil || !slices.Equal(lists.Block, want) {
			t.Errorf("got %v, error %v, want %v", lists.Block, err, want)
		}
	}
}
