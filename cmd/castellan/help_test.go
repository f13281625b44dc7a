package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestHelpOfEveryCommand holds what the README promises of --help: examples and exit codes, and flags that say what they want.
func TestHelpOfEveryCommand(t *testing.T) {
	var line commandLine
	model := kong.Must(&line, kong.Vars{"bench_depth": "1"}).Model
	count := 0
	var visit func(node *kong.Node)
	visit = func(node *kong.Node) {
		for _, child := range node.Children {
			if child.Hidden {
				continue
			}
			count++
			checkHelp(t, child)
			visit(child)
		}
	}
	visit(model.Node)
	if count < 24 {
		t.Errorf("only %d commands were found", count)
	}
}

func checkHelp(t *testing.T, node *kong.Node) {
	t.Helper()
	var out, log bytes.Buffer
	args := append(strings.Fields(node.Path()), "--help")
	if code := execute(context.Background(), args, streams{strings.NewReader(""), &out, &log}); code != exitOK || log.Len() > 0 {
		t.Errorf("%v: exit code %d, %s", args, code, &log)
	}
	help := strings.Join(strings.Fields(out.String()), " ") // it is wrapped
	command := strings.Fields(node.Path())[0]
	if !regexp.MustCompile(`(?m)^ {4}.*\bcastellan ` + command + `\b`).MatchString(out.String()) {
		t.Errorf("%v: no example", args)
	}
	if strings.Count(help, "xit code") == 0 || !strings.Contains(help, "exit code is 0 ") {
		t.Errorf("%v: no exit codes", args)
	}
	if build := node.DefaultCmd; build != nil {
		for _, flag := range build.Flags {
			if !strings.Contains(help, "--"+flag.Name) {
				t.Errorf("%v: --%s of %s is not told", args, flag.Name, build.Path())
			}
		}
	}
	for _, flag := range node.Flags {
		if flag.HasDefault && flag.FormatPlaceHolder() == flag.Default && flag.Default != "" {
			t.Errorf("%v: --%s=%s shows the default in place of what is wanted", args, flag.Name, flag.Default)
		}
	}
}
