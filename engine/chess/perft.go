package chess

// Perft returns the number of move sequences of exactly depth plies, the field's measure for a move generator's truth and
// speed. The last ply is counted in bulk.
func Perft(p *Position, depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	var ply perftPly
	return ply.count(p, depth)
}

// perftPly is the working space of one ply, used again for every node on it.
type perftPly struct {
	list   MoveList
	next   Position
	deeper *perftPly
}

func (ply *perftPly) count(p *Position, depth int) (nodes uint64) {
	if depth == 1 {
		return uint64(p.CountMoves())
	}
	if ply.deeper == nil {
		ply.deeper = new(perftPly)
	}
	p.LegalMoves(&ply.list)
	for _, m := range ply.list.Slice() {
		ply.next = *p
		ply.next.play(m)
		nodes += ply.deeper.count(&ply.next, depth-1)
	}
	return nodes
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
