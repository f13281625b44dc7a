package config

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"text/template"
	"unicode"

	"github.com/kelseyhightower/envconfig"
)

// setting is one field of a Config with its variable.
type setting struct {
	section  string
	variable string
	general  string // the variable whose value this one has while it is not set; "" when there is none
	tags     reflect.StructTag
	value    reflect.Value // the field itself, settable
}

// variableNames makes envconfig write the names of a struct's variables, one a line.
var variableNames = template.Must(template.New("names").Parse("{{range .}}{{.Key}}\n{{end}}"))

// settings returns all settings of c in the order of the struct, under the names that envconfig gives them.
func (c *Config) settings() []setting {
	var names strings.Builder
	if err := envconfig.Usaget(prefix, c, &names, variableNames); err != nil {
		panic("config: " + err.Error()) // envconfig refuses what is no pointer to a struct, and nothing else
	}
	variables := strings.Fields(names.String())

	var all []setting
	config := reflect.ValueOf(c).Elem()
	for i := range config.NumField() {
		section, tags := config.Field(i), config.Type().Field(i).Tag
		for j := range section.NumField() {
			variable, general := variables[len(all)], ""
			if name := tags.Get("general"); name != "" {
				_, rest, _ := strings.Cut(variable, inVariables(config.Type().Field(i).Name))
				general = prefix + "_" + inVariables(name) + rest
			}
			all = append(all, setting{
				section:  tags.Get("title"),
				variable: variable,
				general:  general,
				tags:     section.Type().Field(j).Tag,
				value:    section.Field(j),
			})
		}
	}
	return all
}

// inVariables is the name of a section as it stands in the names of variables: AcceptBots is ACCEPT_BOTS.
func inVariables(section string) string {
	return strings.ToUpper(strings.Join(wordsOf(section), "_"))
}

// wordsOf cuts a name of Go before each of its capital letters.
func wordsOf(name string) (words []string) {
	for i, letter := range name {
		if i == 0 || unicode.IsUpper(letter) {
			words = append(words, "")
		}
		words[len(words)-1] += string(letter)
	}
	return words
}

// inherit gives the settings that are not set, and have a general one, the value of that. unset tells which are not set.
func inherit(settings []setting, unset func(variable string) bool) {
	values := map[string]reflect.Value{}
	for _, s := range settings {
		values[s.variable] = s.value
	}
	for _, s := range settings {
		if s.general != "" && unset(s.variable) {
			s.value.Set(values[s.general])
		}
	}
}

// text is the value as it is written in a variable, a secret masked.
func (s setting) text() string { return s.value.Interface().(fmt.Stringer).String() }

// reset puts the default in place of the value.
func (s setting) reset() {
	s.value.SetZero()
	if standard := s.tags.Get("default"); standard != "" {
		_ = s.value.Addr().Interface().(envconfig.Decoder).Decode(standard) // read well by every Load
	}
}

// check says what is wrong with a value that could be read, by the setting's tags; "" when nothing is. Words are
// rewritten as the tag legal spells them.
func (s setting) check() string {
	minimum, maximum, legal := s.tags.Get("min"), s.tags.Get("max"), s.tags.Get("legal")
	switch value := s.value.Addr().Interface().(type) {
	case *Int:
		return value.outside(minimum, maximum)
	case *Duration:
		return value.outside(minimum, maximum)
	case *Text:
		return value.unfit(maximum, legal)
	case *Command:
		return value.unfit(maximum)
	case *Choice:
		word, known := spelled(string(*value), legal)
		if !known {
			return "is not known"
		}
		*value = Choice(word)
	case *List:
		var words []string
		for _, item := range *value {
			word, known := spelled(item, legal)
			if !known {
				return fmt.Sprintf("%s is not known", quote(item))
			}
			words = append(words, word)
		}
		*value = unique(words)
	}
	return ""
}

// legal says in words what a setting takes.
func (s setting) legal() string {
	minimum, maximum, legal := s.tags.Get("min"), s.tags.Get("max"), strings.ReplaceAll(s.tags.Get("legal"), ",", ", ")
	switch s.value.Interface().(type) {
	case Int:
		return fmt.Sprintf("a whole number from %s to %s", minimum, maximum)
	case Duration:
		return fmt.Sprintf("from %s to %s", minimum, maximum)
	case Bool:
		return "yes or no"
	case Choice:
		return "one of " + legal
	case List:
		return "some of " + legal + ", separated by commas"
	case Names:
		return "account names separated by commas"
	case Hosts:
		return "host names without a port, separated by commas, or * for any"
	case Clocks:
		return clocksLegal
	case Arenas:
		return "ids of 8 letters and digits, or addresses that end in one, separated by commas"
	case Text:
		text := fmt.Sprintf("one line of at most %s characters, without links", maximum)
		if legal != "" {
			text += "; in braces " + legal
		}
		return text
	case Command:
		return fmt.Sprintf("a program and its arguments: one line of at most %s characters", maximum)
	case URL:
		return "https://host, or http:// and localhost or a loopback address"
	case Addr:
		return "HOST:PORT, or PORT for this machine alone; port 0 is a free one"
	case Path:
		return "path of a file"
	case Folder:
		return "path of a folder"
	case Paths:
		return "paths of files separated by commas"
	case Folders:
		return "paths of folders separated by commas"
	case Pairs:
		return "name=value pairs separated by commas"
	case Secret:
		if legal != "" {
			return legal
		}
	}
	return tokenLegal
}

// kind is the type of a setting in the words of the documentation.
func (s setting) kind() string {
	switch s.value.Interface().(type) {
	case Int:
		return "number"
	case Duration:
		return "duration"
	case Bool:
		return "yes/no"
	case Choice:
		return "choice"
	case List, Names, Hosts, Clocks, Arenas, Paths, Folders, Pairs:
		return "list"
	case Text:
		return "text"
	case Command:
		return "command"
	case URL:
		return "URL"
	case Addr:
		return "address"
	case Path:
		return "path"
	case Folder:
		return "folder"
	default:
		return "secret"
	}
}

// found is the value of a setting in the environment, fit for a message; "" for a secret.
func (s setting) found() string {
	if s.kind() == "secret" {
		return ""
	}
	value, _ := os.LookupEnv(s.variable)
	return quote(value)
}
