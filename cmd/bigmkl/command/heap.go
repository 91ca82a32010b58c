package command

import (
	"bigmkl"
	"bigmkl/internal/host"
)

// limitHeap keeps the Go heap within the memory budget. The training lowers the limit further when
// its other needs are known. The returned function removes the limit. Without a limit, Go lets its heap
// grow to twice the live objects, whatever the budget is.
func limitHeap(o *bigmkl.Options) (undo func()) {
	o.Heap = host.KeepHeap
	return host.LimitHeap(o.Memory)
}

// limitHeapTo does the same for a command that has a memory budget alone. It sets a budget of 0 to
// the default.
func limitHeapTo(memory *int64, heap *func(bytes int64)) (undo func()) {
	if *memory == 0 {
		*memory = host.Budget()
	}
	*heap = host.KeepHeap
	return host.LimitHeap(*memory)
}
