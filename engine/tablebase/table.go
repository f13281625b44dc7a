package tablebase

import (
	"bytes"
	"encoding/binary"
	"errors"

	"castellan/engine/chess"
)

// kind is one of the two kinds of files.
type kind struct {
	name   string
	ending string
	magic  [4]byte
}

var (
	kindWDL = kind{"WDL", ".rtbw", [4]byte{0x71, 0xe8, 0x23, 0x5d}}
	kindDTZ = kind{"DTZ", ".rtbz", [4]byte{0xd7, 0x66, 0x0c, 0xa5}}
)

// The layout byte of a file.
const (
	layoutTwoSides = 1 << iota // the sides have different men, so positions with either to move differ
	layoutPawns
)

// Flags of a part of a DTZ file.
const (
	flagBlackToMove = 1 << iota
	flagMapped      // values stand for others
	flagWinPlies    // wins are counted in plies, not in moves
	flagLossPlies   // losses are
	flagWide        // maps have 16 bits for a value
)

// table is a file whose head has been read.
type table struct {
	form
	sides int        // to move, that it has parts for
	files int        // of the leading pawn, that it has parts for
	parts [2][4]part // by side to move, White the side named first, and file
}

// readTable reads the head of a file: everything but the values, of which it notes where they are. No value of a table that
// was read without error is outside of data.
func readTable(data []byte, k *kind, m material) (*table, error) {
	r := &cursor{data: data}
	if !bytes.Equal(r.take(4), k.magic[:]) {
		return nil, errors.New("it does not begin as a " + k.name + " table does")
	}
	t := &table{form: newForm(m), sides: 1, files: 1}
	if t.leader != chess.NoPiece {
		t.files = 4
	}
	if k == &kindWDL && !t.symmetric {
		t.sides = 2
	}
	layout := r.uint8()
	if (layout&layoutPawns != 0) != (t.leader != chess.NoPiece) || (layout&layoutTwoSides != 0) == t.symmetric {
		return nil, errors.New("its layout is not that of its name")
	}
	if err := t.readOrders(r); err != nil {
		return nil, err
	}
	for p := range t.all() {
		var err error
		if p.flags, err = p.coding.read(r, p.coding.count); err != nil {
			return nil, err
		}
	}
	if k == &kindDTZ {
		t.readMaps(r)
	}
	for p := range t.all() {
		p.coding.attachIndex(r)
	}
	for p := range t.all() {
		p.coding.attachLengths(r)
	}
	for p := range t.all() {
		p.coding.attachBlocks(r)
	}
	if r.take(checksum); r.short {
		return nil, errShort
	}
	return t, nil
}

// all goes through the parts in the order of the file.
func (t *table) all() func(yield func(*part) bool) {
	return func(yield func(*part) bool) {
		for file := range t.files {
			for side := range t.sides {
				if !yield(&t.parts[side][file]) {
					return
				}
			}
		}
	}
}

// readOrders reads, for each file, the orders of the groups and the men; the lower half of each byte is for White to move.
func (t *table) readOrders(r *cursor) error {
	for file := range t.files {
		leading, pawns := r.uint8(), uint8(0)
		if t.other != chess.NoPiece {
			pawns = r.uint8()
		}
		men := r.take(uint64(t.count))
		if r.short {
			return errShort
		}
		for side := range t.sides {
			p := &t.parts[side][file]
			half := 4 * side
			for i, b := range men {
				p.men[i] = chess.Piece(b >> half & 15)
			}
			o := order{leading: int(leading >> half & 15), pawns: int(pawns >> half & 15)}
			if err := p.arrange(&t.form, o, file); err != nil {
				return err
			}
		}
	}
	r.align(2)
	return nil
}

// valueMap is what the values stored in a DTZ part stand for.
type valueMap struct {
	values []byte
	wide   bool
}

// at returns what a value stands for; false when there is no such value.
func (m *valueMap) at(i int) (int, bool) {
	switch {
	case m.wide && 2*i+1 < len(m.values):
		return int(binary.LittleEndian.Uint16(m.values[2*i:])), true
	case !m.wide && i < len(m.values):
		return int(m.values[i]), true
	}
	return 0, false
}

// readMaps reads, for each file whose part has the flag, four maps of values: for wins, losses, cursed wins and blessed losses.
// Each begins with its length.
func (t *table) readMaps(r *cursor) {
	for file := range t.files {
		p := &t.parts[0][file]
		if p.flags&flagMapped == 0 {
			continue
		}
		wide := p.flags&flagWide != 0
		if wide {
			r.align(2)
		}
		for i := range p.maps {
			if wide {
				p.maps[i] = valueMap{r.take(2 * uint64(r.uint16())), true}
			} else {
				p.maps[i] = valueMap{r.take(uint64(r.uint8())), false}
			}
		}
	}
	r.align(2)
}

// mapFor returns the map for positions of a result that is no draw.
func (p *part) mapFor(w WDL) *valueMap {
	switch w {
	case Win:
		return &p.maps[0]
	case Loss:
		return &p.maps[1]
	case CursedWin:
		return &p.maps[2]
	}
	return &p.maps[3]
}

// look returns the part of the table that has a position, the view in which it has it, and whether it is there with the side
// that is to move. mirrored tells that the men are those of the table with colours changed.
func (t *table) look(p *chess.Position, mirrored bool) (at *part, v view, present bool) {
	side := p.SideToMove()
	if mirrored || t.symmetric && side == chess.Black {
		v = turned
	}
	side ^= v.colors
	file := 0
	if t.leader != chess.NoPiece {
		file = v.leadFile(p, t.leader)
	}
	if t.sides == 2 {
		return &t.parts[side&1][file], v, true
	}
	at = &t.parts[0][file]
	return at, v, t.symmetric && t.leader == chess.NoPiece || chess.Color(at.flags&flagBlackToMove) == side
}

// wdl returns the result that a WDL table has for a position with its men. False means that the file is damaged.
func (t *table) wdl(p *chess.Position, mirrored bool) (WDL, bool) {
	at, v, _ := t.look(p, mirrored)
	value, ok := at.coding.at(at.index(&t.form, p, v))
	return Loss + WDL(value), ok && value <= int(Win-Loss)
}

// dtz returns how far it is to the next capture or pawn move, at least 1 and in plies up to the rounding, in a position with the
// men of a DTZ table whose result is known and no draw. present is false when the table has the position with the other side to
// move only; ok is false when the file is damaged.
func (t *table) dtz(p *chess.Position, mirrored bool, w WDL) (plies int, present, ok bool) {
	at, v, present := t.look(p, mirrored)
	if !present {
		return 0, false, true
	}
	value, ok := at.coding.at(at.index(&t.form, p, v))
	if ok && at.flags&flagMapped != 0 {
		value, ok = at.mapFor(w).at(value)
	}
	inPlies := w == Win && at.flags&flagWinPlies != 0 || w == Loss && at.flags&flagLossPlies != 0
	if !inPlies {
		value *= 2
	}
	return value + 1, true, ok
}
