//go:build amd64 || arm64

package search

import "unsafe"

// prefetch has the processor fetch the cache line at p, without waiting for it. Any address will do.
//
//go:noescape
func prefetch(p unsafe.Pointer)
