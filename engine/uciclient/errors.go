package uciclient

import (
	"errors"
	"fmt"
)

// What an engine may have done wrong; look for them with errors.Is. After either the engine is dead and must be closed.
var (
	// ErrExited says that the process has ended by itself.
	ErrExited = errors.New("the process has ended")
	// ErrNoAnswer says that the process was killed because it did not answer in time.
	ErrNoAnswer = errors.New("no answer in time")
)

// Error says which engine did what wrong. It wraps ErrExited, ErrNoAnswer or what the operating system said.
type Error struct {
	Engine string // its name, or its path as long as it has not told one
	During string // what it was asked to do
	Err    error
	Stderr string // the end of what it wrote there, as far as known
}

func (e *Error) Error() string {
	s := fmt.Sprintf("engine %q: %s: %v", e.Engine, e.During, e.Err)
	if e.Stderr != "" {
		s += fmt.Sprintf("; its standard error ends with %q", e.Stderr)
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// OptionError says why an option cannot be set so; the engine was not asked.
type OptionError struct {
	Engine, Option, Reason string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("engine %q: option %q %s", e.Engine, e.Option, e.Reason)
}
