package search

// drawn tells whether the node at ply, not the root, is a draw by the 50-move
// rule (mate on the last of them excepted), dead material, or repetition: a
// second occurrence within the tree, since what was good once is good again,
// or a third counting those of the game.
func (t *Thread) drawn(ply int) bool {
	f := &t.stack[ply]
	if f.pos.HalfmoveClock() >= 100 && (!f.pos.InCheck() || f.pos.HasLegalMove()) {
		return true
	}
	return t.repeated(ply) || f.pos.Occupied().Count() <= 4 && f.pos.IsDeadMaterial()
}

func (t *Thread) repeated(ply int) bool {
	at := t.root + ply
	first := at - t.stack[ply].reversible
	key := t.keys[at]
	seen := false
	for i := at - 4; i >= first; i -= 2 {
		if t.keys[i] != key {
			continue
		}
		if i > t.root || seen {
			return true
		}
		seen = true
	}
	return false
}
