package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// The three ways to give the token.
const (
	variableToken      = prefix + "_TOKEN"
	variableTokenFile  = prefix + "_TOKEN_FILE"
	variableTokenAlias = "LICHESS_BOT_TOKEN" // as other Lichess bots name it
)

// maxSecretFile is the largest secret file read, in bytes: a wrong path should not fill the memory.
const maxSecretFile = 4 << 10

// tokenForm is what the server takes for a token; longer ones than 512 characters it refuses unseen.
var tokenForm = regexp.MustCompile(`^[A-Za-z0-9_]{1,512}$`)

const (
	tokenLegal     = "letters, digits and _, at most 512"
	legalTokenFile = "path of a file that holds the token alone"
)

// loadToken puts the token into cfg.Token, wherever it comes from.
func loadToken(cfg *Config) []Fault {
	alias := os.Getenv(variableTokenAlias)
	var ways []string
	if cfg.Token.IsSet() {
		ways = append(ways, variableToken)
	}
	if cfg.TokenFile != "" {
		ways = append(ways, variableTokenFile)
	}
	if alias != "" {
		ways = append(ways, variableTokenAlias)
	}
	if len(ways) == 0 {
		return nil
	}
	way := ways[0]
	if len(ways) > 1 {
		return []Fault{{Variable: way, Wrong: "the token is set by " + strings.Join(ways[1:], " and ") + " too", Legal: "one of them"}}
	}

	switch way {
	case variableTokenAlias:
		cfg.Token = NewSecret(alias)
	case variableTokenFile:
		token, err := readSecretFile(string(cfg.TokenFile))
		if err != nil {
			return []Fault{{Variable: way, Wrong: err.Error(), Legal: legalTokenFile}}
		}
		cfg.Token = token
	}
	if !tokenForm.MatchString(cfg.Token.Reveal()) {
		return []Fault{{Variable: way, Wrong: "is no token", Legal: tokenLegal}}
	}
	return nil
}

// The two ways to give the token of the opening explorer.
const (
	variableExplorerToken     = prefix + "_EXPLORER_TOKEN"
	variableExplorerTokenFile = prefix + "_EXPLORER_TOKEN_FILE"
)

// loadExplorerToken puts the explorer's token into cfg.Explorer.Token. To ask the explorer without one is a fault, and so is to give it
// the token of the bot, which goes to one server alone.
func loadExplorerToken(cfg *Config, faults Faults) []Fault {
	e := &cfg.Explorer
	way := variableExplorerToken
	switch {
	case e.Token.IsSet() && e.TokenFile != "":
		return []Fault{{Variable: way, Wrong: "the token is set by " + variableExplorerTokenFile + " too", Legal: "one of them"}}
	case e.TokenFile != "":
		way = variableExplorerTokenFile
		token, err := readSecretFile(string(e.TokenFile))
		if err != nil {
			return []Fault{{Variable: way, Wrong: err.Error(), Legal: legalTokenFile}}
		}
		e.Token = token
	case !e.Token.IsSet():
		if slices.Contains(cfg.Sources, "explorer") && !faults.about("CASTELLAN_SOURCES") {
			return []Fault{{
				Variable: way, Wrong: "is not set, and CASTELLAN_SOURCES has the explorer in it",
				Legal: "a token without any permission, here or in a file named by " + variableExplorerTokenFile +
					" (https://lichess.org/account/oauth/token/create makes one)",
			}}
		}
		return nil
	}
	switch {
	case !tokenForm.MatchString(e.Token.Reveal()):
		return []Fault{{Variable: way, Wrong: "is no token", Legal: tokenLegal}}
	case cfg.Token.IsSet() && cfg.Token.Reveal() == e.Token.Reveal():
		return []Fault{{Variable: way, Wrong: "is the bot's own token, which is for CASTELLAN_URL alone", Legal: "a token of its own, without any permission"}}
	}
	return nil
}

// misplacedTokens finds settings that hold a token and are no secret, so that it is neither listed nor said in a chat.
func misplacedTokens(token Secret, settings []setting, faults Faults) []Fault {
	var found []Fault
	for _, s := range settings {
		if s.kind() == "secret" || !token.heldIn(s.text()) {
			continue
		}
		if !faults.about(s.variable) {
			found = append(found, Fault{Variable: s.variable, Wrong: "holds a token", Legal: s.legal()})
		}
		s.reset()
	}
	return found
}

// readSecretFile reads the secret that is the whole of a file, except one newline at its end. Its errors name the
// path, never a part of the content.
func readSecretFile(path string) (Secret, error) {
	if looksLikeToken(path) {
		return Secret{}, errors.New("is a token, not the path of a file")
	}
	// A pipe without a writer would hold the start up for ever.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return Secret{}, fmt.Errorf("%s is not a regular file", quote(path))
	}
	file, err := os.Open(path)
	if err != nil {
		return Secret{}, fmt.Errorf("cannot read %s: %w", quote(path), cause(err))
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxSecretFile+1))
	if err != nil {
		return Secret{}, fmt.Errorf("cannot read %s: %w", quote(path), cause(err))
	}
	secret, err := parseSecretFile(content)
	if err != nil {
		return Secret{}, fmt.Errorf("%s %w", quote(path), err)
	}
	return secret, nil
}

// parseSecretFile takes the secret out of a file's content.
func parseSecretFile(content []byte) (Secret, error) {
	if len(content) > maxSecretFile {
		return Secret{}, fmt.Errorf("is larger than %d bytes", maxSecretFile)
	}
	content, _ = bytes.CutSuffix(content, []byte("\n"))
	content, _ = bytes.CutSuffix(content, []byte("\r"))
	switch {
	case len(content) == 0:
		return Secret{}, errors.New("is empty")
	case bytes.ContainsFunc(content, unicode.IsSpace):
		return Secret{}, errors.New("holds white space besides one newline at its end")
	}
	return NewSecret(string(content)), nil
}

// cause is what went wrong without the path, which the message names already.
func cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}
