package tablebase

import (
	"errors"
	"fmt"

	"castellan/engine/chess"
)

// part is the positions of a table with one side to move and, with pawns, the leading pawn on one file.
type part struct {
	men    [MaxMen]chess.Piece // in the order in which they are numbered
	groups [MaxMen]group       // that the men fall into: the leading one, then men of one kind each
	used   int                 // groups that there are
	flags  uint8
	coding coding
	maps   [4]valueMap // DTZ: what stands for the values stored; see mapFor
}

// group is men that are numbered together. A position's number is the sum of the groups' numbers, each times its factor.
type group struct {
	men    int
	factor uint64
}

// form is what all parts of a table have in common.
type form struct {
	material  material
	count     int         // of men
	leader    chess.Piece // the pawn that comes first in the order; NoPiece without pawns
	other     chess.Piece // the pawn of the other side when both have some, else NoPiece
	unique    bool        // without pawns: there is a man other than a king that is alone of its kind and colour
	symmetric bool        // both sides have the same men
}

// newForm finds the form of a table's material. The pawns of the side that has fewer lead, White's when equal.
func newForm(m material) form {
	f := form{material: m, count: m.men(), symmetric: m == m.mirrored()}
	white, black := chess.NewPiece(chess.White, chess.Pawn), chess.NewPiece(chess.Black, chess.Pawn)
	switch w, b := m.of(white), m.of(black); {
	case w > 0 && (b == 0 || b >= w):
		f.leader = white
	case b > 0:
		f.leader = black
	}
	if m.of(white) > 0 && m.of(black) > 0 {
		f.other = white + black - f.leader
	}
	for kind := chess.Pawn; kind <= chess.Queen; kind++ {
		if m.of(chess.NewPiece(chess.White, kind)) == 1 || m.of(chess.NewPiece(chess.Black, kind)) == 1 {
			f.unique = true
		}
	}
	return f
}

// leading is how many men are in the group that comes first.
func (f *form) leading() int {
	switch {
	case f.leader != chess.NoPiece:
		return f.material.of(f.leader)
	case f.unique:
		return 3
	}
	return 2
}

// order is when the leading group and the other side's pawns come among the groups as their factors grow; the other groups fill
// the places between in the order of the men. Without pawns on both sides the second has no meaning.
type order struct{ leading, pawns int }

// arrange checks the order of the men that a file has for a part, and divides them into groups. file is that of the leading pawn.
func (p *part) arrange(f *form, o order, file int) error {
	if err := p.checkMen(f); err != nil {
		return err
	}
	p.groups[0].men, p.used = f.leading(), 1
	for i := f.leading(); i < f.count; i++ {
		if i > f.leading() && p.men[i] == p.men[i-1] {
			p.groups[p.used-1].men++
		} else {
			p.groups[p.used].men = 1
			p.used++
		}
	}
	next, free := 1, 64-p.groups[0].men
	if f.other != chess.NoPiece {
		next, free = 2, free-p.groups[1].men
	} else {
		o.pawns = -1
	}
	// Every group must get its turn: the last has number used-1.
	if o.leading >= p.used || o.pawns >= p.used || o.leading == o.pawns {
		return errors.New("its groups of men have an impossible order")
	}
	total := uint64(1)
	for turn := range p.used {
		var g *group
		var ways uint64
		switch turn {
		case o.leading:
			g, ways = &p.groups[0], p.waysToLead(f, file)
		case o.pawns:
			g = &p.groups[1]
			ways = choose[g.men][48-p.groups[0].men]
		default:
			g = &p.groups[next]
			ways = choose[g.men][free]
			free -= g.men
			next++
		}
		g.factor = total
		total *= ways
	}
	p.coding.count = total
	return nil
}

// checkMen tells what is wrong with the men: they must be those of the table, equal ones next to each other.
func (p *part) checkMen(f *form) error {
	var seen [16]int
	for i, man := range p.men[:f.count] {
		if man.Type() == chess.NoPieceType || man.Type() > chess.King {
			return errors.New("it has a man that there is not")
		}
		if seen[man]++; seen[man] > 1 && p.men[i-1] != man {
			return errors.New("its men of one kind are not together")
		}
	}
	for man, n := range seen {
		if n > 0 && n != f.material.of(chess.Piece(man)) {
			return fmt.Errorf("its men are not those of its name")
		}
	}
	switch lead := p.men[:f.leading()]; {
	case f.leader != chess.NoPiece:
		if lead[0] != f.leader || f.other != chess.NoPiece && p.men[len(lead)] != f.other {
			return errors.New("its pawns do not come first")
		}
	case f.unique:
		// The third must not be the first of several.
		if lead[0] == lead[1] || lead[1] == lead[2] || f.count > 3 && p.men[3] == lead[2] {
			return errors.New("its first three men are not three kinds")
		}
	default:
		if lead[0].Type() != chess.King || lead[1].Type() != chess.King {
			return errors.New("its kings do not come first")
		}
	}
	return nil
}

func (p *part) waysToLead(f *form, file int) uint64 {
	switch {
	case f.leader != chess.NoPiece:
		return leadPawnWays[p.groups[0].men][file]
	case f.unique:
		return threeMen
	}
	return twoKings
}
