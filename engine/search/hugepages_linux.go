package search

import (
	"os"
	"syscall"
	"unsafe"
)

// madvHugepage is MADV_HUGEPAGE of madvise(2), which the package syscall lacks.
const madvHugepage = 14

// useHugePages asks for pages of 2 MiB behind the buckets: a search reads all over them, and every small page that it comes to
// must be looked up anew. It is only a wish; where the kernel has no such pages nothing changes.
func useHugePages(buckets []bucket) {
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(buckets))), len(buckets)*bucketBytes)
	page := os.Getpagesize()
	start := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (page - 1)
	if end := start + (len(b)-start)&^(page-1); end > start {
		_ = syscall.Madvise(b[start:end], madvHugepage)
	}
}
