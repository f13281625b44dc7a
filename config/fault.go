package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Fault is one thing that is wrong with the environment.
type Fault struct {
	Variable string // name of the environment variable
	Value    string // what was found there, quoted; empty when it is secret, may be, or does not matter
	Wrong    string // what is wrong with it
	Legal    string // what would be right; may be empty
}

// String is the fault in one line: variable, value, what is wrong, what is legal.
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.Variable)
	if f.Value != "" {
		b.WriteString("=" + f.Value)
	}
	b.WriteString(": " + f.Wrong)
	if f.Legal != "" {
		b.WriteString("; legal: " + f.Legal)
	}
	return b.String()
}

// Faults is everything that is wrong with the environment, as an error.
type Faults []Fault

// Error is one line for one fault, and a list under a heading for more.
func (f Faults) Error() string {
	if len(f) == 1 {
		return f[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d settings are wrong:", len(f))
	for _, fault := range f {
		b.WriteString("\n  " + fault.String())
	}
	return b.String()
}

// orNil is f as an error, nil when there is no fault.
func (f Faults) orNil() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

// about reports whether a fault names one of the variables.
func (f Faults) about(variables ...string) bool {
	return slices.ContainsFunc(f, func(fault Fault) bool { return slices.Contains(variables, fault.Variable) })
}

// without takes out what holds the token, which may have been pasted into another variable as well.
func (f Faults) without(token Secret) Faults {
	for i := range f {
		if token.heldIn(f[i].Value + f[i].Wrong) {
			f[i].Value, f[i].Wrong = "", "holds a token"
		}
	}
	return f
}

// maxQuoted is the longest part of a value, in bytes, that a message repeats.
const maxQuoted = 60

// quote makes a value fit for a message of one line: control characters escaped, the rest of a long value cut off.
// It leaves out what looks like a token.
func quote(value string) string {
	if looksLikeToken(value) {
		return ""
	}
	if len(value) > maxQuoted {
		return strconv.Quote(value[:maxQuoted]) + "..."
	}
	return strconv.Quote(value)
}
