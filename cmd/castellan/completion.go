package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// The scripts ask the program itself what could come next, by its hidden command complete, so that they never grow old.
var (
	//go:embed completion.bash
	completionBash string
	//go:embed completion.zsh
	completionZsh string
	//go:embed completion.fish
	completionFish string
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is shown by castellan completion --help.
func (completionCommand) Help() string {
	return `Examples:

  bash   source <(castellan completion bash)                      in ~/.bashrc
  zsh    source <(castellan completion zsh)                       in ~/.zshrc, after compinit
  fish   castellan completion fish > ~/.config/fish/completions/castellan.fish`
}

// Run prints the script.
func (c completionCommand) Run(std streams) error {
	script := map[string]string{"bash": completionBash, "zsh": completionZsh, "fish": completionFish}[c.Shell]
	_, err := io.WriteString(std.out, script)
	return err
}

// filesWanted is the one line that completeCommand prints when the name of a file is what comes next.
const filesWanted = ":files"

type completeCommand struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// Run prints what could stand in the place of the last word: each in a line, with a tab and its meaning.
func (c completeCommand) Run(parsed *kong.Context, std streams) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	out := bufio.NewWriter(std.out)
	found, files := complete(parsed.Model.Node, words)
	if files {
		fmt.Fprintln(out, filesWanted)
	}
	for _, f := range found {
		fmt.Fprintf(out, "%s\t%s\n", f.word, f.meaning)
	}
	return out.Flush()
}

// candidate is a word that could come next.
type candidate struct{ word, meaning string }

// complete returns what the last of the words of a command line could become, or that it is the name of a file.
func complete(node *kong.Node, words []string) (found []candidate, files bool) {
	last := words[len(words)-1]
	if len(words) > 1 && words[0] == "help" { // which the parser does not know: see execute
		for _, word := range words[1 : len(words)-1] {
			if node = childNamed(node, word); node == nil {
				return nil, false
			}
		}
		return commands(node, last), false
	}
	var open *kong.Flag // whose value comes next
	arguments, flags := 0, true
	for _, word := range words[:len(words)-1] {
		switch {
		case open != nil && word == "=": // bash takes --flag=value apart
		case open != nil:
			open = nil
		case flags && word == "--":
			flags = false
		case flags && strings.HasPrefix(word, "-"):
			name, _, whole := strings.Cut(word, "=")
			if f := flagNamed(node, name); f != nil && !f.IsBool() && !whole {
				open = f
			}
		default:
			if child := childNamed(node, word); child != nil && arguments == 0 {
				node = child
			} else {
				arguments++
			}
		}
	}
	switch name, begun, whole := strings.Cut(last, "="); {
	case open != nil && last == "=":
		return valueCandidates(open.Value, "", "")
	case open != nil:
		return valueCandidates(open.Value, "", last)
	case flags && whole && strings.HasPrefix(last, "--"):
		if f := flagNamed(node, name); f != nil {
			return valueCandidates(f.Value, name+"=", begun)
		}
		return nil, false
	case flags && strings.HasPrefix(last, "-"):
		for _, f := range flagsOf(node) {
			if word := "--" + f.Name; strings.HasPrefix(word, last) {
				found = append(found, candidate{word, summary(f.Help)})
			}
		}
		return found, false
	}
	if arguments == 0 {
		found = commands(node, last)
		if node.Parent == nil && strings.HasPrefix("help", last) {
			found = append(found, candidate{"help", "Tell more about a command"})
		}
	}
	positional := node.Positional
	if len(positional) == 0 && node.DefaultCmd != nil {
		positional = node.DefaultCmd.Positional
	}
	if n := len(positional); n > 0 && len(found) == 0 && (arguments < n || positional[n-1].IsCumulative()) {
		return valueCandidates(positional[min(arguments, n-1)], "", last)
	}
	return found, false
}

// commands returns the commands of a command that begin so.
func commands(node *kong.Node, begun string) (found []candidate) {
	for _, child := range node.Children {
		if !child.Hidden && strings.HasPrefix(child.Name, begun) {
			found = append(found, candidate{child.Name, summary(child.Help)})
		}
	}
	return found
}

// valueCandidates returns the values that an argument or flag may have and that begin so, with something put in front of each.
func valueCandidates(v *kong.Value, front, begun string) (found []candidate, files bool) {
	if v.Tag.Get("complete") == "file" {
		return nil, true
	}
	if v.Enum == "" {
		return nil, false
	}
	for _, word := range v.EnumSlice() {
		if strings.HasPrefix(word, begun) {
			found = append(found, candidate{front + word, ""})
		}
	}
	return found, false
}

func childNamed(node *kong.Node, name string) *kong.Node {
	for _, child := range node.Children {
		if child.Name == name {
			return child
		}
	}
	return nil
}

// flagsOf returns the flags that a command takes, those of the command that it stands for included.
func flagsOf(node *kong.Node) (flags []*kong.Flag) {
	for _, group := range node.AllFlags(true) {
		flags = append(flags, group...)
	}
	if node.DefaultCmd != nil && node.Parent != nil {
		flags = append(flags, node.DefaultCmd.Flags...)
	}
	return flags
}

func flagNamed(node *kong.Node, name string) *kong.Flag {
	for _, f := range flagsOf(node) {
		if "--"+f.Name == name || f.Short != 0 && "-"+string(f.Short) == name {
			return f
		}
	}
	return nil
}

// summary is the first sentence of a help.
func summary(help string) string {
	first, _, _ := strings.Cut(help, ". ")
	return strings.TrimSuffix(strings.Join(strings.Fields(first), " "), ".")
}
