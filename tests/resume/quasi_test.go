package resume

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestQuasiNewton: the squared loss by quasi-Newton steps ends in the optimum of chunking, which verify confirms, and no bit depends on
// threads, memory, cache and interruptions.
func TestQuasiNewton(t *testing.T) {
	t.Parallel()
	rows := bigmkltest.Curve(datasettest.Random(t, 20), 300, 5)
	for name, o := range map[string]bigmkl.Options{
		"p=1":     {Norm: 1},
		"p=4/3":   {Norm: 4.0 / 3},
		"p=2":     {Norm: 2},
		"p=4":     {Norm: 4},
		"p=inf":   {Norm: math.Inf(1), Kernels: "gauss:0.1,gauss:1,poly:2"},
		"linear":  {Norm: 1, Kernels: "linear@each-feature,linear"},
		"elastic": {Regularizer: bigmkl.Regularizer{ElasticNet: 0.5}},
		"sparse":  {Norm: 4.0 / 3, Store: "sparse", Kernels: "gauss:auto/3,linear"},
	} {
		t.Run(name, func(t *testing.T) {
			testlevel.Sample(t, 2, 1)
			const gap = 1e-5
			o.Task, o.C, o.Gap = bigmkl.TaskSquare, 1, gap
			if o.Kernels == "" {
				o.Kernels = "gauss:0.05..0.4/3,laplace:0.2,linear,poly:2@1-3"
			}
			want, chunks := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			o.Solver = bigmkl.SolverLBFGS
			m, whole := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			t.Logf("%d iterations, chunking %d", whole.Iterations, chunks.Iterations)
			for what, x := range map[string][2]float64{
				"primal": {m.Certificate.Primal, want.Certificate.Primal}, "dual": {m.Certificate.Dual, want.Certificate.Dual},
			} {
				if !(math.Abs(x[0]/x[1]-1) <= gap) {
					t.Errorf("%s %.9g, chunking's %.9g", what, x[0], x[1])
				}
			}
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

// TestQuasiNewtonBudgets: the least budgets are enough, gradients out of core and all, and a start from the optimum ends there.
func TestQuasiNewtonBudgets(t *testing.T) {
	t.Parallel()
	rows := bigmkltest.Curve(datasettest.Random(t, 21), 1200, 6)
	o := bigmkl.Options{Task: bigmkl.TaskSquare, Solver: bigmkl.SolverLBFGS, Kernels: "gauss:auto/3,linear", Threads: 2, Scratch: t.TempDir()}
	p := bigmkltest.Planned(t, rows, o)
	o.Memory = p.Memory.Least
	o.Disk = bigmkltest.Planned(t, rows, o).Disk.Least
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	less := o
	less.Memory--
	bigmkltest.TooSmall(t, rows, less, "memory", p.Memory.Least)
	less = o
	less.Disk--
	bigmkltest.TooSmall(t, rows, less, "disk", o.Disk)
	o.Init = m
	o.Memory, o.Disk = 0, 0
	if _, r := bigmkltest.Converge(t, datasettest.Stream(rows), o); r.Iterations > 3 {
		t.Errorf("%d iterations from the solution", r.Iterations)
	}
}

func TestSolverOptions(t *testing.T) {
	t.Parallel()
	for _, o := range []bigmkl.Options{
		{Solver: "newton"}, {Solver: bigmkl.SolverLBFGS}, {Solver: bigmkl.SolverLBFGS, Task: bigmkl.TaskSVR}, {Solver: bigmkl.SolverLBFGS, Task: bigmkl.TaskOneClass},
		{Solver: bigmkl.SolverLBFGS, Task: bigmkl.TaskSquare, Tuning: chunking.Tuning{WorkingSet: 100}},
	} {
		t.Run(fmt.Sprintf("%s/%s", o.Solver, o.Task), func(t *testing.T) {
			if err := o.Validate(); !errors.Is(err, fail.Usage) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestSolverOfItself: the squared loss of linear kernels alone goes by quasi-Newton steps, all else by chunking.
func TestSolverOfItself(t *testing.T) {
	t.Parallel()
	rows := bigmkltest.Curve(datasettest.Random(t, 77), 200, 4)
	for kernels, want := range map[string]string{"linear@each-feature": bigmkl.SolverLBFGS, "linear@each-feature,poly:2": bigmkl.SolverChunking} {
		o := bigmkl.Options{Task: bigmkl.TaskSquare, Kernels: kernels, Scale: "standard"}
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		o.Solver = want
		asked, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		if !bytes.Equal(bigmkltest.Encoded(t, m), bigmkltest.Encoded(t, asked)) {
			t.Errorf("%s: not the model of solver %s", kernels, want)
		}
	}
}
