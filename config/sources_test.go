package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExplorerToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("lip_xExplorersOwn\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const bots = "lip_xTokenOfTheBot"
	for _, test := range []struct {
		env   map[string]string
		want  string // the token, when there is no fault
		wrong string
	}{
		{map[string]string{}, "", ""},
		{map[string]string{"CASTELLAN_SOURCES": "explorer"}, "", "CASTELLAN_EXPLORER_TOKEN: is not set, and CASTELLAN_SOURCES has the explorer in it"},
		{map[string]string{"CASTELLAN_SOURCES": "explorer", "CASTELLAN_EXPLORER_TOKEN": "lip_xExplorers"}, "lip_xExplorers", ""},
		{map[string]string{"CASTELLAN_SOURCES": "book,explorer", "CASTELLAN_EXPLORER_TOKEN_FILE": file}, "lip_xExplorersOwn", ""},
		{map[string]string{"CASTELLAN_EXPLORER_TOKEN": "lip_xExplorers", "CASTELLAN_EXPLORER_TOKEN_FILE": file}, "", "is set by CASTELLAN_EXPLORER_TOKEN_FILE too"},
		{map[string]string{"CASTELLAN_EXPLORER_TOKEN_FILE": "/nowhere"}, "", "no such file"},
		{map[string]string{"CASTELLAN_EXPLORER_TOKEN": bots}, "", "CASTELLAN_EXPLORER_TOKEN: is the bot's own token"},
		{map[string]string{"CASTELLAN_EXPLORER_TOKEN": "lip_x and more"}, "", "is no token"},
		{map[string]string{"CASTELLAN_EXPLORER_TOKEN": "secretOfAnotherKind", "CASTELLAN_CHAT_GREETING": "secretOfAnotherKind"}, "", "CASTELLAN_CHAT_GREETING: holds a token"},
	} {
		env := map[string]string{"CASTELLAN_TOKEN": bots}
		for name, value := range test.env {
			env[name] = value
		}
		setEnv(t, env)
		cfg, err := Load()
		switch {
		case test.wrong == "" && (err != nil || cfg.Explorer.Token.Reveal() != test.want):
			t.Errorf("%v: %v, %v", test.env, cfg.Explorer.Token, err)
		case test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)):
			t.Errorf("%v: %v, want %q", test.env, err, test.wrong)
		}
		if err != nil && (strings.Contains(err.Error(), bots) || strings.Contains(err.Error(), "secretOf") || strings.Contains(err.Error(), "lip_xE")) {
			t.Errorf("%v: the message holds a token: %v", test.env, err)
		}
		for name := range env {
			os.Unsetenv(name)
		}
	}
}

func TestPairs(t *testing.T) {
	for text, want := range map[string]string{
		"Hash=16": "Hash=16",
		" Hash = 16 ,, Style=Very Wild,Clear Hash=": "Hash=16,Style=Very Wild,Clear Hash=",
		"Path=/a=b": "Path=/a=b",
	} {
		var p Pairs
		if err := p.Decode(text); err != nil || p.String() != want {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
	for text, want := range map[string]string{
		"Hash": "is no name=value", "=7": "is no name=value", ",": "without an item", "Hash=1,hash=2": "is there twice", "A=b\x07": "control character",
	} {
		var p Pairs
		if err := p.Decode(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
