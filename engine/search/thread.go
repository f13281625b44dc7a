package search

import (
	"sync/atomic"

	"castellan/engine/chess"
)

// frame is a node on the way from the root to where the search is.
type frame struct {
	pos        chess.Position
	pickers    [2]picker // the second is for a search without the table's move
	move       chess.Move
	excluded   chess.Move
	follow     *continuation // for replies to move
	killers    [2]chess.Move
	checks     checkSquares
	learnt     correctionEntries // what corrects the static evaluation
	raw        int               // static evaluation as made, evalUnknown in check
	eval       int               // static evaluation corrected, none in check
	reversible int               // plies back that a repetition may lie
	pv         [MaxPly]chess.Move
	pvLen      int
}

// maxPast is how many positions before the root can matter for repetition.
const maxPast = 100

// Thread is everything that one search thread owns. It can be used for many
// searches, one after another, and learns from each.
type Thread struct {
	eval  Evaluator
	table *Table
	hist  history

	corrections  corrections
	noCorrection int16 // stands in where there is no last move

	stack [MaxPly + 2]frame
	keys  [maxPast + MaxPly + 2]uint64 // of the game's last positions and the tree's
	root  int                          // index of the root's key

	run       *run
	id        int // 0 is the main thread
	nodes     uint64
	pollAt    uint64
	stopped   bool
	selDepth  int
	rootDepth int
	nullBelow int // null moves are not tried at plies below this, during verification
	rootMoves []rootMove
	first     int // index of the first root move of the line being searched
	published atomic.Uint64

	tables        *Tablebases // nil when there are none to ask
	tableMen      int         // most men with which they are asked
	tableHits     uint64
	publishedHits atomic.Uint64
	working       chan struct{} // closed when a helper has left its last run
	fault         error         // of the last run
}

// NewThread makes a thread that scores with eval, which it alone must use,
// and shares table.
func NewThread(table *Table, eval Evaluator) *Thread {
	t := &Thread{eval: eval, table: table}
	t.Clear()
	return t
}

// Clear forgets what earlier searches taught.
func (t *Thread) Clear() {
	t.hist.clear()
	t.corrections = corrections{}
	for i := range t.stack {
		t.stack[i].killers = [2]chess.Move{}
		t.stack[i].follow = &t.hist.none
	}
}

// begin sets the thread up at the root of a run.
func (t *Thread) begin(r *run, id int) {
	t.run, t.id = r, id
	t.working, t.fault = nil, nil
	t.nodes, t.pollAt, t.stopped = 0, 0, false
	t.published.Store(0)
	t.use(&r.tables)
	t.selDepth, t.nullBelow, t.first = 0, 0, 0

	past := r.keys
	if len(past) > maxPast {
		past = past[len(past)-maxPast:]
	}
	t.root = copy(t.keys[:], past)
	t.keys[t.root] = r.pos.Key()
	for i := range t.stack {
		t.stack[i].killers = [2]chess.Move{}
		t.stack[i].excluded = chess.NoMove
		t.stack[i].follow = &t.hist.none
	}
	f := &t.stack[0]
	f.pos = r.pos
	f.reversible = min(t.root, f.pos.HalfmoveClock())
	f.learnt = t.correctionEntries(0)
	t.eval.Reset(&f.pos)
	t.listRootMoves()
}

// play makes a move at ply.
func (t *Thread) play(ply int, m chess.Move) {
	f, next := &t.stack[ply], &t.stack[ply+1]
	f.move = m
	f.follow = &t.hist.follow[pieceIndex(f.pos.PieceOn(m.From()))][m.To()]
	f.pos.PlayInto(&next.pos, m)
	next.learnt = t.correctionEntries(ply + 1)
	next.learnt.prefetch()
	next.reversible = min(f.reversible+1, next.pos.HalfmoveClock())
	t.keys[t.root+ply+1] = next.pos.Key()
	t.eval.Push(&f.pos, m, &next.pos)
	t.nodes++
}

// playNull passes at ply.
func (t *Thread) playNull(ply int) {
	f, next := &t.stack[ply], &t.stack[ply+1]
	f.move = chess.NoMove
	f.follow = &t.hist.none
	next.pos = f.pos.PlayNull()
	next.learnt = t.correctionEntries(ply + 1)
	next.reversible = 0
	t.keys[t.root+ply+1] = next.pos.Key()
	t.table.prefetch(next.pos.Key())
	t.eval.Push(&f.pos, chess.NoMove, &next.pos)
	t.nodes++
}

// take notes that the line through m is the best at ply.
func (f *frame) take(m chess.Move, next *frame) {
	f.pv[0] = m
	f.pvLen = 1 + copy(f.pv[1:], next.pv[:next.pvLen])
}

const pollEvery = 1024 // nodes, about a millisecond

// setPoll says when to poll next: under a limit of nodes when those granted
// are used up. What was not used before is given back.
func (t *Thread) setPoll() {
	if t.run.limits.Nodes == 0 {
		t.pollAt = t.nodes + pollEvery
		return
	}
	t.run.left.Add(int64(t.pollAt) - int64(t.nodes))
	t.pollAt = t.nodes + t.run.grant(t)
}

// poll is called every so many nodes and tells whether to stop.
func (t *Thread) poll() bool {
	t.published.Store(t.nodes)
	t.publishedHits.Store(t.tableHits)
	if !t.stopped {
		t.setPoll()
		t.stopped = t.run.mustStop(t)
	}
	return t.stopped
}

// hasOfficer tells whether the side to move has more than pawns and its king,
// below which zugzwang makes passing a poor test.
func hasOfficer(p *chess.Position) bool {
	us := p.SideToMove()
	return p.ByColor(us) != p.Pieces(us, chess.Pawn)|p.Pieces(us, chess.King)
}
