package archive

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"castellan/bot/watch"
	"castellan/engine/chess"
	"castellan/engine/search"
	"castellan/lichess"
)

// clockUnit is the precision of the clocks: finer than the whole seconds of Lichess's own files, and read by everybody.
const clockUnit = 100 * time.Millisecond

// toPGN returns the game as far as it has come; rated may be nil. The headers are Lichess's (https://lichess.org/api, GamePgn),
// without ECO and Opening, which need its list of openings.
func toPGN(g *watch.Game, rated *watch.Rated) *chess.PGNGame {
	result := "*"
	switch g.Outcome() {
	case watch.Draw:
		result = "1/2-1/2"
	case watch.Win, watch.Loss:
		result = chess.Resigned(chess.White).Result()
		if g.State.Winner == lichess.ColorWhite {
			result = chess.Resigned(chess.Black).Result()
		}
	}
	created := time.UnixMilli(g.Full.CreatedAt).UTC()
	white, black := g.Player(chess.White), g.Player(chess.Black)
	tags := []chess.Tag{
		{Name: "Event", Value: event(g)},
		{Name: "Site", Value: g.URL},
		{Name: "Date", Value: created.Format("2006.01.02")},
		{Name: "Round", Value: "-"},
		{Name: "White", Value: watch.PlayerName(white)},
		{Name: "Black", Value: watch.PlayerName(black)},
		{Name: "Result", Value: result},
		{Name: "GameId", Value: g.ID},
		{Name: "UTCDate", Value: created.Format("2006.01.02")},
		{Name: "UTCTime", Value: created.Format("15:04:05")},
		{Name: "WhiteElo", Value: elo(white)},
		{Name: "BlackElo", Value: elo(black)},
	}
	add := func(name, value string) {
		if value != "" {
			tags = append(tags, chess.Tag{Name: name, Value: value})
		}
	}
	if rated != nil {
		diff := [2]int{chess.White: rated.Ours, chess.Black: rated.Theirs}
		if g.Us == chess.Black {
			diff = [2]int{chess.White: rated.Theirs, chess.Black: rated.Ours}
		}
		add("WhiteRatingDiff", fmt.Sprintf("%+d", diff[chess.White]))
		add("BlackRatingDiff", fmt.Sprintf("%+d", diff[chess.Black]))
	}
	add("WhiteTitle", lichess.CleanText(white.Title, 10))
	add("BlackTitle", lichess.CleanText(black.Title, 10))
	variant, _ := lichess.VariantByKey(g.Variant())
	add("Variant", variant.Name)
	add("TimeControl", timeControl(g.Full))
	add("Termination", termination(g.State.Status))
	return &chess.PGNGame{Tags: tags, Game: g.Board, Notes: pgnNotes(g), Result: result}
}

func event(g *watch.Game) string {
	mode := "casual"
	if g.Full.Rated {
		mode = "rated"
	}
	kind := string(g.Full.Speed)
	if v := g.Variant(); v != lichess.VariantStandard && v != lichess.VariantFromPosition {
		kind = string(v)
	}
	if g.Full.TournamentID != "" {
		server := strings.TrimSuffix(g.URL, "/"+g.ID)
		return fmt.Sprintf("%s %s tournament %s/tournament/%s", mode, kind, server, lichess.CleanText(g.Full.TournamentID, 20))
	}
	return fmt.Sprintf("%s %s game", mode, kind)
}

func elo(p *lichess.GamePlayer) string {
	if p.Rating == 0 {
		return "?"
	}
	return strconv.Itoa(p.Rating)
}

// timeControl is the clock as PGN has it, in seconds, or in Lichess's words.
func timeControl(full *lichess.GameFull) string {
	switch c := full.Clock; {
	case c != nil:
		seconds := func(m lichess.Millis) string { return strconv.FormatFloat(m.Duration().Seconds(), 'f', -1, 64) }
		return seconds(c.Initial) + "+" + seconds(c.Increment)
	case full.DaysPerTurn == 1:
		return "1 day per move"
	case full.DaysPerTurn > 1:
		return fmt.Sprintf("%d days per move", full.DaysPerTurn)
	}
	return "-"
}

// termination is how Lichess writes the end of a game in PGN.
func termination(s lichess.Status) string {
	switch s {
	case lichess.StatusCreated, lichess.StatusStarted:
		return "Unterminated"
	case lichess.StatusAborted, lichess.StatusNoStart:
		return "Abandoned"
	case lichess.StatusTimeout, lichess.StatusOutOfTime:
		return "Time forfeit"
	case lichess.StatusInsufficientMaterialClaim:
		return "Insufficient material"
	case lichess.StatusCheat:
		return "Rules infraction"
	case lichess.StatusUnknownFinish:
		return "Unknown"
	}
	return "Normal"
}

// pgnNotes puts clocks and scores where PGN has them: a score of ours stands at the move that it was the reason for.
func pgnNotes(g *watch.Game) []chess.Note {
	notes := make([]chess.Note, len(g.Notes))
	for ply, n := range g.Notes {
		if n.Clock != nil {
			clock := n.Clock.Round(clockUnit)
			notes[ply].Clock = &clock
		}
		if t := n.Thought; t != nil && t.Depth > 0 {
			notes[ply].Eval = eval(t.Score, t.Depth, g.Us)
		}
	}
	return notes
}

// eval turns a score of the side given into one of White's.
func eval(score search.Score, depth int, side chess.Color) *chess.Eval {
	e := &chess.Eval{Value: score.Centipawns(), Depth: depth}
	if moves, mate := score.Mate(); mate {
		e.Mate, e.Value = true, moves
	}
	if side == chess.Black {
		e.Value = -e.Value
	}
	return e
}

// complete puts notes of an earlier run where this one has none, or has a clock in whole seconds where that one has seen it finer, as far
// as the moves are the same.
func complete(game, earlier *chess.PGNGame) {
	if earlier == nil {
		return
	}
	start, before := game.Game.Start(), earlier.Game.Start()
	if start.Key() != before.Key() {
		return
	}
	then := earlier.Game.Moves()
	for i, m := range game.Game.Moves() {
		if i >= len(then) || then[i] != m {
			return
		}
		note, old := &game.Notes[i+1], earlier.NoteAt(i+1)
		if note.Clock == nil || old.Clock != nil && *note.Clock%time.Second == 0 && (*note.Clock-*old.Clock).Abs() < time.Second {
			note.Clock = old.Clock
		}
		if note.Eval == nil {
			note.Eval = old.Eval
		}
	}
}
