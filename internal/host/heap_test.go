package host

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestCollectRarely: a small heap grows fivefold, and one of 64 MiB and more to twice its size.
func TestCollectRarely(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	percent := func() int {
		p := debug.SetGCPercent(100)
		debug.SetGCPercent(p)
		return p
	}
	CollectRarely()
	if p := percent(); p != mostPercent {
		t.Errorf("%d %%, want %d", p, mostPercent)
	}
	large := make([]byte, 2*spareHeap)
	// Finalizers run some time after the collection that finds them due.
	for range 1000 {
		runtime.GC()
		if percent() == 100 {
			break
		}
		runtime.Gosched()
	}
	runtime.KeepAlive(large)
	if p := percent(); p != 100 {
		t.Errorf("%d %% of a large heap, want 100", p)
	}
}
