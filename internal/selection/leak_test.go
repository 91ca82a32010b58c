package selection

import (
	"context"
	"errors"
	"os"
	"testing"

	"go.uber.org/goleak"

	"bigmkl/internal/datasettest"
)

// TestNothingLeaks: selections that end, that are interrupted, that go on and that fail on the way leave no goroutine and no
// open file, and nothing in the folder of scratch files.
func TestNothingLeaks(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 31), 60, 2)
	once := func() {
		o := small()
		o.Banks, o.Training.Kernels = []string{"gauss:1,linear", "gauss:0.5"}, ""
		o.Folder, o.Resume, o.Training.Scratch = t.TempDir(), true, t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		o.Report = func(p Progress) {
			if p.Done == 20 {
				cancel()
			}
		}
		if _, _, err := selectRows(t, ctx, rows, o); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		o.Report = nil
		if _, _, err := selectRows(t, t.Context(), rows, o); err != nil {
			t.Fatal(err)
		}
		for _, bad := range [][]string{{"linear", "gauss:1@nowhere"}, {"linear", "precomputed:nowhere"}} {
			other := o
			other.Banks, other.Folder = bad, t.TempDir()
			if _, _, err := selectRows(t, t.Context(), rows, other); err == nil {
				t.Errorf("%q is taken", bad)
			}
		}
		if left, err := os.ReadDir(o.Training.Scratch); err != nil || len(left) > 0 {
			t.Errorf("%v is left, %v", left, err)
		}
	}
	once()
	before := openFiles(t)
	for range 3 {
		once()
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d files are open, %d were", after, before)
	}
	goleak.VerifyNone(t)
}

// openFiles counts the files that the process has open.
func openFiles(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("descriptors cannot be counted: %v", err)
	}
	return len(entries)
}
