package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func writeFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTokenFile(t *testing.T) {
	for _, test := range []struct{ name, content, token, wrong string }{
		{"plain", "abc_123", "abc_123", ""},
		{"newline at the end", "abc_123\n", "abc_123", ""},
		{"newline of Windows", "abc_123\r\n", "abc_123", ""},
		{"two newlines", "abc_123\n\n", "", "holds white space besides one newline at its end"},
		{"space", "abc 123", "", "holds white space besides one newline at its end"},
		{"two lines", "abc\n123\n", "", "holds white space besides one newline at its end"},
		{"empty", "", "", "is empty"},
		{"only a newline", "\n", "", "is empty"},
		{"too large", strings.Repeat("a", maxSecretFile+1), "", "is larger than 4096 bytes"},
		{"no token", "päss", "", "is no token"},
		{"too long for a token", strings.Repeat("a", 513), "", "is no token"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := writeFile(t, test.content)
			setEnv(t, map[string]string{variableTokenFile: path})
			cfg, err := LoadOnline()
			if test.wrong == "" {
				if err != nil || cfg.Token.Reveal() != test.token {
					t.Fatalf("token %q, error %v", cfg.Token.Reveal(), err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.wrong) || !strings.HasPrefix(err.Error(), variableTokenFile+": ") {
				t.Fatalf("error %v, want %s ... %s", err, variableTokenFile, test.wrong)
			}
			if content := strings.TrimSpace(test.content); content != "" && strings.Contains(err.Error(), content) {
				t.Errorf("the error shows the content: %v", err)
			}
		})
	}
}

func TestTokenFileThatCannotBeRead(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ path, wrong string }{
		{"/nowhere/token", `cannot read "/nowhere/token": no such file or directory`},
		{pipe, "is not a regular file"}, // and the test ends: nobody waits for a writer
		{t.TempDir(), "is not a regular file"},
		{"lip_abcdefghijkl", "is a token, not the path of a file"},
	} {
		setEnv(t, map[string]string{variableTokenFile: test.path})
		_, err := LoadOnline()
		if err == nil || !strings.Contains(err.Error(), test.wrong) {
			t.Errorf("error %v, want %s", err, test.wrong)
		}
		if strings.Contains(fmt.Sprint(err), "lip_") {
			t.Errorf("the error shows the token: %v", err)
		}
	}
}

func TestTokenIsGivenInOneWay(t *testing.T) {
	path := writeFile(t, "abc_123")
	for _, env := range []map[string]string{
		{variableToken: "abc_123", variableTokenFile: path},
		{variableToken: "abc_123", variableTokenAlias: "abc_123"},
		{variableTokenFile: path, variableTokenAlias: "abc_123"},
		{variableToken: "abc_123", variableTokenFile: path, variableTokenAlias: "abc_123"},
	} {
		setEnv(t, env)
		_, err := LoadOnline()
		if err == nil || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "abc_123") {
			t.Errorf("%d ways: error %v, want one line without the token", len(env), err)
			continue
		}
		for variable := range env {
			if !strings.Contains(err.Error(), variable) {
				t.Errorf("%s is not named in: %v", variable, err)
			}
		}
	}
}

func TestTokenIsNeededOnlineOnly(t *testing.T) {
	setEnv(t, nil)
	if _, err := Load(); err != nil {
		t.Error(err)
	}
	if _, err := LoadOnline(); err == nil || !strings.HasPrefix(err.Error(), "CASTELLAN_TOKEN: is not set; legal: ") {
		t.Errorf("error: %v", err)
	}
}

// TestTokenIsNeverShown looks for a token in everything that the package can put out, right and wrong.
func TestTokenIsNeverShown(t *testing.T) {
	const token = "lip_SecretSecretSecret1"
	for _, env := range []map[string]string{
		{variableToken: token},
		{variableTokenAlias: token},
		{variableTokenFile: writeFile(t, token)},
		{variableTokenFile: writeFile(t, token+" "+token)},
		{variableToken: token + " "},
		{variableToken: token, variableTokenAlias: token},
		{variableTokenFile: token},
		{"CASTELLAN_TOKE": token},
		{"CASTELLAN_URL": "https://" + token + "@lichess.org"},
		{"CASTELLAN_URL": "https://user:secret" + token + "@lichess.org"},
		{"CASTELLAN_MAX_GAMES": token},
		{"CASTELLAN_LOG_LEVEL": token},
		{"CASTELLAN_LOG_FORMAT": strings.Repeat("x", maxQuoted-12) + token}, // cut off within the token
		{"CASTELLAN_ACCEPT_SPEEDS": "blitz," + token},
		{"CASTELLAN_ACCEPT_BLOCK_LIST": token + "!"},
		{"CASTELLAN_ACCEPT_BLOCK_LIST": token},
		{"CASTELLAN_CHAT_GREETING": token + "\n"},
		{"CASTELLAN_CHAT_GREETING": token},
		{variableToken: "SecretSecretSecret1", "CASTELLAN_MAX_GAMES": "SecretSecretSecret1"},
		{variableToken: "SecretSecretSecret1", "CASTELLAN_ACCEPT_SPEEDS": "SecretSecretSecret1"},
	} {
		setEnv(t, env)
		cfg, err := LoadOnline()
		var out bytes.Buffer
		fmt.Fprintln(&out, err)
		for _, s := range cfg.Settings() {
			fmt.Fprintf(&out, "%s=%s\n", s.Variable, s.Value)
		}
		printSecret(&out, cfg.Token)
		shown := strings.ToLower(out.String())
		if strings.Contains(shown, "lip_s") || strings.Contains(shown, "secretsecret") {
			t.Errorf("%v: the token is shown:\n%s", env, out.String())
		}
	}
}

// printSecret prints a secret in all ways at hand.
func printSecret(out *bytes.Buffer, secret Secret) {
	type outer struct{ Inner, hidden Secret }
	nested := outer{secret, secret}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T", "%p"} {
		fmt.Fprintf(out, verb+verb+verb+verb+"\n", secret, &secret, nested, &nested)
	}
	fmt.Fprintln(out, secret.String(), secret.GoString())
	for _, value := range []any{secret, nested, map[string]any{"token": secret}} {
		encoded, err := json.Marshal(value)
		fmt.Fprintln(out, string(encoded), err)
	}
	for _, handler := range []slog.Handler{slog.NewTextHandler(out, nil), slog.NewJSONHandler(out, nil)} {
		slog.New(handler).Info("secret", "token", secret, "nested", nested, "pointer", &secret)
	}
}

func TestSecretIsMasked(t *testing.T) {
	secret := NewSecret("hush")
	if got := fmt.Sprintf("%v %s %x %#v", secret, secret, secret, secret); got != "*** *** *** ***" {
		t.Error(got)
	}
	if got := fmt.Sprintf("%v|%s", Secret{}, Secret{}); got != "|" {
		t.Errorf("a secret that is not set: %q", got)
	}
	if encoded, err := json.Marshal(secret); string(encoded) != `"***"` || err != nil {
		t.Errorf("JSON: %s, %v", encoded, err)
	}
	if NewSecret("").IsSet() || !secret.IsSet() || secret.Reveal() != "hush" {
		t.Error("IsSet or Reveal")
	}
}
