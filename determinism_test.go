package bigmkl

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bigmkl/cache"
	"bigmkl/dataset"
	"bigmkl/dataset/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/train"
	"bigmkl/verify/verifytest"
)

// severalGroups has distances, products, single features and random features.
const severalGroups = "gauss:0.05..0.4/3,laplace:0.2,linear,poly:2@1-3,gauss:0.5@4+5,gauss:auto/2@random:2*2"

// These are memory budgets in bytes at which cached rows spill to disk, and at which they do not.
const (
	tight = 36 << 20
	ample = 1 << 30
)

// budgets returns the plan that a run, or a path, would make of its budgets.
func budgets(t testing.TB, rows []dataset.Row, o Options, path bool) *Plan {
	t.Helper()
	ctx := context.Background()
	o.Scratch = t.TempDir()
	cut, err := o.Parts()
	if err != nil {
		t.Fatal(err)
	}
	w, err := train.Open(cut)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.Path = path
	if err := w.Read(ctx, datasettest.Stream(rows)); err != nil {
		t.Fatal(err)
	}
	p, err := w.Plan(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// least returns the smallest memory budget that is enough for three threads and a few rows in the
// cache, and leaves the gradients out of core.
func least(t testing.TB, rows []dataset.Row, o Options) int64 {
	t.Helper()
	return leastOf(t, rows, o, false)
}

// leastOf is least for a run or, if path is set, for a path.
func leastOf(t testing.TB, rows []dataset.Row, o Options, path bool) int64 {
	t.Helper()
	o.Memory, o.Threads, o.Cache = 1<<40, 3, cache.Auto
	all := budgets(t, rows, o, path)
	o.Memory = all.Memory.Least + min(200<<10, all.Memory.Gradients)
	if p := budgets(t, rows, o, path); p.Memory.Gradients != 0 || p.Memory.Rows <= 0 {
		t.Fatalf("gradients of %d bytes are in memory, %d are left for rows", p.Memory.Gradients, p.Memory.Rows)
	}
	return o.Memory
}

// slept reports whether points were left out of passes. In one precision and with 1 < p <= 2 every
// iteration takes one pass, and only waking takes more.
func slept(r *Result) bool { return r.Gradient.Passes >= int64(r.Iterations)+2 }

// sameBits trains in several regimes and compares the model files. memory is the budget of the
// regime that caches all rows. It returns the result of that regime.
func sameBits(t *testing.T, rows []dataset.Row, o Options, memory int64) *Result {
	t.Helper()
	regimes := []Options{
		{Threads: 1, Cache: cache.Never},
		{Threads: 2, Cache: cache.Always, Memory: memory},
		{Threads: 3, Cache: cache.Auto, Memory: least(t, rows, o)},
	}
	var want []byte
	var seen *Result
	for i, g := range regimes {
		one := o
		one.Threads, one.Cache, one.Memory = g.Threads, g.Cache, g.Memory
		m, r := converge(t, datasettest.Stream(rows), one)
		got := encoded(t, m)
		if i == 0 {
			want = got
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			t.Logf("p=%.4g: %d iterations, %d passes, %d support vectors", m.Norm, r.Iterations, r.Gradient.Passes, len(m.Support))
		}
		if !bytes.Equal(got, want) {
			t.Errorf("p=%.4g: another model with %d threads, cache %s and %d bytes of memory", m.Norm, g.Threads, g.Cache, g.Memory)
		}
		if g.Cache == cache.Always {
			seen = r
		}
	}
	return seen
}

func TestModelHasTheSameBits(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 1), 3000, 5)
	norms := []float64{1, 4.0 / 3, 8}
	if testlevel.Reached(testlevel.EveryKind) {
		norms = append(norms, 1.01, 1.0667, 2, math.Inf(1))
	}
	for _, p := range norms {
		t.Run(fmt.Sprintf("p=%.4g", p), func(t *testing.T) {
			testlevel.Sample(t, 2)
			o := Options{Kernels: severalGroups, Norm: p, C: 0.1, Precision: "32", Gap: 5e-4}
			if p > 2 {
				o.Precision = "auto"
			}
			r := sameBits(t, rows, o, tight)
			if s := r.Gradient.Cache; s.Spills == 0 || s.DiskHits == 0 {
				t.Errorf("nothing was spilled and read back: %+v", s)
			}
			if p == 4.0/3 && !slept(r) {
				t.Error("no point was ever left out of a pass: the test has lost its point")
			}
		})
	}
	t.Run("spherical", func(t *testing.T) {
		sameBits(t, rows, Options{Kernels: severalGroups, C: 0.1, Precision: "32", Normalize: "spherical", Gap: 5e-4}, tight)
	})
	t.Run("sparse", func(t *testing.T) {
		sameBits(t, rows, Options{Kernels: severalGroups, C: 0.1, Precision: "32", Store: dataset.LayoutSparse, Gap: 5e-4}, tight)
	})
	t.Run("skeleton", func(t *testing.T) {
		testlevel.Sample(t, 2)
		// A few of many widths stand for all of them, and in double precision these are others.
		for _, gap := range []float64{5e-4, 3e-5} {
			// Verify computes all widths for every pair of points, so that there are few rows.
			few := rows[:800]
			sameBits(t, few, Options{Kernels: severalGroups + ",gauss:0.001..10/300,laplace:auto/50", C: 0.1, Gap: gap}, tight)
		}
	})
	t.Run("double", func(t *testing.T) {
		testlevel.Sample(t, 2)
		// The run begins in single precision, with points asleep, and ends in double precision.
		sameBits(t, rows, Options{Kernels: severalGroups, C: 0.1, Gap: 3e-5}, tight)
	})
}

// With many groups and few points, the passes are divided by groups among the threads.
func TestManyGroupsHaveTheSameBits(t *testing.T) {
	rng := datasettest.Random(t, 2)
	for _, n := range []int{37, 300} {
		for _, p := range []float64{1, 4.0 / 3} {
			rows := datasettest.Clouds(rng, n, 8)
			t.Run(fmt.Sprintf("n=%d/p=%.4g", n, p), func(t *testing.T) {
				testlevel.Sample(t, 2)
				sameBits(t, rows, Options{Kernels: "gauss:0.3@random:3*80,gauss:auto,linear@each-feature", Norm: p, C: 1, Seed: 5}, ample)
			})
		}
	}
	// The points that stay awake are few enough for that, and all points are not.
	sameBits(t, datasettest.Clouds(rng, 2300, 8), Options{Kernels: "gauss:0.2@random:2*66", C: 0.02, Precision: "32", Gap: 3e-3}, ample)
}

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }
