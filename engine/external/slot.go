package external

import (
	"fmt"

	"castellan/engine/uciclient"
)

// slot is the place of one process. Who has the turn uses it and may end it.
type slot struct {
	engine *Engine
	turn   chan struct{} // has a token when nobody uses the process

	// What follows belongs to who has the turn.
	client   *uciclient.Engine // nil when none runs
	chess960 bool              // as it was told
	greeted  *seat             // whose game it was told last that begins
}

func newSlot(e *Engine) *slot {
	l := &slot{engine: e, turn: make(chan struct{}, 1)}
	l.turn <- struct{}{}
	return l
}

// prepare sees to it that there is a process that knows what kind of game comes. A process that has ended since it was used last is
// told by died, and there is another in its place.
func (l *slot) prepare(s *seat, chess960 bool) (died, err error) {
	if l.client != nil && hasExited(l.client) {
		died = fmt.Errorf("engine %q: %w between two moves", l.engine.name, uciclient.ErrExited)
		l.dismiss()
	}
	if l.client == nil {
		if l.client, err = l.engine.start(); err != nil {
			return died, err
		}
		l.chess960, l.greeted = false, nil
	}
	if l.chess960 != chess960 {
		if err := l.client.SetOption(optionChess960, fmt.Sprint(chess960)); err != nil {
			return died, err
		}
		l.chess960 = chess960
	}
	if l.greeted == s {
		return died, nil
	}
	// In a process for all, the word that a game begins would wipe out what is remembered of the others.
	if l.greeted == nil || l.engine.alone() {
		if err := l.client.NewGame(l.engine.closing); err != nil {
			return died, err
		}
	}
	l.greeted = s
	return died, nil
}

// dismiss ends the process and waits for its end.
func (l *slot) dismiss() {
	if l.client != nil {
		l.client.Close()
		l.client = nil
	}
}
