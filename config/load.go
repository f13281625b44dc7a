package config

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/kelseyhightower/envconfig"
)

// Load reads and checks the settings. A missing token is no fault: commands that never speak to Lichess use it.
//
// The error is a [Faults] with everything that is wrong. The Config is complete even then, with the default in place
// of each value that could not be read, so that it can be listed.
//
// The source is the environment of the process, since envconfig reads no other; tests set it by testing.T.Setenv.
// While it runs, Load hides some variables of its own prefix from envconfig and puts them back at the end, so it is
// to be called before there are goroutines that start other programs.
func Load() (Config, error) {
	cfg, faults := load()
	return cfg, faults.orNil()
}

// LoadOnline is [Load] for a process that plays on Lichess: to have no token is a fault.
func LoadOnline() (Config, error) {
	cfg, faults := load()
	if !cfg.Token.IsSet() && !faults.about(variableToken, variableTokenFile, variableTokenAlias) {
		faults = append(faults, Fault{
			Variable: variableToken,
			Wrong:    "is not set",
			Legal: "a token of a BOT account with the scope bot:play, here or in a file named by " + variableTokenFile +
				" (https://lichess.org/account/oauth/token/create?scopes[]=bot:play makes one)",
		})
	}
	return cfg, faults.orNil()
}

func load() (Config, Faults) {
	hidden := hiddenVariables{}
	defer hidden.restore()
	// Compose files and shell scripts set variables to nothing when they mean "not set"; envconfig would see a value.
	for _, name := range ownVariables(os.Environ()) {
		if os.Getenv(name) == "" {
			hidden.hide(name)
		}
	}

	cfg, unreadable := process(hidden)
	settings := cfg.settings()
	var faults Faults
	for _, s := range settings {
		if fault, found := unreadable[s.variable]; found {
			fault.Legal = s.legal()
			faults = append(faults, fault)
		} else if wrong := s.check(); wrong != "" {
			faults = append(faults, Fault{Variable: s.variable, Value: s.found(), Wrong: wrong, Legal: s.legal()})
			s.reset()
		}
	}
	inherit(settings, func(variable string) bool { return faults.about(variable) || os.Getenv(variable) == "" })
	faults = append(faults, contradictions(&cfg, faults)...)
	faults = append(faults, loadToken(&cfg)...)
	faults = append(faults, loadExplorerToken(&cfg, faults)...)
	faults = append(faults, misplacedTokens(cfg.Token, settings, faults)...)
	faults = append(faults, misplacedTokens(cfg.Explorer.Token, settings, faults)...)
	faults = append(faults, unknownVariables(os.Environ(), settings)...)
	return cfg, faults.without(cfg.Token).without(cfg.Explorer.Token)
}

// process lets envconfig fill a Config. Envconfig stops at the first value that it cannot read: this hides that
// variable and starts again, until what is left can be read. Each round hides one variable, so it ends.
func process(hidden hiddenVariables) (Config, map[string]Fault) {
	unreadable := map[string]Fault{}
	for {
		var cfg Config
		err := envconfig.Process(prefix, &cfg)
		if err == nil {
			return cfg, unreadable
		}
		var parse *envconfig.ParseError
		if !errors.As(err, &parse) || !hidden.hide(parse.KeyName) {
			panic("config: a default in the struct tags cannot be read: " + err.Error()) // a test loads the defaults
		}
		unreadable[parse.KeyName] = Fault{Variable: parse.KeyName, Value: quote(parse.Value), Wrong: parse.Err.Error()}
	}
}

// ownVariables returns the names in environ that start with our prefix, in any case of letters, and the alias of the
// token, in the order of environ.
func ownVariables(environ []string) []string {
	var names []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(strings.ToUpper(name), prefix+"_") || name == variableTokenAlias {
			names = append(names, name)
		}
	}
	return names
}

// ForeignVariables returns the variables of environ that are none of ours, for a program that is not to know them.
func ForeignVariables(environ []string) []string {
	own := ownVariables(environ)
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(own, name)
	})
}

// hiddenVariables are environment variables taken away for a while, with their values.
type hiddenVariables map[string]string

// hide takes a variable away; false when there is none of that name.
func (h hiddenVariables) hide(name string) bool {
	value, set := os.LookupEnv(name)
	if !set || os.Unsetenv(name) != nil {
		return false
	}
	h[name] = value
	return true
}

// restore puts all back.
func (h hiddenVariables) restore() {
	for name, value := range h {
		_ = os.Setenv(name, value) // it was there under this name and value a moment ago
	}
}
