package optima

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// alongPath checks that every model of a path is certified and confirmed, ends at the optimum of a run of its own, and is the same for
// any number of threads, with and without cached rows, and with gradients in memory and on disk. It gives the iterations of the
// path and of separate runs.
func alongPath(t *testing.T, rows []dataset.Row, o bigmkl.Options, points []bigmkl.PathPoint) (total, cold int) {
	t.Helper()
	memory, planned := int64(0), map[float64]bool{}
	for _, p := range points {
		if planned[p.Norm] {
			continue // the cost takes no memory
		}
		planned[p.Norm] = true
		here := o
		here.Norm, here.C = p.Norm, p.C
		memory = max(memory, bigmkltest.LeastOf(t, rows, here, true))
	}
	var files [][]byte
	for run, regime := range []bigmkl.Options{{Threads: 1}, {Threads: 3, Memory: memory}, {Threads: 2, Cache: cache.Never}} {
		o.Threads, o.Memory, o.Cache, o.Scratch = regime.Threads, regime.Memory, regime.Cache, t.TempDir()
		k := 0
		err := bigmkl.Path(t.Context(), datasettest.Stream(rows), o, points, func(p bigmkl.PathPoint, m *bigmkl.Model, r *bigmkl.Result) error {
			if p != points[k] || m.Norm != p.Norm || m.C != p.C {
				t.Errorf("model %d has p = %g, C = %g", k, m.Norm, m.C)
			}
			file := bigmkltest.Encoded(t, m)
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
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			single := o
			single.Norm, single.C = p.Norm, p.C
			alone, first := bigmkltest.Converge(t, datasettest.Stream(rows), single)
			if d := math.Abs(m.Certificate.Dual - alone.Certificate.Dual); d > 2*o.Gap*math.Abs(alone.Certificate.Primal) {
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
	return total, cold
}

// TestPath: a path over all kinds of block norms takes fewer iterations than separate runs.
func TestPath(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 81), 160, 4)
	for i := range rows {
		rows[i].Weight = 1 + float64(i%3)
	}
	points := bigmkl.Grid([]float64{1, 4.0 / 3, 2, 4, math.Inf(1)}, []float64{0.2, 0.5, 1.25})
	if len(points) != 15 || points[0] != (bigmkl.PathPoint{Norm: 1, C: 0.2}) || points[3] != (bigmkl.PathPoint{Norm: 4.0 / 3, C: 0.2}) || points[14] != (bigmkl.PathPoint{Norm: math.Inf(1), C: 1.25}) {
		t.Fatalf("the grid %v", points)
	}
	if total, cold := alongPath(t, rows, bigmkl.Options{Kernels: pathBank, Gap: 1e-4}, points); total >= cold {
		t.Errorf("a path takes %d iterations, separate runs %d", total, cold)
	}
}

// TestPathOfTasks: paths of regression, of odds and of one class.
func TestPathOfTasks(t *testing.T) {
	t.Parallel()
	rows := bigmkltest.Curve(datasettest.Random(t, 83), 120, 3)
	for _, task := range []string{bigmkl.TaskSVR, bigmkl.TaskSquare, bigmkl.TaskQuantile, bigmkl.TaskHuber, bigmkl.TaskExpectile, bigmkl.TaskLogistic, bigmkl.TaskSurvival, bigmkl.TaskRank, bigmkl.TaskOneClass} {
		t.Run(task, func(t *testing.T) {
			testlevel.Sample(t, 3, 1)
			costs := []float64{0.5, 8}
			if task == bigmkl.TaskOneClass {
				costs = []float64{1}
			}
			rows := rows
			if task == bigmkl.TaskRank {
				rows = bigmkltest.Ranked(rows)
			}
			alongPath(t, rows, bigmkl.Options{Task: task, Kernels: pathBank, Gap: 1e-4}, bigmkl.Grid([]float64{1, 4.0 / 3, 4}, costs))
		})
	}
}

// TestPathOfNorms: paths with every other norm, over its p if it has one.
func TestPathOfNorms(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 84), 100, 8)
	table := regularized(t)
	for name, o := range table {
		t.Run(name, func(t *testing.T) {
			bigmkltest.NameInTurn(t, table, name, 4)
			norms := []float64{1, 1.5, 4}
			if r := o.Regularizer; r.ElasticNet != 0 || r.Interaction != nil || r.Weights != nil {
				norms = []float64{o.Point().Norm} // the norm has no exponent
			}
			o.Gap = 1e-4
			alongPath(t, rows, o, bigmkl.Grid(norms, []float64{0.5, 2}))
		})
	}
}

// TestPathEnds: what a path rejects, an error of the receiver, and an interrupt.
func TestPathEnds(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 82), 200, 3)
	none := func(bigmkl.PathPoint, *bigmkl.Model, *bigmkl.Result) error { return nil }
	for name, c := range map[string]struct {
		o      bigmkl.Options
		points []bigmkl.PathPoint
	}{
		"nothing":     {bigmkl.Options{}, nil},
		"checkpoints": {bigmkl.Options{Checkpoint: t.TempDir()}, []bigmkl.PathPoint{{Norm: 1, C: 1}}},
		"p":           {bigmkl.Options{}, []bigmkl.PathPoint{{Norm: 0.5, C: 1}}},
		"C":           {bigmkl.Options{}, []bigmkl.PathPoint{{Norm: 1, C: 1}, {Norm: 2, C: 0}}},
		"C at first":  {bigmkl.Options{}, []bigmkl.PathPoint{{Norm: 1, C: 0}, {Norm: 1, C: 1}}},
		"no cost":     {bigmkl.Options{Task: bigmkl.TaskOneClass}, []bigmkl.PathPoint{{Norm: 1, C: 1}, {Norm: 1, C: 2}}},
		"no p":        {bigmkl.Options{Regularizer: bigmkl.Regularizer{Weights: []float64{1}}}, []bigmkl.PathPoint{{Norm: 2, C: 1}, {Norm: 1, C: 1}}},
		"not its p":   {bigmkl.Options{Regularizer: bigmkl.Regularizer{ElasticNet: 0.5}}, []bigmkl.PathPoint{{Norm: 2, C: 1}}},
	} {
		if err := bigmkl.Path(t.Context(), datasettest.Stream(rows), c.o, c.points, none); !errors.Is(err, fail.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o := bigmkl.Options{Kernels: "gauss:0.3,linear", Scratch: t.TempDir()}
	enough := errors.New("enough")
	seen := 0
	err := bigmkl.Path(t.Context(), datasettest.Stream(rows), o, bigmkl.Grid([]float64{1, 2}, []float64{1, 2}), func(bigmkl.PathPoint, *bigmkl.Model, *bigmkl.Result) error {
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
	err = bigmkl.Path(ctx, datasettest.Stream(rows), o, bigmkl.Grid([]float64{1, 2}, []float64{1, 2}), func(bigmkl.PathPoint, *bigmkl.Model, *bigmkl.Result) error {
		seen++
		cancel()
		return nil
	})
	if err != context.Canceled || seen != 1 {
		t.Errorf("between two: %d models, %v", seen, err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	o.Recorder, o.Gap = &bigmkltest.StopAt{Iteration: 1, Stop: cancel}, 1e-6
	seen = 0
	err = bigmkl.Path(ctx, datasettest.Stream(rows), o, bigmkl.Grid([]float64{1, 2}, []float64{1, 2}), func(_ bigmkl.PathPoint, m *bigmkl.Model, r *bigmkl.Result) error {
		if seen++; r.Status != chunking.Interrupted || m == nil {
			t.Errorf("%s", r.Status)
		}
		return nil
	})
	if err != nil || seen != 1 {
		t.Errorf("%d models, %v", seen, err)
	}
}
