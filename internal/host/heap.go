package host

import (
	"runtime"
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

const (
	// spareHeap is by how much a small heap may grow before it is collected, and mostPercent how much
	// that is of what is in use at most, which is the least at the start: 16 MiB.
	spareHeap   = 64 << 20
	mostPercent = 400
)

// CollectRarely makes collections of a small heap rare from now on: left alone the runtime collects a
// heap of 2 MiB each time it comes to 4 MiB, which takes short trainings as long as they do. A heap of
// 64 MiB and more grows to twice its size, as ever. Limits of the heap hold all the same.
func CollectRarely() {
	debug.SetGCPercent(mostPercent)
	afterCollection(mostPercent)
}

// afterCollection sets the percentage again after the next collection, and after each that
// follows.
func afterCollection(percent int) {
	type sentinel struct{ _ *byte }
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(samples)
		next := int(min(max(spareHeap*100/max(samples[0].Value.Uint64(), 1), 100), mostPercent))
		if next != percent { // to set it stops the program for a moment
			debug.SetGCPercent(next)
		}
		afterCollection(next)
	})
}
