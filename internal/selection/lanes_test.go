package selection

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
)

// TestInLanes: each unit is worked on once, the first unit that failed by itself gives the error, and a panic comes
// to the caller.
func TestInLanes(t *testing.T) {
	t.Parallel()
	units := make([]int, 40)
	for i := range units {
		units[i] = i
	}
	wrong := errors.New("wrong")
	for _, lanes := range []int{1, 2, 7} {
		var seen [40]atomic.Int32
		var most atomic.Int32
		err := inLanes(t.Context(), lanes, units, func(_ context.Context, lane int, unit int) error {
			seen[unit].Add(1)
			most.Store(max(most.Load(), int32(lane)))
			return nil
		})
		for i := range seen {
			if seen[i].Load() != 1 {
				t.Errorf("%d lanes work %d times on unit %d", lanes, seen[i].Load(), i)
			}
		}
		if err != nil || int(most.Load()) >= lanes {
			t.Errorf("%d lanes: lane %d, %v", lanes, most.Load(), err)
		}
		err = inLanes(t.Context(), lanes, units, func(ctx context.Context, _ int, unit int) error {
			switch {
			case unit == 3:
				return fmt.Errorf("unit 3: %w", wrong)
			case unit < 3 || lanes == 1:
				return nil
			}
			<-ctx.Done() // The other lanes do not end before.
			return ctx.Err()
		})
		if !errors.Is(err, wrong) {
			t.Errorf("%d lanes: %v", lanes, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		err = inLanes(ctx, lanes, units, func(ctx context.Context, _ int, unit int) error {
			if unit == 5 {
				cancel()
			}
			return ctx.Err()
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d lanes: %v", lanes, err)
		}
		func() {
			defer func() {
				if p := recover(); p != "a fault" {
					t.Errorf("%d lanes: %v", lanes, p)
				}
			}()
			err := inLanes(t.Context(), lanes, units, func(context.Context, int, int) error { panic("a fault") })
			t.Errorf("%d lanes: %v", lanes, err)
		}()
	}
}

// TestLanes: folds side by side leave the same files as one after the other, also if they are ended and go on, and a
// budget that is too small for two lanes is enough for one.
func TestLanes(t *testing.T) {
	t.Parallel()
	rows := fourSources(datasettest.Random(t, 61), 60)
	o := quick()
	o.Training.Views, o.Training.Kernels, o.Training.Threads = fourViews[:3], "linear@each-view,gauss:auto@noise", 1
	o.Folder = t.TempDir()
	if _, _, err := measureRows(t, t.Context(), rows, o); err != nil {
		t.Fatal(err)
	}
	want := filesOf(t, o.Folder)
	o.Training.Threads, o.Folder, o.Resume = 3, t.TempDir(), true
	for last := 0; ; {
		ctx, cancel := context.WithCancel(t.Context())
		readings := 0
		o.Report = func(p Progress) {
			if p.Done <= last && readings > 0 {
				t.Errorf("reading %d comes after reading %d", p.Done, last)
			}
			if last, readings = p.Done, readings+1; readings == 9 {
				cancel()
			}
		}
		_, _, err := measureRows(t, ctx, rows, o)
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	sameFiles(t, "three lanes", want, filesOf(t, o.Folder))
}

// TestNarrowLanes: the disk of one training is not enough for two, which then come one after the other.
func TestNarrowLanes(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 62), 60, 3)
	o := small()
	_, want, err := selectRows(t, t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Training.Disk = 4 << 10
	pool, err := openPool(t.Context(), datasettest.Stream(rows), &Options{Training: o.Training, Banks: []string{o.Training.Kernels}}, bigmkl.OpenHeldOut)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	lanes := pool.lanesOf(3)
	if lanes != 2 {
		t.Fatalf("%d lanes", lanes)
	}
	opened, err := pool.openLanes(lanes)
	if err != nil {
		t.Fatal(err)
	}
	for _, own := range opened {
		defer own.closeFold()
		if _, err := own.apart.openFold(t.Context(), "1", []int32{7}, 0); !errors.Is(err, fail.Budget) || !strings.Contains(err.Error(), "--disk is 2 KiB") {
			t.Fatalf("half of the disk: %v", err)
		}
		own.apart.training.Disk = 0
		if ok, err := own.apart.openFold(t.Context(), "1", []int32{7}, 0); !ok || err != nil || own.apart.data.Store().Len() != len(rows)-1 {
			t.Fatalf("a disk that is large enough: %v, %v", ok, err)
		}
	}
	if _, err := pool.apart.openFold(t.Context(), "1", []int32{7}, 0); err != nil {
		t.Fatal(err)
	}
	if _, got, err := selectRows(t, t.Context(), rows, o); err != nil || string(got) != string(want) {
		t.Fatalf("another table, %v", err)
	}
	for _, disk := range []int64{4 << 10, 0} {
		o.Training.Disk = disk
		if narrow := trainFolds(t, rows, o); narrow != (disk > 0) {
			t.Errorf("a disk of %d bytes, and narrow is %v", disk, narrow)
		}
	}
}

// trainFolds trains the chains of a selection, and returns whether a lane had too little memory or disk.
func trainFolds(t *testing.T, rows []dataset.Row, o Options) bool {
	t.Helper()
	o.Folder = t.TempDir()
	o.setDefaults()
	pool, err := openPool(t.Context(), datasettest.Stream(rows), &o, bigmkl.OpenHeldOut)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	r := &runner{options: &o, pool: pool}
	if err := r.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.trainAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	return pool.narrow
}

// TestHeapParts: lanes have equal parts of budgets, a disk of nothing stays one, and the heap gets what they ask for together.
func TestHeapParts(t *testing.T) {
	t.Parallel()
	var limit int64
	o := bigmkl.Options{Threads: 5, Memory: 1000, Heap: func(bytes int64) { limit = bytes }}
	h := newHeapParts(o.Heap, 2, o.Memory)
	for _, c := range []struct{ disk, want int64 }{{0, 0}, {1, 1}, {900, 450}} {
		o.Disk = c.disk
		if own := h.part(&o, 1); own.Threads != 2 || own.Memory != 500 || own.Disk != c.want {
			t.Errorf("disk %d: %d threads, %d of memory, %d of disk", c.disk, own.Threads, own.Memory, own.Disk)
		}
	}
	first, second := h.part(&o, 0), h.part(&o, 1)
	if first.Heap(100); limit != 600 {
		t.Errorf("one lane asked: %d", limit)
	}
	if second.Heap(30); limit != 130 {
		t.Errorf("both asked: %d", limit)
	}
}
