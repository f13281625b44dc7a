package tablebase

import (
	"runtime/debug"

	"castellan/engine/chess"
)

// ProbeWDL returns the result of a position under best play. Its half-move clock is not counted in: a win is one within the
// 50-move rule when the last ply was a capture or pawn move. En passant is.
//
// ok is false when the tables do not tell: there are too many men, somebody may still castle, or a table is missing or
// damaged.
func (t *Tables) ProbeWDL(p *chess.Position) (w WDL, ok bool) {
	if !t.covers(p, t.MaxMen()) {
		return Draw, false
	}
	// A mapped file whose disk fails, or which is cut off while it is used, faults where it is read.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer t.catch(&ok)
	return t.resolve(p, Loss, Win)
}

// ProbeDTZ returns the distance in plies to the next capture or pawn move with which the winning side keeps what it has, or to
// mate, under best play: the winner makes it short, the loser long. It is positive when the side to move wins and negative
// when it loses, from 101 on either side when the 50-move rule makes that a draw, and 0 in a draw. A mated side has -1.
//
// Some tables count in moves: a distance of n can be n+1 in truth, though never in a table in which it would decide about the
// 50-move rule for a position whose half-move clock is zero. With another clock, n+clock of at most 99 is safe.
//
// ok is as for ProbeWDL, and false too when a DTZ table is missing.
func (t *Tables) ProbeDTZ(p *chess.Position) (plies int, ok bool) {
	if !t.covers(p, min(t.MaxMen(), t.Counts().DTZMen)) {
		return 0, false
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer t.catch(&ok)
	_, plies, ok = t.distance(p)
	return plies, ok
}

// covers tells whether a position can be in tables of so many men.
func (t *Tables) covers(p *chess.Position, men int) bool {
	return p.Occupied().Count() <= men && p.CastlingRooks(chess.White)|p.CastlingRooks(chess.Black) == 0
}

// catch is deferred: it ends a fault of the memory that a file is mapped to as a fault of the file.
func (t *Tables) catch(ok *bool) {
	fault := recover()
	if fault == nil {
		return
	}
	if at, is := fault.(interface{ Addr() uintptr }); is {
		for _, f := range t.files {
			if f.holds(at.Addr()) {
				f.damaged("it cannot be read to its end any more")
				*ok = false
				return
			}
		}
	}
	panic(fault)
}

// resolve is the result between alpha and beta, else a bound: what the WDL table says, unless a capture is better. The table
// may say anything that is not better than the best capture.
func (t *Tables) resolve(p *chess.Position, alpha, beta WDL) (WDL, bool) {
	best, captures := Loss, 0
	var list chess.MoveList
	var next chess.Position // in the loop it would be allocated, since the function calls itself
	listCaptures(p, &list)
	for _, m := range list.Slice() {
		if !p.IsCapture(m) {
			continue
		}
		next = p.Play(m)
		w, ok := t.resolve(&next, -beta, -max(alpha, best))
		if !ok {
			return Draw, false
		}
		if best = max(best, -w); best >= beta {
			return best, true
		}
		captures++
	}
	// The table knows no en passant: where that is all there is to play, it has the position as stalemate or mate.
	if p.EnPassant() != chess.NoSquare && captures == p.CountMoves() {
		return best, true
	}
	w, ok := t.stored(p)
	return max(w, best), ok
}

// listCaptures lists the legal captures, and maybe other moves.
func listCaptures(p *chess.Position, list *chess.MoveList) {
	const seventh = 0x00ff000000000000
	us := p.SideToMove()
	if p.Pieces(us, chess.Pawn)&(seventh>>(40*us)) != 0 {
		p.LegalMoves(list) // a capture may have to promote to less than a queen
		return
	}
	p.LegalCaptures(list)
}

// stored is what the WDL table says.
func (t *Tables) stored(p *chess.Position) (WDL, bool) {
	if p.Occupied().Count() == 2 {
		return Draw, true
	}
	files := t.find(p)
	if files.wdl == nil {
		return Draw, false
	}
	table := files.wdl.get()
	if table == nil {
		return Draw, false
	}
	w, ok := table.wdl(p, files.mirrored)
	if !ok {
		files.wdl.damaged("the value of a position cannot be read")
	}
	return w, ok
}

// distance is ProbeDTZ with the result.
func (t *Tables) distance(p *chess.Position) (w WDL, plies int, ok bool) {
	w, ok = t.resolve(p, Loss, Win)
	if !ok || w == Draw {
		return w, 0, ok
	}
	var list chess.MoveList
	p.LegalMoves(&list)
	if plies, ok = t.zeroing(p, &list, w); !ok || plies != 0 {
		return w, plies, ok
	}
	files := t.find(p)
	if files.dtz == nil {
		return w, 0, false
	}
	table := files.dtz.get()
	if table == nil {
		return w, 0, false
	}
	plies, present, ok := table.dtz(p, files.mirrored, w)
	if !ok {
		files.dtz.damaged("the value of a position cannot be read")
		return w, 0, false
	}
	if !present {
		plies, ok = t.distanceByMoves(p, &list, w)
		return w, plies, ok
	}
	if w == CursedWin || w == BlessedLoss {
		plies += 100
	}
	if w < Draw {
		plies = -plies
	}
	return w, plies, ok
}

// zeroing is the distance in positions for which the DTZ table may say anything: those won by a capture or pawn move now, and
// those in which there is nothing but these to play, en passant counted in. It is 0 in others.
func (t *Tables) zeroing(p *chess.Position, list *chess.MoveList, w WDL) (plies int, ok bool) {
	others := false
	for _, m := range list.Slice() {
		switch {
		case !isZeroing(p, m):
			others = true
		case w > Draw:
			next := p.Play(m)
			reply, ok := t.resolve(&next, Loss, Win)
			if !ok {
				return 0, false
			}
			if -reply == w {
				return w.beforeZeroing(), true
			}
		}
	}
	if w < Draw && !others && list.Len() > 0 {
		return w.beforeZeroing(), true
	}
	return 0, true
}

// distanceByMoves finds the distance by a search of one ply, for positions that the table has with the other side to move.
func (t *Tables) distanceByMoves(p *chess.Position, list *chess.MoveList, w WDL) (plies int, ok bool) {
	best, found := 0, false
	for _, m := range list.Slice() {
		plies, ok := t.after(p, m)
		if !ok {
			return 0, false
		}
		// The winner wants the least, and the loser, whose numbers are negative, too.
		if sameSign(plies, int(w)) && (!found || plies < best) {
			best, found = plies, true
		}
	}
	if !found {
		return -1, true // mate
	}
	return best, true
}

// after is the distance from a position when the move is played there, its own ply counted in.
func (t *Tables) after(p *chess.Position, m chess.Move) (plies int, ok bool) {
	next := p.Play(m)
	if isZeroing(p, m) {
		reply, ok := t.resolve(&next, Loss, Win)
		return (-reply).beforeZeroing(), ok
	}
	if !next.HasLegalMove() {
		if next.InCheck() {
			return 1, true
		}
		return 0, true
	}
	_, plies, ok = t.distance(&next)
	switch {
	case plies > 0:
		return -plies - 1, ok
	case plies < 0:
		return -plies + 1, ok
	}
	return 0, ok
}

func sameSign(a, b int) bool { return a > 0 && b > 0 || a < 0 && b < 0 }

// isZeroing tells whether a legal move is one of a pawn or a capture.
func isZeroing(p *chess.Position, m chess.Move) bool {
	return p.PieceOn(m.From()).Type() == chess.Pawn || p.IsCapture(m)
}
