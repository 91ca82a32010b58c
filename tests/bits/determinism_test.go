package bits

import (
	"fmt"
	"math"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/dataset/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/bigmkltest"
)

func TestModelHasTheSameBits(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 1), 3000, 5)
	norms := []float64{1, 4.0 / 3, 8}
	if testlevel.Reached(testlevel.EveryKind) {
		norms = append(norms, 1.01, 1.0667, 2, math.Inf(1))
	}
	for _, p := range norms {
		t.Run(fmt.Sprintf("p=%.4g", p), func(t *testing.T) {
			testlevel.Sample(t, 2)
			o := bigmkl.Options{Kernels: bigmkltest.SeveralGroups, Norm: p, C: 0.1, Precision: "32", Gap: 5e-4}
			if p > 2 {
				o.Precision = "auto"
			}
			r := bigmkltest.SameBits(t, rows, o, bigmkltest.Tight)
			if s := r.Gradient.Cache; s.Spills == 0 || s.DiskHits == 0 {
				t.Errorf("nothing was spilled and read back: %+v", s)
			}
			if p == 4.0/3 && !bigmkltest.Slept(r) {
				t.Error("no point was ever left out of a pass: the test has lost its point")
			}
		})
	}
	t.Run("spherical", func(t *testing.T) {
		bigmkltest.SameBits(t, rows, bigmkl.Options{Kernels: bigmkltest.SeveralGroups, C: 0.1, Precision: "32", Normalize: "spherical", Gap: 5e-4}, bigmkltest.Tight)
	})
	t.Run("sparse", func(t *testing.T) {
		bigmkltest.SameBits(t, rows, bigmkl.Options{Kernels: bigmkltest.SeveralGroups, C: 0.1, Precision: "32", Store: dataset.LayoutSparse, Gap: 5e-4}, bigmkltest.Tight)
	})
	t.Run("skeleton", func(t *testing.T) {
		testlevel.Sample(t, 2)
		// A few of many widths stand for all of them, and in double precision these are others.
		for _, gap := range []float64{5e-4, 3e-5} {
			// Verify computes all widths for every pair of points, so that there are few rows.
			few := rows[:800]
			bigmkltest.SameBits(t, few, bigmkl.Options{Kernels: bigmkltest.SeveralGroups + ",gauss:0.001..10/300,laplace:auto/50", C: 0.1, Gap: gap}, bigmkltest.Tight)
		}
	})
	t.Run("double", func(t *testing.T) {
		testlevel.Sample(t, 2)
		// The run begins in single precision, with points asleep, and ends in double precision.
		bigmkltest.SameBits(t, rows, bigmkl.Options{Kernels: bigmkltest.SeveralGroups, C: 0.1, Gap: 3e-5}, bigmkltest.Tight)
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
				bigmkltest.SameBits(t, rows, bigmkl.Options{Kernels: "gauss:0.3@random:3*80,gauss:auto,linear@each-feature", Norm: p, C: 1, Seed: 5}, bigmkltest.Ample)
			})
		}
	}
	// The points that stay awake are few enough for that, and all points are not.
	bigmkltest.SameBits(t, datasettest.Clouds(rng, 2300, 8), bigmkl.Options{Kernels: "gauss:0.2@random:2*66", C: 0.02, Precision: "32", Gap: 3e-3}, bigmkltest.Ample)
}
