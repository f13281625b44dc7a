package config

// Setting is one setting as `castellan config` and the documentation show it.
type Setting struct {
	Section  string // title of the group that it belongs to
	Variable string // name of the environment variable
	Kind     string // number, duration, yes/no, choice, list, text, command, URL, address, path or secret
	Value    string // value in force, a secret masked; "" when not set
	Default  string // value in force when the variable is not set; "" when there is none
	Legal    string // what the setting takes, in words
	Meaning  string // what it does
	Example  string // a value that makes sense; for a secret it is invented
	General  string // the variable whose value this one has while it is not set; "" when there is none
}

// Settings lists every setting of c in the order of the documentation.
func (c Config) Settings() []Setting {
	var list []Setting
	for _, s := range c.settings() {
		list = append(list, Setting{
			Section:  s.section,
			Variable: s.variable,
			Kind:     s.kind(),
			Value:    s.text(),
			Default:  s.tags.Get("default"),
			Legal:    s.legal(),
			Meaning:  s.tags.Get("desc"),
			Example:  s.tags.Get("example"),
			General:  s.general,
		})
	}
	return list
}
