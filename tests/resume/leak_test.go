package resume

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// held is what a process holds of the system: open files and mapped regions that are not its own memory.
func held(t *testing.T) (descriptors []string, maps int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("descriptors cannot be counted: %v", err)
	}
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); err == nil { // not the one that lists them
			if strings.HasPrefix(target, "socket:") {
				t.Errorf("%s is open: nothing here uses a network", target)
			}
			descriptors = append(descriptors, target)
		}
	}
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skipf("maps cannot be counted: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 5 && strings.HasPrefix(fields[5], "/") {
			maps++
		}
	}
	return descriptors, maps
}

// TestNothingLeaks trains, interrupts, resumes, predicts and verifies many times: no goroutine, descriptor or mapped file is left.
func TestNothingLeaks(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 1), 400, 5)
	o := bigmkl.Options{Kernels: bigmkltest.SeveralGroups, C: 0.1, Precision: "32", Gap: 1e-2, Cache: cache.Always, Threads: 3,
		Tuning: chunking.Tuning{WorkingSet: 32, Shrink: 0.8}}
	o.Memory = bigmkltest.Least(t, rows, o) // Rows go to disk.
	once := func() {
		r := bigmkltest.Resumable(t, o)
		bigmkltest.Interrupted(t, rows, r, 3)
		r.Resume = true
		r.Recorder = bigmkltest.Recorder(func(bigmkl.Event) error {
			held(t)
			return nil
		})
		m, result := bigmkltest.Converge(t, datasettest.Stream(rows), r)
		if result.Gradient.Cache.Spills == 0 {
			t.Fatal("nothing was spilled: the test has lost its point")
		}
		if err := m.Predict(context.Background(), datasettest.Stream(rows[:100]), bigmkl.PredictOptions{}, func(bigmkl.Prediction) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if _, err := verify.Run(context.Background(), &m.Model, datasettest.Stream(rows), verify.Options{Sample: 100}); err != nil {
			t.Fatal(err)
		}
		// Runs that fail on the way hold nothing either.
		bad := o
		bad.Scratch, bad.Recorder = t.TempDir(), bigmkltest.Recorder(func(bigmkl.Event) error { return os.ErrClosed })
		if _, _, err := bigmkl.Train(context.Background(), datasettest.Stream(rows), bad); err == nil {
			t.Fatal("a recorder's error was lost")
		}
	}
	once()
	goleak.VerifyNone(t)
	runtime.GC()
	files, maps := held(t)
	for range testlevel.Repeats(3, 25) {
		once()
	}
	goleak.VerifyNone(t)
	runtime.GC()
	if now, _ := held(t); len(now) != len(files) {
		t.Errorf("descriptors before:\n%s\nand after:\n%s", strings.Join(files, "\n"), strings.Join(now, "\n"))
	}
	if _, now := held(t); now != maps {
		t.Errorf("%d mapped files before, %d after", maps, now)
	}
}
