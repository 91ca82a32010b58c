// Package heaptest measures for tests how much memory code allocates.
package heaptest

import "runtime"

// Allocated returns the number of bytes that f allocates in total. It is more than f ever holds at
// a time, and so a stricter bound than the peak of the heap. It is the same in every run, whatever
// the garbage collector does.
func Allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}
