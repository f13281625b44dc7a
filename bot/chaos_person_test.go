package bot_test

import (
	"bufio"
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"castellan/engine/chess"
	"castellan/lichess"
)

// chaosPerson plays one game by the Board API: any legal move, in his own time, with whatever else comes into his head.
type chaosPerson struct {
	http   *http.Client
	name   string
	rand   *rand.Rand
	game   string
	board  *chess.Game
	white  bool
	resign int // the ply from which he resigns
	leave  int // the ply from which he leaves without a word
}

// newChaosPerson returns a person for a game. Only one with a clock to lose ever leaves.
func newChaosPerson(client *http.Client, name string, r *rand.Rand, game string, timed bool) *chaosPerson {
	p := &chaosPerson{http: client, name: name, rand: r, game: game, resign: 20 + r.IntN(60), leave: 1000}
	if timed && r.IntN(8) == 0 {
		p.leave = 4 + r.IntN(20)
	}
	return p
}

// play plays until the game is over, he leaves, or ctx ends.
func (p *chaosPerson) play(ctx context.Context) {
	for ctx.Err() == nil && !p.watch(ctx) {
		chaosSleep(500*time.Millisecond, ctx.Done())
	}
}

// watch follows one connection of the stream and returns whether there is nothing left to do.
func (p *chaosPerson) watch(ctx context.Context) (done bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	resp, err := p.do(ctx, http.MethodGet, "/api/board/game/stream/"+p.game, nil)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var state *lichess.GameState
		switch e := lichess.DecodeGameEvent(lines.Bytes()).(type) {
		case *lichess.GameFull:
			start := chess.StartPosition()
			if e.InitialFEN != lichess.StartPosition {
				start, err = chess.ParseFEN(e.InitialFEN)
			}
			if err != nil {
				panic(err)
			}
			p.board, p.white = chess.NewGame(start, chess.LichessBot), e.White.Name == p.name
			state = &e.State
		case *lichess.GameState:
			state = e
		default:
			continue
		}
		if state.Status.Over() {
			return true
		}
		if !p.answer(ctx, state) {
			return ctx.Err() != nil || p.board.Ply() >= p.leave
		}
	}
	return false
}

// answer does what the person does in a position. It returns false when the stream is to be left.
func (p *chaosPerson) answer(ctx context.Context, state *lichess.GameState) bool {
	for p.board.Undo() {
	}
	for _, m := range state.MoveList() {
		if err := p.board.PlayUCI(m); err != nil {
			panic(err)
		}
	}
	if p.board.Position().SideToMove() == chess.White != p.white {
		return true
	}
	ply := p.board.Ply()
	if ply >= p.leave {
		return false
	}
	if !chaosSleep(time.Duration(p.rand.ExpFloat64()*float64(700*time.Millisecond)), ctx.Done()) {
		return false
	}
	var legal chess.MoveList
	p.board.Position().LegalMoves(&legal)
	moves := legal.Slice()
	switch n := p.rand.IntN(60); {
	case len(moves) == 0:
		return true
	case ply >= p.resign:
		return p.post(ctx, "resign", nil)
	case n == 0 && ply > 2:
		p.post(ctx, "draw/yes", nil)
	case n == 1 && ply > 2:
		p.post(ctx, "takeback/yes", nil)
	case n == 2:
		p.post(ctx, "chat", url.Values{"room": {"player"}, "text": {"what a network"}})
	}
	return p.post(ctx, "move/"+moves[p.rand.IntN(len(moves))].String(), nil)
}

// post returns false when there was no answer. What the answer says the stream tells too.
func (p *chaosPerson) post(ctx context.Context, what string, form url.Values) bool {
	resp, err := p.do(ctx, http.MethodPost, "/api/board/game/"+p.game+"/"+what, form)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return true
}

func (p *chaosPerson) do(ctx context.Context, method, path string, form url.Values) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "https://"+chaosHost+path, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+chaosToken(p.name))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return p.http.Do(r)
}
