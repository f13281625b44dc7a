package engine

import (
	"errors"
	"fmt"
	"time"

	"castellan/engine/search"
	"castellan/engine/tablebase"
)

// Options of an engine. The zero value of each field is its default.
type Options struct {
	HashMB       int           // transposition table, in MiB, 1..65536; default 64
	Threads      int           // search threads that run at a time over all games, 1..256; default 1
	MoveOverhead time.Duration // kept back per move for network and scheduling, 0..10s; default 10ms, negative for none
	MaxMoveTime  time.Duration // longest thought on any clock, however much time is left; default 1 minute
	Elo          int           // playing strength, MinElo..MaxElo; 0 for all there is. Below that it needs a moment of one thread only
	Nodes        uint64        // most nodes for a move, on top of each call's limits; 0 for no limit
	Reproducible bool          // answers depend on game and options alone: searches go by Nodes, not by clocks, one at a time, with an empty memory

	Tables     *tablebase.Tables // asked before and within the search; they stay the caller's to close. None by default
	TableMen   int               // most men, kings included, of a position that is looked up, 1..7; default 7, negative for none
	TableDepth int               // least depth in plies, 1..100, at which the search looks up positions with as many men as that or as the largest table; default 1
	Endless    bool              // take wins that are draws by the 50-move rule for wins, as tables allow; off by default
}

// Defaults and bounds of Options.
const (
	DefaultHashMB       = 64
	MaxHashMB           = search.MaxHashMB
	DefaultThreads      = 1
	MaxThreads          = 256
	DefaultMoveOverhead = 10 * time.Millisecond // enough for a GUI or a runner on the same machine
	MaxMoveOverhead     = 10 * time.Second
	DefaultMaxMoveTime  = time.Minute
	MaxTableMen         = tablebase.MaxMen
	MaxTableDepth       = 100
)

// complete fills the defaults in and reports every fault at once.
func (o Options) complete() (Options, error) {
	var faults []error
	if o.HashMB == 0 {
		o.HashMB = DefaultHashMB
	}
	if o.HashMB < 1 || o.HashMB > MaxHashMB {
		faults = append(faults, fmt.Errorf("engine: hash of %d MiB: choose between 1 and %d", o.HashMB, MaxHashMB))
	}
	if o.Threads == 0 {
		o.Threads = DefaultThreads
	}
	if o.Threads < 1 || o.Threads > MaxThreads {
		faults = append(faults, fmt.Errorf("engine: %d threads: choose between 1 and %d", o.Threads, MaxThreads))
	}
	switch {
	case o.MoveOverhead == 0:
		o.MoveOverhead = DefaultMoveOverhead
	case o.MoveOverhead < 0:
		o.MoveOverhead = 0
	case o.MoveOverhead > MaxMoveOverhead:
		faults = append(faults, fmt.Errorf("engine: move overhead of %v: choose at most %v", o.MoveOverhead, MaxMoveOverhead))
	}
	switch {
	case o.MaxMoveTime == 0:
		o.MaxMoveTime = DefaultMaxMoveTime
	case o.MaxMoveTime < 0:
		faults = append(faults, fmt.Errorf("engine: longest move time of %v: it must be positive", o.MaxMoveTime))
	}
	if o.TableMen == 0 {
		o.TableMen = MaxTableMen
	}
	if o.TableMen > MaxTableMen {
		faults = append(faults, fmt.Errorf("engine: endgame tables for %d men: choose at most %d", o.TableMen, MaxTableMen))
	}
	if o.TableDepth == 0 {
		o.TableDepth = 1
	}
	if o.TableDepth < 1 || o.TableDepth > MaxTableDepth {
		faults = append(faults, fmt.Errorf("engine: endgame tables from a depth of %d: choose between 1 and %d", o.TableDepth, MaxTableDepth))
	}
	if o.Elo != 0 && (o.Elo < MinElo || o.Elo > MaxElo) {
		faults = append(faults, fmt.Errorf("engine: strength of %d Elo: choose between %d and %d, or 0 for all there is", o.Elo, MinElo, MaxElo))
	}
	if o.Reproducible && (o.Nodes == 0 || o.Threads != 1) {
		faults = append(faults, errors.New("engine: reproducible answers need a number of nodes and one thread"))
	}
	return o, errors.Join(faults...)
}
