package config

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// unknownVariables finds variables of our prefix that are no setting: a misspelt one must not pass unnoticed. Their
// values are not shown, for one may be a token.
func unknownVariables(environ []string, settings []setting) []Fault {
	var names []string
	for _, s := range settings {
		names = append(names, s.variable)
	}
	var faults []Fault
	for _, name := range ownVariables(environ) {
		if name == variableTokenAlias || slices.Contains(names, name) || isServiceVariable(name) {
			continue
		}
		fault := Fault{Variable: cut(name), Wrong: "no such setting; `castellan config` lists all"}
		if near := nearest(name, names); near != "" {
			fault.Wrong = "no such setting; did you mean " + near + "?"
		}
		faults = append(faults, fault)
	}
	return faults
}

// serviceVariable is what Kubernetes puts into every container of a namespace for a Service, here one named castellan
// or castellan-something.
var serviceVariable = regexp.MustCompile(`^CASTELLAN_([A-Z0-9]+_)*(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

func isServiceVariable(name string) bool { return serviceVariable.MatchString(name) }

// cut makes a name fit for a message of one line: what cannot be printed is replaced, an overlong rest cut off.
func cut(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, name)
	if len(name) > maxQuoted {
		return strings.ToValidUTF8(name[:maxQuoted], "") + "..."
	}
	return name
}

// nearest returns the setting that is the fewest edits away from a misspelt one, or else has a word more or less; "" when none is near.
func nearest(misspelt string, names []string) string {
	misspelt = strings.ToUpper(misspelt)
	if len(misspelt) > 2*maxQuoted {
		return "" // the work grows with the length
	}
	if best := nearestWithin(misspelt, names, len("CASTELLAN")/2); best != "" { // beyond this it is another word
		return best
	}
	for _, name := range names {
		if oneWordMore(misspelt, name) || oneWordMore(name, misspelt) {
			return name
		}
	}
	return ""
}

// nearestWithin returns the name that is the fewest edits away from a misspelt one, "" when all are as many away as the bound or more.
func nearestWithin(misspelt string, names []string, bound int) (best string) {
	for _, name := range names {
		if edits := editDistance(misspelt, name); edits < bound {
			best, bound = name, edits
		}
	}
	return best
}

// oneWordMore tells whether long is short with one word put in.
func oneWordMore(short, long string) bool {
	words := strings.Split(long, "_")
	for i := range words {
		if strings.Join(slices.Concat(words[:i], words[i+1:]), "_") == short {
			return true
		}
	}
	return false
}

// editDistance is the Levenshtein distance: the least number of bytes put in, taken out or replaced that makes b of a.
func editDistance(a, b string) int {
	previous := make([]int, len(b)+1) // distances of the part of a so far to each beginning of b
	for j := range previous {
		previous[j] = j
	}
	for i := range len(a) {
		current := make([]int, len(b)+1)
		current[0] = i + 1
		for j := range len(b) {
			replace := previous[j]
			if a[i] != b[j] {
				replace++
			}
			current[j+1] = min(replace, previous[j+1]+1, current[j]+1)
		}
		previous = current
	}
	return previous[len(b)]
}
