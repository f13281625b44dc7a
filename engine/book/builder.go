package book

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"castellan/engine/chess"
)

// Builder makes a book from games. It holds one row for each move of each position, about 45 bytes and 24 more while it writes,
// and nothing of the games.
type Builder struct {
	plies    int
	minGames int
	rows     map[row]tally
}

type row struct {
	key  uint64
	move uint16
}

type tally struct {
	games  uint32
	points uint32 // of the side that made the move: 2 for each win, 1 for each draw
}

// NewBuilder returns a builder that takes the first plies of each game, and keeps the moves that were played in at least
// minGames of them.
func NewBuilder(plies, minGames int) *Builder {
	return &Builder{plies: plies, minGames: minGames, rows: map[row]tally{}}
}

// Add takes a game that ended with result "1-0", "0-1" or "1/2-1/2". The position it starts from must be one of standard chess. A
// move that is played several times in the same position counts each time.
func (b *Builder) Add(g *chess.Game, result string) error {
	var points [2]uint32 // by Color
	switch result {
	case "1-0":
		points[chess.White] = 2
	case "0-1":
		points[chess.Black] = 2
	case "1/2-1/2":
		points = [2]uint32{1, 1}
	default:
		return fmt.Errorf("book: %q is no result of a game that was played to its end", result)
	}
	passed := chess.NoSquare
	for ply, m := range g.Moves() {
		if ply >= b.plies {
			break
		}
		p := g.PositionAt(ply)
		if ply == 0 {
			passed = p.EnPassant()
		}
		r := row{Key(&p, passed), packMove(m)}
		t := b.rows[r]
		t.games++
		t.points += points[p.SideToMove()]
		b.rows[r] = t
		passed = passedBy(&p, m)
	}
	return nil
}

// kept is a row that the book has.
type kept struct {
	row
	points uint32
}

// kept returns the rows that the book has, in the order of its file: by key, then the heaviest move first.
func (b *Builder) kept() []kept {
	has := func(t tally) bool { return int64(t.games) >= int64(b.minGames) && t.points > 0 }
	n := 0
	for _, t := range b.rows {
		if has(t) {
			n++
		}
	}
	rows := make([]kept, 0, n)
	for r, t := range b.rows {
		if has(t) {
			rows = append(rows, kept{r, t.points})
		}
	}
	slices.SortFunc(rows, func(x, y kept) int {
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(y.points, x.points), cmp.Compare(x.move, y.move))
	})
	return rows
}

// Write writes the book and returns the number of its entries; 0 is a book that nothing reads.
//
// A move's weight is its points. Where one is more than the 16 bits of the format can hold, all of the position are scaled down
// together, to 1 at least. A move without points lost every game and is left out.
func (b *Builder) Write(w io.Writer) (int, error) {
	out := bufio.NewWriter(w)
	rows := b.kept()
	var top uint32 // most points of the present key
	for i, r := range rows {
		if i == 0 || r.key != rows[i-1].key {
			top = r.points
		}
		weight := r.points
		if top > math.MaxUint16 {
			weight = max(1, uint32(uint64(weight)*math.MaxUint16/uint64(top)))
		}
		e := entry{r.key, r.move, uint16(weight)}
		if _, err := out.Write(e.appendTo(out.AvailableBuffer())); err != nil {
			return 0, err
		}
	}
	return len(rows), out.Flush()
}
