package sandbox

import (
	"bytes"
	"fmt"
	"mime"
	"net/url"
	"strconv"
	"strings"
	"time"

	"castellan/engine/chess"
	"castellan/lichess"
)

const (
	exportDelay = 3 // plies by which the export of a game in play lags
	exportFirst = 5 // plies that it shows in any case
)

// exportFlags say what an export holds.
type exportFlags struct {
	moves, clocks bool
}

// exportGame returns a game as PGN, or as JSON when that is asked for. It
// needs no token, and so shows a game in play with a delay.
func (s *Server) exportGame(c *call) (any, error) {
	id := c.path("id")
	g := s.games[id[:min(len(id), 8)]]
	if g == nil {
		return nil, notFound()
	}
	flags, err := readExportFlags(c.form)
	if err != nil {
		return nil, err
	}
	shown := g.shown()
	if wantsJSON(c.r.Header.Values("Accept")) {
		return s.exportJSON(g, shown, flags), nil
	}
	pgn, err := s.pgn(g, shown, flags)
	return &document{"application/x-chess-pgn", pgn}, err
}

func readExportFlags(form url.Values) (f exportFlags, err error) {
	for name, flag := range map[string]*bool{"moves": &f.moves, "clocks": &f.clocks} {
		if *flag, err = boolParam(form, name, true); err != nil {
			return f, err
		}
	}
	return f, nil
}

// wantsJSON reports whether the first type that is accepted is JSON.
func wantsJSON(accept []string) bool {
	first, _, _ := strings.Cut(strings.Join(accept, ","), ",")
	kind, _, _ := mime.ParseMediaType(first)
	return kind == "application/json"
}

// shown returns the game as far as the public may see it.
func (g *game) shown() *chess.Game {
	shown := g.chess.Clone()
	if !g.status.Over() {
		for shown.Ply() > max(g.chess.Ply()-exportDelay, exportFirst) {
			shown.Undo()
		}
	}
	return shown
}

// pgn writes the game with the tags that Lichess gives.
func (s *Server) pgn(g *game, shown *chess.Game, flags exportFlags) ([]byte, error) {
	out := chess.PGNGame{Tags: s.tags(g), Game: shown, Result: g.result()}
	if !flags.moves {
		out.Game = chess.NewGame(shown.Start(), shown.Rules())
	}
	if flags.clocks && flags.moves && g.clock != nil {
		out.Notes = make([]chess.Note, shown.Ply()+1)
		for i := range shown.Ply() {
			left := g.clock.history[i].Round(time.Second)
			out.Notes[i+1].Clock = &left
		}
	}
	var b bytes.Buffer
	err := chess.WritePGN(&b, &out)
	return b.Bytes(), err
}

func (s *Server) tags(g *game) []chess.Tag {
	white, black := g.players[chess.White], g.players[chess.Black]
	created := g.createdAt.UTC()
	mode := "casual"
	if g.rated {
		mode = "rated"
	}
	tags := []chess.Tag{
		{Name: "Event", Value: mode + " " + g.perf + " game"},
		{Name: "Site", Value: s.URL + "/" + g.id},
		{Name: "Date", Value: created.Format("2006.01.02")},
		{Name: "Round", Value: "-"},
		{Name: "White", Value: white.Name},
		{Name: "Black", Value: black.Name},
		{Name: "Result", Value: g.result()},
		{Name: "GameId", Value: g.id},
		{Name: "UTCDate", Value: created.Format("2006.01.02")},
		{Name: "UTCTime", Value: created.Format("15:04:05")},
		{Name: "WhiteElo", Value: strconv.Itoa(white.elo)},
		{Name: "BlackElo", Value: strconv.Itoa(black.elo)},
	}
	add := func(name, value string) { tags = append(tags, chess.Tag{Name: name, Value: value}) }
	if white.eloDiff != nil && black.eloDiff != nil {
		add("WhiteRatingDiff", fmt.Sprintf("%+d", *white.eloDiff))
		add("BlackRatingDiff", fmt.Sprintf("%+d", *black.eloDiff))
	}
	if white.Title != "" {
		add("WhiteTitle", white.Title)
	}
	if black.Title != "" {
		add("BlackTitle", black.Title)
	}
	add("Variant", g.variant.Name)
	add("TimeControl", g.timeControlTag())
	add("Termination", terminations[g.status])
	if g.fen != "" {
		add("FEN", g.fen)
		add("SetUp", "1")
	}
	return tags
}

func (g *game) timeControlTag() string {
	switch {
	case g.hasClock:
		seconds := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
		return seconds(g.limit) + "+" + seconds(g.increment)
	case g.days == 1:
		return "1 day per move"
	case g.days > 0:
		return fmt.Sprintf("%d days per move", g.days)
	}
	return "-"
}

// terminations holds the Termination tag for each status.
var terminations = map[lichess.Status]string{
	lichess.StatusStarted:                   "Unterminated",
	lichess.StatusAborted:                   "Abandoned",
	lichess.StatusMate:                      "Normal",
	lichess.StatusResign:                    "Normal",
	lichess.StatusStalemate:                 "Normal",
	lichess.StatusDraw:                      "Normal",
	lichess.StatusTimeout:                   "Time forfeit",
	lichess.StatusOutOfTime:                 "Time forfeit",
	lichess.StatusInsufficientMaterialClaim: "Insufficient material",
}

// exported is a game as JSON.
type exported struct {
	ID          string                    `json:"id"`
	Rated       bool                      `json:"rated"`
	Variant     lichess.VariantKey        `json:"variant"`
	Speed       lichess.Speed             `json:"speed"`
	Perf        string                    `json:"perf"`
	CreatedAt   int64                     `json:"createdAt"`  // ms since 1970
	LastMoveAt  int64                     `json:"lastMoveAt"` // ms since 1970
	Status      lichess.Status            `json:"status"`
	Source      string                    `json:"source"`
	Players     map[string]exportedPlayer `json:"players"`
	Winner      lichess.Color             `json:"winner,omitempty"`
	InitialFEN  string                    `json:"initialFen,omitempty"`
	Moves       *string                   `json:"moves,omitempty"` // SAN
	Clock       *exportedClock            `json:"clock,omitempty"`
	DaysPerTurn int                       `json:"daysPerTurn,omitempty"`
}

type exportedPlayer struct {
	User       exportedUser `json:"user"`
	Rating     int          `json:"rating"`
	RatingDiff *int         `json:"ratingDiff,omitempty"`
}

type exportedUser struct {
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
	ID    string `json:"id"`
}

// exportedClock is in seconds; TotalTime is that of a game of 40 moves.
type exportedClock struct {
	Initial   int `json:"initial"`
	Increment int `json:"increment"`
	TotalTime int `json:"totalTime"`
}

func (s *Server) exportJSON(g *game, shown *chess.Game, flags exportFlags) exported {
	out := exported{
		ID: g.id, Rated: g.rated, Variant: g.variant.Key, Speed: g.speed, Perf: g.perf,
		CreatedAt: g.createdAt.UnixMilli(), LastMoveAt: g.movedAt.UnixMilli(),
		Status: g.status, Source: g.source, Players: map[string]exportedPlayer{},
		InitialFEN: g.fen, DaysPerTurn: g.days,
	}
	for _, p := range g.players {
		out.Players[p.side.String()] = exportedPlayer{
			User:   exportedUser{Name: p.Name, Title: p.Title, ID: p.id},
			Rating: p.elo, RatingDiff: p.eloDiff,
		}
	}
	if g.winner != nil {
		out.Winner = wire(*g.winner)
	}
	if flags.moves {
		san := make([]string, 0, shown.Ply())
		for i, m := range shown.Moves() {
			before := shown.PositionAt(i)
			san = append(san, before.SAN(m))
		}
		moves := strings.Join(san, " ")
		out.Moves = &moves
	}
	if g.hasClock {
		limit, increment := int(g.limit.Seconds()), int(g.increment.Seconds())
		out.Clock = &exportedClock{limit, increment, limit + 40*increment}
	}
	return out
}
