// Package mmap provides arrays outside of the Go heap: scratch files, existing files and anonymous
// memory.
//
// Purpose. The packed points, the panels of gradients and the arena of cached rows are too large
// for the garbage collector and may be larger than RAM. A Map is one such region, and View turns it
// into a slice of numbers without copying.
//
// Small arrays. An Array of up to 256 KiB is private memory and takes no file. Regions of private memory up to 2
// MiB that are closed serve the next ones, 8 MiB of them at most.
//
// Invariants. A writable map of a file never has holes. Storing into a hole of a full disk ends the
// process by SIGBUS, so Create reserves every block before it maps, which returns an error instead. A
// scratch file is unlinked before its first byte is written, so it disappears however the process
// dies, and no descriptor stays open. Windows does not unlink mapped files: there a map keeps its
// file open, and Close removes a scratch file. Files have mode 0600. Numbers are in the byte order of
// the host, which is little-endian on every supported one.
//
// Concurrency. Any number of goroutines may read a Map, and several may write to disjoint parts.
// Close must not run while a slice of the map is in use, because touching such a slice afterwards
// is a fault.
//
// Memory. Scratch and read-only maps are pages of files, which the kernel reclaims under pressure.
// Anonymous memory counts as memory of the process. If another process cuts a mapped file short,
// access to the missing pages faults. Callers who map files that others can change use
// debug.SetPanicOnFault in the goroutine that reads.
//
// References. See mmap(2), fallocate(2) and madvise(2).
package mmap
