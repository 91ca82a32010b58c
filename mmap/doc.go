// Package mmap gives arrays that live outside the Go heap: scratch files, existing files and anonymous memory.
//
// Purpose. The packed points, the gradient panels and the row arena are too large for the garbage collector and may be
// larger than RAM. A Map is one such region; View turns it into a slice of numbers without copying.
//
// Invariants. A writable file mapping never has holes: Create reserves every block with fallocate before it maps, because
// a store into a hole of a full disk ends the process by SIGBUS, where fallocate returns an error. A scratch file is
// unlinked before its first byte is written, so that no way of dying leaves one behind. Files of mode 0600, no
// descriptor kept open. Numbers are in the byte order of the host, which is little-endian on every supported one.
//
// Concurrency. A Map may be read from any number of goroutines; writers keep to disjoint parts. Close must not run while
// a slice of the map is in use: touching such a slice afterwards is a fault.
//
// Memory. Scratch and read-only maps are file pages, which the kernel reclaims under pressure; Anonymous counts as the
// memory of the process. A file that another process truncates while it is mapped faults on access: callers who map
// files of strangers use debug.SetPanicOnFault in the goroutine that reads.
//
// References: mmap(2), fallocate(2), madvise(2).
package mmap
