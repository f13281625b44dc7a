package lichess

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxRaw bounds the copy of an unusable line, in bytes.
const maxRaw = 300

// DecodeEvent decodes a line of the event stream. It never fails: a line that
// it cannot use becomes *Unknown.
func DecodeEvent(line []byte) Event {
	typ, err := lineType(line)
	if err != nil {
		return unknown(typ, line, err)
	}
	var e Event
	switch typ {
	case TypeGameStart:
		v := &GameStart{}
		e, err = v, decodeInto(line, v, func() error { return v.Game.check() })
	case TypeGameFinish:
		v := &GameFinish{}
		e, err = v, decodeInto(line, v, func() error { return v.Game.check() })
	case TypeChallenge:
		v := &ChallengeEvent{}
		e, err = v, decodeInto(line, v, func() error { return v.Challenge.check() })
	case TypeChallengeCanceled:
		v := &ChallengeCanceledEvent{}
		e, err = v, decodeInto(line, v, func() error { return v.Challenge.check() })
	case TypeChallengeDeclined:
		v := &ChallengeDeclinedEvent{}
		e, err = v, decodeInto(line, v, func() error { return v.Challenge.check() })
	default:
		return unknown(typ, line, nil)
	}
	if err != nil {
		return unknown(typ, line, err)
	}
	return e
}

// DecodeGameEvent decodes a line of a game stream. It never fails: a line that
// it cannot use becomes *Unknown.
func DecodeGameEvent(line []byte) GameEvent {
	typ, err := lineType(line)
	if err != nil {
		return unknown(typ, line, err)
	}
	var e GameEvent
	switch typ {
	case TypeGameFull:
		v := &GameFull{}
		e, err = v, decodeInto(line, v, func() error { return v.check(line) })
	case TypeGameState:
		v := &GameState{}
		e, err = v, decodeInto(line, v, func() error {
			v.clean()
			return checkState(line)
		})
	case TypeChatLine:
		v := &ChatLine{}
		e, err = v, decodeInto(line, v, func() error {
			clean(maxName, &v.Username)
			clean(maxName, &v.Room)
			clean(maxText, &v.Text)
			return nil
		})
	case TypeOpponentGone:
		v := &OpponentGone{}
		e, err = v, decodeInto(line, v, func() error { return nil })
	default:
		return unknown(typ, line, nil)
	}
	if err != nil {
		return unknown(typ, line, err)
	}
	return e
}

func lineType(line []byte) (string, error) {
	var head struct {
		Type string `json:"type"`
	}
	err := json.Unmarshal(line, &head)
	if err == nil && CleanText(head.Type, 60) == "" {
		err = errors.New("the line has no type")
	}
	return head.Type, err
}

func unknown(typ string, line []byte, err error) *Unknown {
	return &Unknown{Type: CleanText(typ, 60), Raw: bytes.Clone(line[:min(len(line), maxRaw)]), Err: cleanError(err)}
}

// decodeInto decodes a line whose JSON is sound and then checks what the event
// cannot do without. A field of another type than expected is left at zero and
// forgiven, unless the check misses it: a game must not be lost over a rating
// that is written differently one day.
func decodeInto(line []byte, v any, check func() error) error {
	var mismatch *json.UnmarshalTypeError
	if err := json.Unmarshal(line, v); err != nil && !errors.As(err, &mismatch) {
		return err
	}
	return check()
}

func (g *GameInfo) check() error {
	g.Variant.clean()
	clean(maxName, &g.ID, &g.FullID, &g.LastMove, &g.Source, &g.Perf, &g.Opponent.ID, &g.Opponent.Username, &g.TournamentID)
	clean(maxName, &g.Color, &g.Winner)
	clean(maxName, &g.Speed)
	clean(maxFEN, &g.FEN)
	if g.Status != nil {
		clean(maxName, &g.Status.Name)
	}
	if g.GameID == "" {
		g.GameID = g.ID
	}
	if err := checkArg("game id", idForm, g.GameID); err != nil {
		return err
	}
	return nil
}

func (ch *Challenge) check() error {
	ch.Variant.clean()
	for _, user := range []*ChallengeUser{ch.Challenger, ch.DestUser} {
		if user != nil {
			clean(maxName, &user.ID, &user.Name, &user.Title, &user.Flair)
		}
	}
	clean(maxName, &ch.Status)
	clean(maxName, &ch.Speed)
	clean(maxName, &ch.Color, &ch.FinalColor)
	clean(maxName, &ch.TimeControl.Type)
	clean(maxName, &ch.TimeControl.Show, &ch.Perf.Name, &ch.RematchOf, &ch.Direction, &ch.DeclineReasonKey)
	clean(maxText, &ch.URL, &ch.DeclineReason)
	clean(maxFEN, &ch.InitialFEN)
	// Of a font of the server's own, where cleaning would take it for rubbish.
	if utf8.RuneCountInString(ch.Perf.Icon) > maxIcon || strings.ContainsFunc(ch.Perf.Icon, unicode.IsControl) {
		ch.Perf.Icon = ""
	}
	ch.Rules = ch.Rules[:min(len(ch.Rules), maxList)]
	for i := range ch.Rules {
		clean(maxName, &ch.Rules[i])
	}
	if len(ch.Open) > maxText {
		ch.Open = json.RawMessage("{}")
	}
	return checkArg("challenge id", idForm, ch.ID)
}

func (v *Variant) clean() {
	clean(maxName, &v.Key)
	clean(maxName, &v.Name, &v.Short)
}

func (p *GamePlayer) clean() { clean(maxName, &p.ID, &p.Name, &p.Title) }

// clean leaves the moves alone: whoever reads them takes legal ones only.
func (s *GameState) clean() {
	clean(maxName, &s.Status)
	clean(maxName, &s.Winner)
	clean(maxName, &s.Rematch)
}

func (g *GameFull) check(line []byte) error {
	g.Variant.clean()
	g.White.clean()
	g.Black.clean()
	g.State.clean()
	clean(maxName, &g.Speed)
	clean(maxName, &g.Perf.Name, &g.TournamentID)
	clean(maxFEN, &g.InitialFEN)
	var full struct {
		ID         string          `json:"id"`
		InitialFEN string          `json:"initialFen"`
		State      json.RawMessage `json:"state"`
	}
	if err := json.Unmarshal(line, &full); err != nil {
		return err
	}
	if err := checkArg("game id", idForm, full.ID); err != nil {
		return err
	}
	return checkState(full.State)
}

// checkState is strict about what decides who is to move and whether the game
// goes on: nothing may be guessed there.
func checkState(state []byte) error {
	var needed struct {
		Moves  *string `json:"moves"`
		Status *Status `json:"status"`
	}
	if err := json.Unmarshal(state, &needed); err != nil {
		return fmt.Errorf("the state of the game: %w", err)
	}
	if needed.Moves == nil || needed.Status == nil || *needed.Status == "" {
		return errors.New("the state of the game lacks moves or status")
	}
	return nil
}
