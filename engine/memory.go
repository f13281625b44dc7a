package engine

import (
	"unsafe"

	"castellan/engine/eval"
	"castellan/engine/search"
)

// threadBytes is what one search thread keeps: its stack, its histories and
// its evaluator's cache.
const threadBytes = int64(unsafe.Sizeof(search.Thread{}) + unsafe.Sizeof(eval.Evaluator{}))

// Memory returns how many bytes an engine with these options, which New would
// take, has at most when so many games think at once: its table, a thread for
// each search that has begun and had to give way, and those that run or are
// kept for the next.
func (o Options) Memory(games int) int64 {
	hash, threads := o.HashMB, o.Threads
	if hash == 0 {
		hash = DefaultHashMB
	}
	if threads == 0 {
		threads = DefaultThreads
	}
	return int64(hash)<<20 + int64(games+5*threads)*threadBytes
}
