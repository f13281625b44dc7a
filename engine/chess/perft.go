package chess

// Perft returns the number of move sequences of exactly depth plies, the field's measure for a move generator's truth and
// speed. The last ply is counted in bulk.
func Perft(p *Position, depth int) uint64 {
	switch {
	case depth <= 0:
		return 1
	case depth == 1:
		return uint64(p.CountMoves())
	}
	var list MoveList
	p.LegalMoves(&list)
	var n uint64
	for _, m := range list.Slice() {
		next := p.Play(m)
		if depth == 2 {
			n += uint64(next.CountMoves())
		} else {
			n += Perft(&next, depth-1)
		}
	}
	return n
}

// DivideEntry is a move and the number of move sequences that begin with it.
type DivideEntry struct {
	Move  Move
	Nodes uint64
}

// Divide is Perft split up by first move, in the order of generation.
func Divide(p *Position, depth int) []DivideEntry {
	if depth <= 0 {
		return nil
	}
	var list MoveList
	p.LegalMoves(&list)
	entries := make([]DivideEntry, 0, list.Len())
	for _, m := range list.Slice() {
		next := p.Play(m)
		entries = append(entries, DivideEntry{m, Perft(&next, depth-1)})
	}
	return entries
}
