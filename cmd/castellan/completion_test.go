package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	for _, test := range []struct {
		words string // separated by |
		want  string // the words that could come, or filesWanted
	}{
		{"se", "selfplay"},
		{"compl", "completion"}, // not the hidden one
		{"arena|", "join leave show"},
		{"arena|join|--", "--help --password --team"},
		{"arena|join|--team|", ""},
		{"book|--o", "--out"}, // of the command that book alone stands for
		{"book|show|--o", ""},
		{"book|--out|", filesWanted},
		{"book|--out|x|", "build show"},
		{"book|--out|x|games", filesWanted},
		{"book|build|--out=", filesWanted},
		{"book|build|--out|=|x", filesWanted}, // as bash takes it apart
		{"completion|", "bash zsh fish"},
		{"completion|z", "zsh"},
		{"completion|bash|", ""},
		{"selfplay|--|--fi", filesWanted},
		{"tune|one|two|", filesWanted},
		{"match|--chess960|--no", "--nodes"}, // a flag without a value takes none
		{"match|--nodes|--no", ""},
		{"no-such-command|", ""},
		{"hel", "help"},
		{"help|se", "selfplay"},
		{"help|arena|", "join leave show"},
		{"help|match|--", ""}, // help alone is told
		{"help|completion|", ""},
		{"help|no-such-command|", ""},
		{"", "run local uci"},
	} {
		var out bytes.Buffer
		args := append([]string{"complete", "--"}, strings.Split(test.words, "|")...)
		if code := execute(context.Background(), args, streams{strings.NewReader(""), &out, &out}); code != exitOK {
			t.Errorf("%q: exit code %d: %s", test.words, code, &out)
		}
		var words []string
		for line := range strings.Lines(out.String()) {
			word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			words = append(words, word)
		}
		got := strings.Join(words, " ")
		if got != test.want && !(test.words == "" && strings.HasPrefix(got, test.want)) {
			t.Errorf("%q: %q, want %q", test.words, got, test.want)
		}
	}
}

// FuzzComplete gives it any words: it has an answer for all, each in a line.
func FuzzComplete(f *testing.F) {
	for _, words := range []string{"", "book|--out|=|x", "arena|join|--team=|--", "match|--|--pgn", "-|=|--=|---", "run|run|run"} {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, words string) {
		var out bytes.Buffer
		args := append([]string{"complete", "--"}, strings.Split(words, "|")...)
		if code := execute(context.Background(), args, streams{strings.NewReader(""), &out, &out}); code != exitOK {
			t.Fatalf("exit code %d: %s", code, &out)
		}
		for line := range strings.Lines(out.String()) {
			if line != filesWanted+"\n" && !strings.Contains(line, "\t") {
				t.Errorf("the line %q", line)
			}
		}
	})
}

// TestCompletionInShells lets each shell that is here complete command lines by its script.
func TestCompletionInShells(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "games of mine.pgn"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	// Each program completes the words of its arguments and prints the candidates, without their meaning.
	for shell, program := range map[string][]string{
		"bash": {"--norc", "-c", `source <(castellan completion bash)
			COMP_WORDS=(castellan "$@"); COMP_CWORD=$#; _castellan; printf '%s\n' "${COMPREPLY[@]}"`, "bash"},
		"zsh": {"-f", "-c", `compdef() { }; _files() { print -r -- "games of mine.pgn" }; compset() { }
			_describe() { local c; for c in "${(@P)2}"; do print -r -- "${c%%:*}"; done }
			source <(castellan completion zsh)
			words=(castellan "$@"); CURRENT=$#words; _castellan`, "zsh"},
		"fish": {"--no-config", "-c", `castellan completion fish | source
			complete -C "castellan $argv" | string replace -r '\t.*' ''; true`},
	} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip("not here:", err)
			}
			for _, test := range []struct {
				words []string
				want  string
			}{
				{[]string{"sel"}, "selfplay"},
				{[]string{"arena", "l"}, "leave"},
				{[]string{"completion", ""}, "bash fish zsh"},
				{[]string{"match", "--chess"}, "--chess960"},
				{[]string{"stats", "games"}, "games of mine.pgn"},
			} {
				cmd := exec.Command(path, slices.Concat(program, test.words)...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "HOME="+dir, "TERM=dumb")
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Errorf("%q: %v: %s", test.words, err, out)
					continue
				}
				lines := strings.Split(strings.TrimSpace(string(out)), "\n")
				slices.Sort(lines)
				if got := strings.Join(lines, " "); got != test.want {
					t.Errorf("%q: %q, want %q", test.words, got, test.want)
				}
			}
		})
	}
}
