package search

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"castellan/engine/chess"
)

func TestEntryPacking(t *testing.T) {
	for _, e := range []entry{
		{},
		{move: 0xffff, score: mate, eval: evalUnknown, depth: MaxPly, bound: Exact, age: 63},
		{move: 0x1234, score: -mate, eval: -1, depth: -depthOffset, bound: Lower, age: 1},
		{move: 1, score: -1, eval: 20000, depth: 0, bound: Upper, age: 32},
	} {
		if got := unpack(e.pack()); got != e {
			t.Errorf("%+v comes back as %+v", e, got)
		}
	}
}

func TestTableKeepsWhatItGot(t *testing.T) {
	table, err := NewTable(1)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := table.probe(77, 0); ok {
		t.Error("an empty table has an entry")
	}
	want := entry{move: 0x0a0b, score: 123, eval: -45, depth: 9, bound: Lower}
	table.store(77, 3, want)
	want.age = table.currentAge()
	if got, ok := table.probe(77, 3); !ok || got != want {
		t.Errorf("got %+v, %v, want %+v", got, ok, want)
	}
	table.Clear()
	if _, ok := table.probe(77, 0); ok {
		t.Error("a cleared table has an entry")
	}
}

func TestMateScoresAreKeptRelativeToTheNode(t *testing.T) {
	table, _ := NewTable(1)
	// Mate eleven plies from the root, stored four plies below it, is mate in
	// seven from there.
	table.store(5, 4, entry{score: mate - 11, bound: Exact, depth: 3})
	if e, _ := table.probe(5, 2); e.score != mate-9 {
		t.Errorf("score %d at ply 2, want %d", e.score, mate-9)
	}
	table.store(6, 4, entry{score: -mate + 11, bound: Exact, depth: 3})
	if e, _ := table.probe(6, 10); e.score != -mate+17 {
		t.Errorf("score %d at ply 10, want %d", e.score, -mate+17)
	}
}

func TestOldAndShallowEntriesGoFirst(t *testing.T) {
	table, _ := NewTable(1)
	table.buckets = table.buckets[:1]
	for i := range uint64(4) {
		table.store(i+1, 0, entry{depth: 20 - int(i), bound: Lower, move: 1})
	}
	table.store(9, 0, entry{depth: 1, bound: Lower, move: 1})
	if _, ok := table.probe(4, 0); ok {
		t.Error("the shallowest entry is still there")
	}
	// After some searches even deep entries are worth less than new ones.
	for range 6 {
		table.newSearch()
	}
	table.store(10, 0, entry{depth: 3, bound: Lower, move: 1})
	for i := range uint64(4) {
		table.store(20+i, 0, entry{depth: 2, bound: Lower, move: 1})
	}
	if _, ok := table.probe(1, 0); ok {
		t.Error("an old entry outlived new ones")
	}
}

func TestHashSize(t *testing.T) {
	for _, mb := range []int{0, -1, MaxHashMB + 1} {
		if _, err := NewTable(mb); err == nil {
			t.Errorf("a table of %d MiB is accepted", mb)
		}
	}
	table, err := NewTable(3)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(table.buckets) * bucketBytes; got != 3<<20 {
		t.Errorf("3 MiB take %d bytes", got)
	}
}

// Many writers and readers of few slots: what is read fits its key. The race
// detector looks on.
func TestTornWritesAreMisses(t *testing.T) {
	table, _ := NewTable(1)
	table.buckets = table.buckets[:2]
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 1))
			for range 20_000 {
				key := uint64(r.IntN(64)) * 0x9e3779b97f4a7c15
				// Everything in the entry follows from the key.
				e := entry{move: chess.Move(key >> 48), score: int(key>>40) % 1000, eval: int(key>>32) % 1000, depth: int(key>>20) % 60, bound: Exact}
				if r.IntN(2) == 0 {
					table.store(key, 0, e)
					continue
				}
				got, ok := table.probe(key, 0)
				got.age = 0
				if ok && got != e {
					t.Errorf("key %x reads %+v, want %+v", key, got, e)
				}
			}
		})
	}
	wg.Wait()
}

func TestTableLargerThanTheMachine(t *testing.T) {
	limit, _ := MemoryLimit()
	have := int(limit / bytesPerMB)
	if have >= MaxHashMB {
		t.Skipf("this machine has room for any table: %d MiB", have)
	}
	if _, err := NewTable(have); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Errorf("a table of all %d MiB: got error %v", have, err)
	}
}
