// Package heaptest measures for tests what code allocates.
package heaptest

import "runtime"

// Allocated is what f allocates in all. That is more than it ever holds, and so a stricter bound than the peak of the heap; and it is
// the same in every run, whatever the collector does.
func Allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}
