package book

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"

	"castellan/engine/chess"
)

// Choice says how a move is chosen among those of a book.
type Choice uint8

// The ways to choose.
const (
	Weighted Choice = iota // at random, each move as often as its weight says
	Best                   // the heaviest; at random among equals
	Uniform                // at random, each move as often as any other
)

// Options says how Books chooses.
type Options struct {
	Choice Choice
	// Depth is the number of plies from the start of a game in which books are asked; 0 is no limit.
	Depth int
	// MinWeight is the least weight of a move that is played; 0 plays even the moves that their book says never to play.
	MinWeight int
	// Seed makes the choices the same in every run; 0 is another seed in each.
	Seed uint64
}

// Books is some books with a way to choose among their moves. It may be used by several goroutines at once.
type Books struct {
	books   []*Book
	options Options

	mu  sync.Mutex
	rng *rand.Rand
}

// OpenAll opens books. Those that come first are asked first. All files at fault are told at once.
func OpenAll(paths []string, o Options) (*Books, error) {
	var books []*Book
	var faults []error
	for _, path := range paths {
		b, err := Open(path)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		books = append(books, b)
	}
	all := NewBooks(books, o)
	if len(faults) > 0 {
		return nil, errors.Join(append(faults, all.Close())...)
	}
	return all, nil
}

// NewBooks is OpenAll for books that are open. They are closed by Close.
func NewBooks(books []*Book, o Options) *Books {
	seed := o.Seed
	if seed == 0 {
		seed = rand.Uint64()
	}
	return &Books{books: books, options: o, rng: rand.New(rand.NewPCG(seed, 0))}
}

// Close closes the books. A nil Books has none.
func (b *Books) Close() error {
	if b == nil {
		return nil
	}
	var faults []error
	for _, book := range b.books {
		faults = append(faults, book.Close())
	}
	return errors.Join(faults...)
}

// Choose returns a legal move for the current position from the first book that has one to play, or chess.NoMove when none has or
// the game is deeper than the books are to be used. A move that brings a position of the game about again is not played: the search is
// to find a better one, or that one if there is none.
//
// An error says that a file could not be read; a move out of another book may come with it.
func (b *Books) Choose(g *chess.Game) (chess.Move, error) {
	if b.options.Depth > 0 && g.Ply() >= b.options.Depth {
		return chess.NoMove, nil
	}
	var faults []error
	key := GameKey(g)
	for _, book := range b.books {
		moves, err := book.Moves(g.Position(), key)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		moves = slices.DeleteFunc(moves, func(m Move) bool {
			return m.Weight < b.options.MinWeight || g.OccurredAfter(m.Move) > 0
		})
		if len(moves) > 0 {
			return b.pick(moves), errors.Join(faults...)
		}
	}
	return chess.NoMove, errors.Join(faults...)
}

// pick chooses among at least one move, the heaviest first.
func (b *Books) pick(moves []Move) chess.Move {
	weight := func(Move) int { return 1 }
	switch b.options.Choice {
	case Best:
		equals := slices.IndexFunc(moves, func(m Move) bool { return m.Weight < moves[0].Weight })
		if equals > 0 {
			moves = moves[:equals]
		}
	case Weighted:
		if moves[0].Weight > 0 {
			weight = func(m Move) int { return m.Weight }
		}
	}
	total := 0
	for _, m := range moves {
		total += weight(m)
	}
	b.mu.Lock()
	n := b.rng.IntN(total)
	b.mu.Unlock()
	for _, m := range moves {
		if n -= weight(m); n < 0 {
			return m.Move
		}
	}
	return moves[0].Move // never reached: n was less than the total
}
