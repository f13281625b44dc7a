package match

import (
	"context"
	"errors"

	"castellan/engine/uciclient"
)

// Player is an engine that takes part in a match.
type Player struct {
	Name    string // "" for what the engine calls itself
	Command uciclient.Command
	Options []Setting
}

// Setting is a UCI option and its value, "" for a button.
type Setting struct{ Name, Value string }

// Faults counts what an engine did wrong. Each cost it a game, but for crashes between games.
type Faults struct {
	Crashes      int // the process ended by itself, or did not get ready
	TimeLosses   int // hangs included
	IllegalMoves int
}

func (f *Faults) add(g Faults) {
	f.Crashes += g.Crashes
	f.TimeLosses += g.TimeLosses
	f.IllegalMoves += g.IllegalMoves
}

// seat is a player's engine at one board. It is started when needed.
type seat struct {
	player   Player
	engine   *uciclient.Engine
	chess960 bool // as the engine was told
}

// prepare makes the engine ready for a game. An engine that has died since its last game is started anew; crashed tells so. An
// error means that the engine cannot play at all.
func (s *seat) prepare(ctx context.Context, chess960 bool) (crashed bool, err error) {
	if s.engine != nil {
		err := s.greet(ctx, chess960)
		if err == nil || ctx.Err() != nil || !isCrash(err) {
			return false, err
		}
		s.dismiss()
		crashed = true
	}
	s.chess960 = false
	if s.engine, err = uciclient.Start(ctx, s.player.Command); err != nil {
		return crashed, err
	}
	for _, o := range s.player.Options {
		if err := s.engine.SetOption(o.Name, o.Value); err != nil {
			return crashed, err
		}
	}
	return crashed, s.greet(ctx, chess960)
}

func (s *seat) greet(ctx context.Context, chess960 bool) error {
	if s.chess960 != chess960 {
		value := "false"
		if chess960 {
			value = "true"
		}
		if err := s.engine.SetOption("UCI_Chess960", value); err != nil {
			return err
		}
		s.chess960 = chess960
	}
	return s.engine.NewGame(ctx)
}

// dismiss ends the engine; prepare starts another.
func (s *seat) dismiss() {
	if s.engine != nil {
		s.engine.Close()
		s.engine = nil
	}
}

func isCrash(err error) bool {
	return errors.Is(err, uciclient.ErrExited) || errors.Is(err, uciclient.ErrNoAnswer)
}
