package resume

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// censored are rows with times, of which some are censored, with ties.
func censored(t *testing.T, seed uint64, n, d int) []dataset.Row {
	rng := datasettest.Random(t, seed)
	rows := bigmkltest.Curve(rng, n, d)
	for i := range rows {
		rows[i].Target = math.Ceil(20 * math.Exp(rows[i].Target) * rng.ExpFloat64())
		if rng.Float64() < 0.4 {
			rows[i].Target *= -1
		}
	}
	return rows
}

// TestCox: verify confirms Newton steps over all points, and no bit depends on threads, memory, cache and interruptions.
func TestCox(t *testing.T) {
	t.Parallel()
	rows := censored(t, 22, 300, 5)
	for name, o := range map[string]bigmkl.Options{
		"p=1":     {Norm: 1},
		"p=4/3":   {Norm: 4.0 / 3},
		"p=4":     {Norm: 4},
		"p=inf":   {Norm: math.Inf(1), Kernels: "gauss:0.1,gauss:1,poly:2"},
		"linear":  {Norm: 1, Kernels: "linear@each-feature,linear"},
		"elastic": {Regularizer: bigmkl.Regularizer{ElasticNet: 0.5}},
		"sparse":  {Norm: 4.0 / 3, Store: "sparse", Kernels: "gauss:auto/3,linear"},
	} {
		t.Run(name, func(t *testing.T) {
			testlevel.Sample(t, 2, 1)
			o.Task, o.Gap = bigmkl.TaskCox, 1e-5
			if o.Kernels == "" {
				o.Kernels = "gauss:0.05..0.4/3,laplace:0.2,linear,poly:2@1-3"
			}
			m, whole := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			r := bigmkltest.Resumable(t, o)
			r.Threads = 2
			bigmkltest.Interrupted(t, rows, r, max(1, whole.Iterations/2))
			r.Threads, r.Cache, r.Memory, r.Resume, r.Shards = 3, cache.Always, bigmkltest.Least(t, rows, o), true, 2
			if o.Kernels == "linear@each-feature,linear" {
				r.Cache = cache.Auto // there is nothing to cache
			}
			m2, again := bigmkltest.Converge(t, datasettest.Stream(rows), r)
			if again.Resumed == 0 {
				t.Error("the run began afresh")
			}
			if !bytes.Equal(bigmkltest.Encoded(t, m2), bigmkltest.Encoded(t, m)) {
				t.Error("another model after an interruption, with other threads and less memory")
			}
		})
	}
}

// TestCoxBudgets: the least budgets are enough, gradients out of core and all.
func TestCoxBudgets(t *testing.T) {
	t.Parallel()
	rows := censored(t, 23, 1200, 6)
	o := bigmkl.Options{Task: bigmkl.TaskCox, Kernels: "gauss:auto/3,linear", Threads: 2, Scratch: t.TempDir()}
	p := bigmkltest.Planned(t, rows, o)
	o.Memory = p.Memory.Least
	o.Disk = bigmkltest.Planned(t, rows, o).Disk.Least
	bigmkltest.Converge(t, datasettest.Stream(rows), o)
	less := o
	less.Memory--
	bigmkltest.TooSmall(t, rows, less, "memory", p.Memory.Least)
	less = o
	less.Disk--
	bigmkltest.TooSmall(t, rows, less, "disk", o.Disk)
}

// TestCoxPath: problems of a path start where the one before has ended, and each model verifies.
func TestCoxPath(t *testing.T) {
	t.Parallel()
	rows := censored(t, 24, 200, 4)
	var points []bigmkl.PathPoint
	for _, norm := range []float64{4.0 / 3, 1} {
		for _, c := range []float64{0.1, 1, 10, 0.3} {
			points = append(points, bigmkl.PathPoint{Norm: norm, C: c})
		}
	}
	o := bigmkl.Options{Task: bigmkl.TaskCox, Kernels: "gauss:auto/3,linear", Gap: 1e-4}
	var duals []float64
	err := bigmkl.Path(t.Context(), datasettest.Stream(rows), o, points, func(p bigmkl.PathPoint, m *bigmkl.Model, r *bigmkl.Result) error {
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		duals = append(duals, m.Certificate.Dual)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range points {
		o.Norm, o.C = p.Norm, p.C
		m, _ := bigmkltest.Converge(t, datasettest.Stream(slices.Clone(rows)), o)
		if !(math.Abs(m.Certificate.Dual/duals[k]-1) <= 2e-4) {
			t.Errorf("p = %g, C = %g: dual value %.9g on the path, %.9g alone", p.Norm, p.C, duals[k], m.Certificate.Dual)
		}
	}
}
