package host

import "runtime/debug"

// LimitHeap keeps the garbage collector from letting the Go heap outgrow a budget while its shares are not known: half of
// it, but not less than 64 MiB. Without a budget nothing is limited. The function that is returned undoes this and what
// KeepHeap does.
func LimitHeap(budget int64) (undo func()) {
	const least = 64 << 20
	old := debug.SetMemoryLimit(-1) // as it is
	if budget > 0 {
		debug.SetMemoryLimit(max(least, budget/2))
	}
	return func() { debug.SetMemoryLimit(old) }
}

// KeepHeap keeps the Go heap to so many bytes from here on, and gives back what it has beyond.
func KeepHeap(bytes int64) {
	debug.SetMemoryLimit(bytes)
	debug.FreeOSMemory()
}
