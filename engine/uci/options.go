package uci

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"castellan/engine"
)

// option is a setting that a GUI may change.
type option struct {
	name string
	kind string // the rest of the option line: type, default and range
	set  func(s *session, value string) error
}

// optionList lists the settings; what is in force now is shown as default.
func (s *session) optionList() []option {
	o := s.settings
	overhead := max(0, o.MoveOverhead).Milliseconds()
	list := []option{
		{"Hash", spin(o.HashMB, 1, engine.MaxHashMB), func(s *session, v string) error {
			return s.changed(setInt(&s.settings.HashMB, v, 1, engine.MaxHashMB))
		}},
		{"Threads", spin(o.Threads, 1, engine.MaxThreads), func(s *session, v string) error {
			return s.changed(setInt(&s.settings.Threads, v, 1, engine.MaxThreads))
		}},
		{"Clear Hash", "type button", func(s *session, v string) error {
			s.newGame()
			return nil
		}},
		{"Ponder", "type check default false", func(s *session, v string) error {
			// The GUI says with each "go" whether to ponder.
			var ponder bool
			return setBool(&ponder, v)
		}},
		{"MultiPV", spin(1, 1, maxMultiPV), func(s *session, v string) error {
			return setInt(&s.multiPV, v, 1, maxMultiPV)
		}},
		{"Move Overhead", spin(int(overhead), 0, int(engine.MaxMoveOverhead.Milliseconds())), func(s *session, v string) error {
			var ms int
			err := setInt(&ms, v, 0, int(engine.MaxMoveOverhead.Milliseconds()))
			if err == nil {
				s.settings.MoveOverhead = time.Duration(ms) * time.Millisecond
				if ms == 0 {
					s.settings.MoveOverhead = -1
				}
			}
			return s.changed(err)
		}},
		{"UCI_LimitStrength", check(s.weaker), func(s *session, v string) error {
			err := setBool(&s.weaker, v)
			return s.setStrength(err)
		}},
		{"UCI_Elo", spin(s.elo, engine.MinElo, engine.MaxElo), func(s *session, v string) error {
			err := setInt(&s.elo, v, engine.MinElo, engine.MaxElo)
			return s.setStrength(err)
		}},
		{"UCI_ShowWDL", check(s.showWDL), func(s *session, v string) error {
			return setBool(&s.showWDL, v)
		}},
		{"UCI_Chess960", "type check default false", func(s *session, v string) error {
			return setBool(&s.chess960, v)
		}},
	}
	return append(list, s.tableOptions()...)
}

// maxMultiPV is the largest number of legal moves in any known position.
const maxMultiPV = 218

// defaultElo is the rating of UCI_Elo until the GUI sets one.
const defaultElo = 1600

// setStrength puts UCI_LimitStrength and UCI_Elo in force together.
func (s *session) setStrength(err error) error {
	s.settings.Elo = 0
	if s.weaker {
		s.settings.Elo = s.elo
	}
	return s.changed(err)
}

func check(value bool) string { return fmt.Sprintf("type check default %t", value) }

func spin(value, low, high int) string {
	return fmt.Sprintf("type spin default %d min %d max %d", value, low, high)
}

func setInt(to *int, text string, low, high int) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return fmt.Errorf("%q is not a number between %d and %d", text, low, high)
	}
	*to = n
	return nil
}

func setBool(to *bool, text string) error {
	switch strings.ToLower(text) {
	case "true":
		*to = true
	case "false":
		*to = false
	default:
		return fmt.Errorf("%q is neither true nor false", text)
	}
	return nil
}

// setOption obeys "setoption name <name> [value <value>]". Names are compared
// without regard to case.
func (s *session) setOption(args []string) error {
	name, value, err := parseSetOption(args)
	if err != nil {
		return err
	}
	for _, o := range s.optionList() {
		if strings.EqualFold(o.name, name) {
			if err := o.set(s, value); err != nil {
				return fmt.Errorf("option %s: %w", o.name, err)
			}
			return nil
		}
	}
	return fmt.Errorf("no option is called %q", name)
}
