package cache

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"bigmkl/internal/fail"
)

func count(states []State, s State) (n int) {
	for _, x := range states {
		if x == s {
			n++
		}
	}
	return n
}

func TestOptions(t *testing.T) {
	for _, m := range []Mode{Auto, Always, Never} {
		if got, err := ParseMode(m.String()); err != nil || got != m {
			t.Errorf("%v: %v %v", m, got, err)
		}
	}
	if _, err := ParseMode("sometimes"); !errors.Is(err, fail.Usage) {
		t.Error(err)
	}
	bad := Options{Memory: -1, Disk: -1, Reserve: -1, Mode: 9}
	err := bad.validate()
	joined, ok := err.(interface{ Unwrap() []error })
	if !errors.Is(err, fail.Usage) || !ok || len(joined.Unwrap()) != 5 {
		t.Errorf("not every fault is listed: %v", err)
	}
	if _, err := Open(bad); err == nil {
		t.Error("opened with bad options")
	}
}

func TestNeverKeepsNothing(t *testing.T) {
	m := newMirror(t, Options{RowBytes: 100, Memory: 1 << 20, Disk: 1 << 30, Mode: Never, Dir: t.TempDir()})
	for range 3 {
		if n := count(m.round(requests(1e9, span(0, 0, 50)...), true), Miss); n != 50 {
			t.Fatalf("%d misses", n)
		}
	}
	if s := m.c.Stats(); s.Misses != 150 || s.RAMBytes != 0 {
		t.Fatalf("%+v", s)
	}
}

func TestRecentRowsStay(t *testing.T) {
	m := newMirror(t, Options{RowBytes: 1000, Memory: 20 * (1024 + slotOverhead)})
	m.round(requests(0, span(0, 0, 10)...), true)
	m.round(requests(0, span(0, 10, 10)...), true)
	m.round(requests(0, span(0, 0, 5)...), true)   // 5..9 are the oldest now
	m.round(requests(0, span(0, 100, 5)...), true) // evicts them
	states := m.round(requests(0, append(span(0, 0, 5), span(0, 10, 10)...)...), true)
	if count(states, Hit) != 15 {
		t.Fatal(states)
	}
	if states := m.round(requests(0, span(0, 5, 5)...), true); count(states, Fill) != 5 {
		t.Fatal(states)
	}
}

func TestRoundLargerThanMemory(t *testing.T) {
	m := newMirror(t, Options{RowBytes: 1000, Memory: 20 * (1024 + slotOverhead)})
	states := m.round(requests(0, span(0, 0, 50)...), true)
	if count(states[:20], Fill) != 20 || count(states[20:], Miss) != 30 {
		t.Fatal("the first requests get the slots:", states)
	}
	// The same round again: where a plain LRU would keep nothing, what is there stays.
	for range 3 {
		if states := m.round(requests(0, span(0, 0, 50)...), true); count(states, Hit) != 20 {
			t.Fatal(states)
		}
	}
	// Rows that were wanted before get the free slots, though they are asked for last.
	states = m.round(requests(0, slices.Concat(span(0, 0, 5), span(1, 0, 30), span(0, 30, 10))...), true)
	if count(states[:5], Hit) != 5 || count(states[5:35], Fill) != 5 || count(states[35:], Fill) != 10 {
		t.Fatal(states)
	}
}

// Half of each round returns in the next; a quarter of it fits. The hits should come near the slots times that half.
func TestHalfOfRoundRecurs(t *testing.T) {
	const q, slots, rounds = 80, 20, 50
	rng := rand.New(rand.NewPCG(1, 2))
	m := newMirror(t, Options{RowBytes: 64, Memory: slots * (64 + slotOverhead)})
	set := span(0, 0, q)
	for r := range int32(rounds) {
		m.round(requests(0, set...), true)
		rng.Shuffle(q, func(i, j int) { set[i], set[j] = set[j], set[i] })
		copy(set[q/2:], span(1+r, 0, q/2))
		rng.Shuffle(q, func(i, j int) { set[i], set[j] = set[j], set[i] })
	}
	hits := m.c.Stats().Hits
	t.Logf("%.1f hits a round of %d rows, %d slots", float64(hits)/rounds, q, slots)
	if hits < rounds*slots*4/10 {
		t.Errorf("%d hits", hits)
	}
}

func TestAutoLeavesCheapRows(t *testing.T) {
	m := newMirror(t, Options{RowBytes: 1000, Memory: 4 * (1024 + slotOverhead)})
	want := requests(50, span(0, 0, 8)...) // 1000 bytes take 100 ns to read
	for i := 4; i < 8; i++ {
		want[i].Cost = 1e4 // the last ones are expensive
	}
	for range 2 {
		if states := m.round(want, true); count(states[:4], Miss) != 4 || count(states[4:], Miss) != 0 {
			t.Fatal(states)
		}
	}
	// Expensive rows are kept before cheap rows that were asked for first.
	want = append(requests(300, span(1, 0, 8)...), requests(1e5, span(2, 0, 4)...)...)
	if states := m.round(want, true); count(states[8:], Fill) != 4 {
		t.Fatal(states)
	}
}

func TestDuplicatesShareNoSlot(t *testing.T) {
	m := newMirror(t, Options{RowBytes: 8, Memory: 1 << 20})
	twice := requests(0, Key{1, 1}, Key{1, 1})
	if states := m.round(twice, true); states[0] != Fill || states[1] != Miss {
		t.Fatal(states)
	}
	if states := m.round(twice, true); count(states, Hit) != 2 {
		t.Fatal(states)
	}
	m.clear()
}

func TestMisuse(t *testing.T) {
	c, err := Open(Options{RowBytes: 8, Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Release(true); err != nil {
		t.Error("Release without a round:", err)
	}
	panics := func(name string, f func()) {
		defer func() {
			if recover() == nil {
				t.Error(name, "did not panic")
			}
		}()
		f()
	}
	ctx := context.Background()
	panics("lengths", func() { _ = c.Acquire(ctx, make([]Request, 2), make([]Row, 1)) })
	if err := c.Acquire(ctx, nil, nil); err != nil {
		t.Fatal(err)
	}
	panics("second round", func() { _ = c.Acquire(ctx, nil, nil) })
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if c.clear() == nil || c.Release(true) == nil {
		t.Error("a closed cache answers")
	}
}

// Many goroutines fill disjoint parts and read hits, under the race detector, while another looks at the counts.
func TestConcurrentFill(t *testing.T) {
	const rowBytes, workers = 9000, 16
	m := newMirror(t, Options{RowBytes: rowBytes, Memory: smallMemory(rowBytes, 30), Disk: 64 << 20, Dir: t.TempDir(), Mode: Always, Reserve: 1})
	rng := rand.New(rand.NewPCG(3, 4))
	for range 12 {
		want := requests(0, span(0, int32(rng.IntN(40)), 25)...)
		rows := make([]Row, len(want))
		if err := m.c.Acquire(context.Background(), want, rows); err != nil {
			t.Fatal(err)
		}
		var g sync.WaitGroup
		for w := range workers {
			g.Go(func() {
				lo, hi := rowBytes*w/workers, rowBytes*(w+1)/workers
				for i, r := range rows {
					full := pattern(want[i].Key, 0, rowBytes)
					switch r.State {
					case Fill:
						copy(r.Data[lo:hi], full[lo:hi])
					case Hit:
						if string(r.Data[lo:hi]) != string(full[lo:hi]) {
							t.Errorf("%v is wrong", want[i].Key)
						}
					}
				}
				_ = m.c.Stats()
			})
		}
		g.Wait()
		if err := m.c.Release(true); err != nil {
			t.Fatal(err)
		}
	}
	if s := m.c.Stats(); s.DiskHits == 0 || s.Spills == 0 {
		t.Fatalf("%+v", s)
	}
}
