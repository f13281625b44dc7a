package search

import (
	"fmt"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"castellan/engine/chess"
)

// Table is the transposition table that all threads of all searches share.
// It needs no locks: an entry is two atomic words, the second of which is the
// position's key mixed with the first (Hyatt and Mann, "A lock-less
// transposition table implementation", 2002). Words of two different writes
// do not fit together and read as a miss.
type Table struct {
	buckets []bucket
	age     atomic.Uint32
}

// bucket is one cache line of four entries.
type bucket [4]slot

type slot struct {
	data, check atomic.Uint64
}

// entry is a slot's data unpacked.
//
// Bits: 0..15 move, 16..31 score, 32..47 static evaluation, 48..55 depth plus
// depthOffset, 56..57 bound, 58..63 age.
type entry struct {
	move  chess.Move
	score int
	eval  int
	depth int
	bound Bound
	age   uint8
}

const (
	depthOffset = 8
	ageMask     = 63
	bytesPerMB  = 1 << 20
	bucketBytes = 64

	// MaxHashMB bounds the memory of a table.
	MaxHashMB = 1 << 16
)

// NewTable makes an empty table of the given size in MiB, 1..MaxHashMB, if the machine has the memory for it.
func NewTable(mb int) (*Table, error) {
	if mb < 1 || mb > MaxHashMB {
		return nil, fmt.Errorf("hash of %d MiB: choose between 1 and %d", mb, MaxHashMB)
	}
	if limit, _ := MemoryLimit(); int64(mb) >= limit/bytesPerMB {
		return nil, fmt.Errorf("hash of %d MiB: there are only %d MiB of memory, choose less", mb, limit/bytesPerMB)
	}
	t := &Table{buckets: make([]bucket, mb*bytesPerMB/bucketBytes)}
	useHugePages(t.buckets)
	return t, nil
}

// Clear forgets everything. No search may run meanwhile.
func (t *Table) Clear() {
	clear(t.buckets) // an atomic store for each word takes a second for each GiB
	t.age.Store(0)
}

// newSearch makes all entries one search older.
func (t *Table) newSearch() { t.age.Add(1) }

func (t *Table) currentAge() uint8 { return uint8(t.age.Load() & ageMask) }

// bucket maps the key to an index by its high bits, which needs no table
// size of a power of two.
func (t *Table) bucket(key uint64) *bucket {
	hi, _ := bits.Mul64(key, uint64(len(t.buckets)))
	return &t.buckets[hi]
}

// prefetch has the bucket of a key fetched from memory, which takes about as long as playing the move that leads to it.
func (t *Table) prefetch(key uint64) { prefetch(unsafe.Pointer(t.bucket(key))) }

func (e entry) pack() uint64 {
	return uint64(e.move) |
		uint64(uint16(int16(e.score)))<<16 |
		uint64(uint16(int16(e.eval)))<<32 |
		uint64(uint8(e.depth+depthOffset))<<48 |
		uint64(e.bound)<<56 |
		uint64(e.age)<<58
}

func unpack(d uint64) entry {
	return entry{
		move:  chess.Move(uint16(d)),
		score: int(int16(d >> 16)),
		eval:  int(int16(d >> 32)),
		depth: int(uint8(d>>48)) - depthOffset,
		bound: Bound(d >> 56 & 3),
		age:   uint8(d >> 58),
	}
}

// probe looks a position up. Scores of mates and of tables come back as seen from ply plies
// below the root. The move may be of another position with the same key: ask
// IsLegal before playing it.
func (t *Table) probe(key uint64, ply int) (entry, bool) {
	b := t.bucket(key)
	for i := range b {
		data := b[i].data.Load()
		if data != 0 && b[i].check.Load() == key^data {
			e := unpack(data)
			switch {
			case e.score >= decidedBound:
				e.score -= ply
			case e.score <= -decidedBound:
				e.score += ply
			}
			return e, true
		}
	}
	return entry{eval: none}, false
}

// store keeps what was found about a position. It replaces the position's own
// entry, else the one of the bucket that is worth least: shallow and old.
func (t *Table) store(key uint64, ply int, e entry) {
	switch {
	case e.score >= decidedBound:
		e.score += ply
	case e.score <= -decidedBound:
		e.score -= ply
	}
	e.age = t.currentAge()
	b := t.bucket(key)
	victim, worth := &b[0], 1<<30
	for i := range b {
		data := b[i].data.Load()
		if data == 0 {
			victim = &b[i]
			break
		}
		old := unpack(data)
		if b[i].check.Load() == key^data {
			// A shallow bound does not push out a much deeper one of now.
			if e.bound != Exact && old.age == e.age && old.depth > e.depth+3 {
				return
			}
			if e.move == chess.NoMove {
				e.move = old.move
			}
			victim = &b[i]
			break
		}
		if v := old.depth - 4*int((e.age-old.age)&ageMask); v < worth {
			victim, worth = &b[i], v
		}
	}
	data := e.pack()
	victim.data.Store(data)
	victim.check.Store(key ^ data)
}

// Hashfull estimates in permille how much of the table the present search and
// its predecessor have used.
func (t *Table) Hashfull() int {
	age := t.currentAge()
	n := min(len(t.buckets), 250)
	used := 0
	for i := range n {
		for j := range t.buckets[i] {
			data := t.buckets[i][j].data.Load()
			if data != 0 && (age-uint8(data>>58))&ageMask <= 1 {
				used++
			}
		}
	}
	return used * 1000 / (n * len(bucket{}))
}
