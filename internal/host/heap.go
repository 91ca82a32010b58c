package host

import "runtime/debug"

// LimitHeap limits the Go heap while the shares of the memory budget are not known, to half of the
// budget but at least 64 MiB. A budget of 0 sets no limit. The returned function undoes this and
// what KeepHeap did.
func LimitHeap(budget int64) (undo func()) {
	const least = 64 << 20
	old := debug.SetMemoryLimit(-1) // A negative argument only reads the limit.
	if budget > 0 {
		debug.SetMemoryLimit(max(least, budget/2))
	}
	return func() { debug.SetMemoryLimit(old) }
}

// KeepHeap limits the Go heap to the given number of bytes from now on, and returns memory beyond
// it to the system if the limit was higher before. To ask for the same limit again costs nothing:
// short trainings do so thousands of times.
func KeepHeap(bytes int64) {
	if before := debug.SetMemoryLimit(bytes); before > bytes {
		debug.FreeOSMemory()
	}
}
