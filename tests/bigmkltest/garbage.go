package bigmkltest

import "runtime/debug"

// CollectRarely has the garbage collector wait for more of it. The heap of a test is a few MiB, so that the
// collector would run all the time. A package calls it before its tests, and not if these measure the heap.
func CollectRarely() { debug.SetGCPercent(400) }
