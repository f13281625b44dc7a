package match

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"castellan/engine/chess"
)

// pgn returns the game as PGN. Round is written as the number of the opening and of the game from it, such as "12.2".
func (b *board) pgn(event, round string, names [2]string, started time.Time, end ending) ([]byte, error) {
	timeControl := "-"
	switch c := b.clocks.control; {
	case b.clocks.running():
		timeControl = c.Clock.String()
	case c.MoveTime > 0:
		timeControl = fmt.Sprintf("*%g", c.MoveTime.Seconds())
	}
	notes := append([]chess.Note(nil), b.notes...)
	last := &notes[len(notes)-1]
	if last.Comment != "" {
		last.Comment += ", "
	}
	last.Comment += end.words
	var out bytes.Buffer
	err := chess.WritePGN(&out, &chess.PGNGame{
		Tags: []chess.Tag{
			{Name: "Event", Value: event},
			{Name: "Date", Value: started.Format("2006.01.02")},
			{Name: "Round", Value: round},
			{Name: "White", Value: names[chess.White]},
			{Name: "Black", Value: names[chess.Black]},
			{Name: "GameStartTime", Value: started.Format(time.RFC3339)},
			{Name: "PlyCount", Value: strconv.Itoa(b.game.Ply())},
			{Name: "TimeControl", Value: timeControl},
			{Name: "Termination", Value: end.termination},
		},
		Game: b.game, Notes: notes, Result: end.outcome.Result(),
	})
	return out.Bytes(), err
}
