package host

import (
	"runtime/debug"
	"runtime/metrics"
)

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

// KeepHeap limits the Go heap to the given number of bytes from now on, and returns memory to the
// system if the runtime holds more than that. Short trainings ask for a limit thousands of times, and
// the return of memory takes a collection, which would take longer than they do.
func KeepHeap(bytes int64) {
	if before := debug.SetMemoryLimit(bytes); before > bytes && held() > bytes {
		debug.FreeOSMemory()
	}
}

// held returns the number of bytes that the limit counts: those that the runtime has from the system
// and has not returned.
func held() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}
