package bigmkl

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/internal/fail"
)

// TestPath: every model of a path is certified and confirmed, ends at the optimum of a run of its own, and is the same for any
// number of threads and any memory.
func TestPath(t *testing.T) {
	rows := clouds(random(t, 81), 600, 4)
	for i := range rows {
		rows[i].Weight = 1 + float64(i%3)
	}
	points := Grid([]float64{1, 4.0 / 3, 2, 4, math.Inf(1)}, []float64{0.2, 0.5, 1.25})
	if len(points) != 15 || points[0] != (PathPoint{1, 0.2}) || points[3] != (PathPoint{4.0 / 3, 1.25}) || points[14] != (PathPoint{math.Inf(1), 1.25}) {
		t.Fatalf("the grid %v", points)
	}
	var files [][]byte
	total, cold := 0, 0
	for run, o := range []Options{
		{Threads: 1}, {Threads: 3, Memory: 64 << 20}, {Threads: 2, Cache: cache.Never},
	} {
		o.Kernels, o.Scratch, o.Gap = pathBank, t.TempDir(), 1e-4
		k := 0
		err := Path(context.Background(), stream(rows), o, points, func(p PathPoint, m *Model, r *Result) error {
			if p != points[k] || m.Norm != p.Norm || m.C != p.C {
				t.Errorf("model %d has p = %g, C = %g", k, m.Norm, m.C)
			}
			file := encoded(t, m)
			if run > 0 {
				if !bytes.Equal(file, files[k]) {
					t.Errorf("run %d: p = %g, C = %g: other bits", run, p.Norm, p.C)
				}
				k++
				return nil
			}
			files = append(files, file)
			if r.Status != chunking.Converged || m.Certificate.RelativeGap > o.Gap {
				t.Errorf("p = %g, C = %g: %s at %g", p.Norm, p.C, r.Status, m.Certificate.RelativeGap)
			}
			mustVerify(t, m, stream(rows))
			single := o
			single.Norm, single.C = p.Norm, p.C
			alone, first := converge(t, stream(rows), single)
			if d := math.Abs(m.Certificate.Dual - alone.Certificate.Dual); d > 2*o.Gap*alone.Certificate.Primal {
				t.Errorf("p = %g, C = %g: dual %g, alone %g", p.Norm, p.C, m.Certificate.Dual, alone.Certificate.Dual)
			}
			total, cold = total+r.Iterations, cold+first.Iterations
			k++
			return nil
		})
		if err != nil || k != len(points) {
			t.Fatalf("%d models, %v", k, err)
		}
	}
	t.Logf("%d iterations, %d from nothing", total, cold)
	if total >= cold {
		t.Errorf("a path takes %d iterations, separate runs %d", total, cold)
	}
}

// TestPathEnds: what a path refuses, an error of the receiver, and an interrupt.
func TestPathEnds(t *testing.T) {
	rows := clouds(random(t, 82), 200, 3)
	none := func(PathPoint, *Model, *Result) error { return nil }
	for name, c := range map[string]struct {
		o      Options
		points []PathPoint
	}{
		"nothing":     {Options{}, nil},
		"checkpoints": {Options{Checkpoint: t.TempDir()}, []PathPoint{{1, 1}}},
		"p":           {Options{}, []PathPoint{{0.5, 1}}},
		"C":           {Options{}, []PathPoint{{1, 1}, {2, 0}}},
	} {
		if err := Path(t.Context(), stream(rows), c.o, c.points, none); !errors.Is(err, fail.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o := Options{Kernels: "gauss:0.3,linear", Scratch: t.TempDir()}
	enough := errors.New("enough")
	seen := 0
	err := Path(t.Context(), stream(rows), o, Grid([]float64{1, 2}, []float64{1, 2}), func(PathPoint, *Model, *Result) error {
		if seen++; seen == 2 {
			return enough
		}
		return nil
	})
	if err != enough || seen != 2 {
		t.Errorf("%d models, %v", seen, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen = 0
	err = Path(ctx, stream(rows), o, Grid([]float64{1, 2}, []float64{1, 2}), func(PathPoint, *Model, *Result) error {
		seen++
		cancel()
		return nil
	})
	if err != context.Canceled || seen != 1 {
		t.Errorf("between two: %d models, %v", seen, err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	o.Recorder, o.Gap = &stopAt{iteration: 1, stop: cancel}, 1e-6
	seen = 0
	err = Path(ctx, stream(rows), o, Grid([]float64{1, 2}, []float64{1, 2}), func(_ PathPoint, m *Model, r *Result) error {
		if seen++; r.Status != chunking.Interrupted || m == nil {
			t.Errorf("%s", r.Status)
		}
		return nil
	})
	if err != nil || seen != 1 {
		t.Errorf("%d models, %v", seen, err)
	}
}
