package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync/atomic"
	"time"

	"castellan/engine/chess"
)

// Job is a position to think about.
type Job struct {
	Position chess.Position
	Past     []uint64 // keys of the game's positions before this one, oldest first
	Limits   Limits
	Policy   Policy
	Tables   Tablebases
	Started  time.Time // when the clock began to run; zero is now
}

// Gate shares the processors between searches. Enter waits for a place and
// tells whether there was one before ctx ended; Yield gives the place to
// another search that waits, if one does, and waits to get it back; Leave
// gives it up. A helper is a thread without which the search works too.
type Gate interface {
	Enter(ctx context.Context, helper bool) bool
	Yield(ctx context.Context, helper bool) bool
	Leave()
}

// ErrNoMoves is returned for a position without a legal move to search.
var ErrNoMoves = errors.New("search: no legal move in this position")

// run is what the threads of one search share.
type run struct {
	pos     chess.Position
	keys    []uint64
	limits  *Limits
	tables  Tablebases
	budget  Budget
	gate    Gate
	threads []*Thread

	ctx     context.Context
	started time.Time
	stop    atomic.Bool
	clock   atomic.Int64 // when the clock began, after started; negative while pondering
	left    atomic.Int64 // nodes of the limit that no thread has been granted
	depth   int          // finished by the main thread
}

// Run searches with the given threads, at least one, until a limit is reached
// or ctx ends, which is no error. The threads, all of one table, are used by
// this search alone until Run returns. A gate of nil lets all of them run.
//
// A panic in a thread is returned as an error beside a legal move.
func Run(ctx context.Context, threads []*Thread, job Job, gate Gate) (Result, error) {
	now := time.Now()
	if job.Started.IsZero() {
		job.Started = now
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &run{
		pos:     job.Position,
		keys:    job.Past,
		limits:  &job.Limits,
		tables:  job.Tables,
		budget:  NewBudget(&job.Limits, job.Position.SideToMove(), job.Policy),
		gate:    gate,
		threads: threads,
		ctx:     ctx,
		started: job.Started,
	}
	if job.Limits.PonderHit != nil {
		r.clock.Store(-1)
	}
	r.left.Store(int64(min(job.Limits.Nodes, math.MaxInt64)))
	threads[0].table.newSearch()
	for i, t := range threads {
		t.begin(r, i)
	}
	main := threads[0]
	if len(main.rootMoves) == 0 {
		return Result{}, ErrNoMoves
	}
	fallback := main.rootMoves[0].move

	if r.budget.Hard > 0 || r.limits.PonderHit != nil {
		go r.keepTime(cancel)
	}
	for _, t := range threads[1:] {
		t.working = make(chan struct{})
		go func() {
			defer close(t.working)
			t.fault = t.work()
		}()
	}
	main.fault = main.work()
	r.stop.Store(true)
	cancel()

	fault := main.fault
	for _, t := range threads[1:] {
		select {
		case <-t.working:
			fault = errors.Join(fault, t.fault)
		default:
		}
	}
	if err := fault; err != nil {
		return Result{Move: fallback, Time: time.Since(r.started), Nodes: r.nodes()}, err
	}
	best := &main.rootMoves[0]
	res := Result{
		Move:     best.move,
		Depth:    r.depth,
		SelDepth: best.selDepth,
		Nodes:    r.nodes(),
		Time:     time.Since(r.started),
		PV:       append([]chess.Move(nil), best.pv[:best.pvLen]...),
	}
	if best.score > -infinite {
		res.Score = Score(best.score)
	}
	if len(res.PV) > 1 {
		res.Ponder = res.PV[1]
	}
	return res, nil
}

// Wait returns when the thread has left its last search, with the fault that
// it met there.
func (t *Thread) Wait() error {
	if t.working != nil {
		<-t.working
	}
	return t.fault
}

// work is the life of one thread in a run.
func (t *Thread) work() (err error) {
	r := t.run
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("search: panic in thread %d: %v\n%s", t.id, p, debug.Stack())
			r.stop.Store(true)
		}
		t.published.Store(t.nodes)
	}()
	if r.gate != nil {
		// Without a place the main thread looks at one iteration's worth
		// of nodes all the same, before it sees that it must stop.
		if r.gate.Enter(r.ctx, t.id > 0) {
			defer r.gate.Leave()
		} else if t.id > 0 {
			return nil
		}
	}
	t.deepen()
	return nil
}

// keepTime starts the clock on a ponder hit and ends the run at the hard
// limit, for threads that wait for a place. Running ones look at the time
// themselves, which is more exact on a busy machine.
func (r *run) keepTime(cancel context.CancelFunc) {
	if r.limits.PonderHit != nil {
		select {
		case <-r.limits.PonderHit:
			r.clock.Store(int64(time.Since(r.started)))
		case <-r.ctx.Done():
			return
		}
	}
	if r.budget.Hard == 0 {
		return
	}
	timer := time.NewTimer(r.budget.Hard - r.elapsed())
	defer timer.Stop()
	select {
	case <-timer.C:
		cancel()
	case <-r.ctx.Done():
	}
}

// elapsed is the time on our clock.
func (r *run) elapsed() time.Duration {
	return time.Since(r.started) - time.Duration(r.clock.Load())
}

func (r *run) pondering() bool { return r.clock.Load() < 0 }

// grant takes a thread's next nodes, pollEvery at most, out of those that the
// limit leaves; 0 when there are none for it. Threads that run side by side
// are given a small part of what is left each time, so that little is in the
// hands of helpers that happen not to run when the end comes. They do not get
// what the main thread lacks of an equal share: its work is the answer.
func (r *run) grant(t *Thread) uint64 {
	threads := int64(len(r.threads))
	for {
		left := r.left.Load()
		part := left
		if t.id > 0 {
			share := 1 + int64(min(r.limits.Nodes, math.MaxInt64)-1)/threads
			part -= max(0, share-int64(r.threads[0].published.Load()))
		}
		if threads > 1 {
			part = max(min(part, 1), part/(4*threads))
		}
		part = max(0, min(part, pollEvery))
		if r.left.CompareAndSwap(left, left-part) {
			return uint64(part)
		}
	}
}

// mustStop is asked every so many nodes.
func (r *run) mustStop(t *Thread) bool {
	if r.stop.Load() || r.ctx.Err() != nil {
		return true
	}
	if granted := t.pollAt > t.nodes; !granted && (t.id > 0 || r.depth >= r.limits.LeastDepth) {
		return true
	}
	if t.id == 0 {
		if r.budget.Hard > 0 && !r.pondering() && r.elapsed() >= r.budget.Hard {
			return true
		}
	}
	return r.gate != nil && !r.gate.Yield(r.ctx, t.id > 0)
}

// enough decides after an iteration of the main thread whether to stop.
func (r *run) enough(t *Thread, depth, stable int, effort float64, drop int) bool {
	if t.poll() {
		return true
	}
	best := t.rootMoves[0].score
	if want := r.limits.Mate; want > 0 {
		if n, ok := Score(best).Mate(); ok && n > 0 && n <= want {
			return true
		}
	}
	if r.budget.Soft == 0 || r.pondering() || r.limits.MoveTime > 0 {
		return false
	}
	if len(t.rootMoves) == 1 && depth >= 4 {
		return true // nothing to choose
	}
	// A forced mate searched to twice its length will not get shorter.
	if n, ok := Score(best).Mate(); ok && depth > 4*max(n, -n)+4 {
		return true
	}
	return r.elapsed() >= r.budget.scaled(stable, effort, drop)
}

// nodes sums what the threads have published.
func (r *run) nodes() uint64 {
	var sum uint64
	for _, t := range r.threads {
		sum += t.published.Load()
	}
	return sum
}

// tableHits sums the positions found in tables that the threads have published.
func (r *run) tableHits() uint64 {
	var sum uint64
	for _, t := range r.threads {
		sum += t.publishedHits.Load()
	}
	return sum
}

func (r *run) info(t *Thread, line int, bound Bound) Info {
	t.published.Store(t.nodes)
	t.publishedHits.Store(t.tableHits)
	rm := &t.rootMoves[line]
	return Info{
		Depth:     rm.depth,
		SelDepth:  rm.selDepth,
		MultiPV:   line + 1,
		Score:     Score(rm.score),
		Bound:     bound,
		Nodes:     r.nodes(),
		Time:      time.Since(r.started),
		TableHits: r.tableHits(),
		Hashfull:  t.table.Hashfull(),
		PV:        append([]chess.Move(nil), rm.pv[:rm.pvLen]...),
	}
}

// slowAfter is how long a search must have run for its bounds to be news.
const slowAfter = 3 * time.Second

// reportLines tells the best lines of a finished iteration and returns what it told.
func (r *run) reportLines(t *Thread, lines int) (told []Info) {
	if r.limits.Report == nil {
		return nil
	}
	for i := range lines {
		told = append(told, r.info(t, i, Exact))
		r.limits.Report(told[i])
	}
	return told
}

// reportLate tells the move that is played when the last report did not: there
// was none, or an iteration that was cut short found better. Of several lines
// the others have no new score then; they are told again, so that the numbers
// of all are right.
func (r *run) reportLate(t *Thread, told []Info) {
	best := t.rootMoves[0].move
	if r.limits.Report == nil || len(told) > 0 && told[0].PV[0] == best {
		return
	}
	first := r.info(t, 0, Exact)
	r.limits.Report(first)
	line := 2
	for _, i := range told {
		if i.PV[0] == best || line > len(told) {
			continue
		}
		i.MultiPV, i.Nodes, i.Time, i.TableHits, i.Hashfull = line, first.Nodes, first.Time, first.TableHits, first.Hashfull
		r.limits.Report(i)
		line++
	}
}

func (r *run) reportBound(t *Thread, bound Bound) {
	if r.limits.Report == nil || t.id != 0 || time.Since(r.started) < slowAfter {
		return
	}
	r.limits.Report(r.info(t, t.first, bound))
}
