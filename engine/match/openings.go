package match

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"castellan/engine/chess"
)

// Opening is where a game begins: a position and moves that are played for the engines.
type Opening struct {
	Start chess.Position
	Moves []chess.Move
}

// Openings returns the n-th opening, counted from 0. It is called by several goroutines.
type Openings func(ctx context.Context, n int) (Opening, error)

// maxOpenings bounds the openings of a file.
const maxOpenings = 1 << 20

// ReadOpenings reads a file of openings: the games of a PGN file (.pgn), each up to a number of plies, or a position a line
// (any other name), in EPD or as a FEN; empty lines and those that begin with # are passed over. Any fault in the file is an
// error. The openings come in an order that the seed decides, since files are often sorted, and again from the first
// after the last.
func ReadOpenings(path string, plies int, seed uint64) (Openings, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("openings: %w", err)
	}
	defer file.Close()
	var list []Opening
	if strings.EqualFold(filepath.Ext(path), ".pgn") {
		list, err = readPGN(file, plies)
	} else {
		list, err = readPositions(file)
	}
	if err == nil && len(list) == 0 {
		err = errors.New("there is none in the file")
	}
	if err != nil {
		return nil, fmt.Errorf("openings: %s: %w", path, err)
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return func(_ context.Context, n int) (Opening, error) { return list[n%len(list)], nil }, nil
}

var errTooManyOpenings = fmt.Errorf("there are more than %d", maxOpenings)

func readPGN(r io.Reader, plies int) (list []Opening, err error) {
	for g, err := range chess.NewPGNReader(r).All() {
		if err != nil {
			return nil, err
		}
		moves := g.Game.Moves()
		o := Opening{Start: g.Game.Start(), Moves: append([]chess.Move(nil), moves[:min(plies, len(moves))]...)}
		if err := o.check(); err != nil {
			return nil, fmt.Errorf("game %d: %w", len(list)+1, err)
		}
		if list = append(list, o); len(list) > maxOpenings {
			return nil, errTooManyOpenings
		}
	}
	return list, nil
}

func readPositions(r io.Reader) (list []Opening, err error) {
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" || line[0] == '#' {
			continue
		}
		o, err := parsePosition(line)
		if err == nil {
			err = o.check()
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if list = append(list, o); len(list) > maxOpenings {
			return nil, errTooManyOpenings
		}
	}
	return list, lines.Err()
}

// parsePosition reads a FEN, whose fifth field is a number, or an EPD.
func parsePosition(line string) (Opening, error) {
	if fields := strings.Fields(line); len(fields) >= 5 && fields[4][0] >= '0' && fields[4][0] <= '9' {
		p, err := chess.ParseFEN(line)
		return Opening{Start: p}, err
	}
	e, err := chess.ParseEPD(line)
	return Opening{Start: e.Position}, err
}

// game returns the game after the opening's moves. Draws that a player may claim are claimed.
func (o Opening) game() (*chess.Game, error) {
	g := chess.NewGame(o.Start, chess.LichessBot)
	for _, m := range o.Moves {
		if err := g.Play(m); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// check returns an error when the opening leaves nothing to play for.
func (o Opening) check() error {
	g, err := o.game()
	if err == nil && g.Outcome().Over() {
		err = fmt.Errorf("the game is over after the opening: %v", g.Outcome())
	}
	return err
}

// isChess960 tells whether a castling right is one that only Chess960 knows.
func isChess960(p chess.Position) bool {
	for _, c := range []chess.Color{chess.White, chess.Black} {
		rooks := p.CastlingRooks(c)
		corners := chess.A1.Bit() | chess.H1.Bit()
		king := chess.E1
		if c == chess.Black {
			corners, king = chess.A8.Bit()|chess.H8.Bit(), chess.E8
		}
		if rooks&^corners != 0 || rooks != 0 && p.King(c) != king {
			return true
		}
	}
	return false
}
