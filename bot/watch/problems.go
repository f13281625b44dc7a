package watch

import (
	"context"
	"log/slog"
	"strings"

	"castellan/lichess"
)

// problemText bounds the text of a problem, in characters.
const problemText = 400

// Problems returns a handler that passes everything on to the next one and keeps warnings and errors in the state. count, when
// not nil, is told the level of each of them.
func (s *State) Problems(next slog.Handler, count func(slog.Level)) slog.Handler {
	return &problems{state: s, next: next, count: count}
}

type problems struct {
	state  *State
	next   slog.Handler
	count  func(slog.Level)
	prefix string // attributes given before, in words
	group  string // of the attributes to come, with a point at its end
}

// Enabled takes warnings and errors whatever the next handler wants.
func (p *problems) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn || p.next.Enabled(ctx, level)
}

// Handle keeps the record and passes it on.
func (p *problems) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		var words strings.Builder
		words.WriteString(r.Message)
		words.WriteString(p.prefix)
		r.Attrs(func(a slog.Attr) bool {
			words.WriteString(p.words(a))
			return true
		})
		p.state.addProblem(Problem{At: r.Time, Error: r.Level >= slog.LevelError, Text: lichess.CleanText(words.String(), problemText)})
		if p.count != nil {
			p.count(r.Level)
		}
	}
	if !p.next.Enabled(ctx, r.Level) {
		return nil
	}
	return p.next.Handle(ctx, r)
}

func (p *problems) words(a slog.Attr) string {
	if a.Equal(slog.Attr{}) {
		return ""
	}
	return " " + p.group + a.Key + "=" + a.Value.Resolve().String()
}

// WithAttrs returns a handler with these attributes.
func (p *problems) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *p
	with.next = p.next.WithAttrs(attrs)
	for _, a := range attrs {
		with.prefix += p.words(a)
	}
	return &with
}

// WithGroup returns a handler that puts the attributes to come into a group.
func (p *problems) WithGroup(name string) slog.Handler {
	with := *p
	with.next = p.next.WithGroup(name)
	with.group += name + "."
	return &with
}

func (s *State) addProblem(p Problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.Problems = keep(s.now.Problems, problemsKept, p)
	s.tell()
}
