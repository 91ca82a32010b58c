package optima

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/invariant"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// extreme draws a small problem and its options. Rows are repeated, and features and costs span
// many orders of magnitude.
func extreme(seed uint64) ([]dataset.Row, bigmkl.Options) {
	r := rand.New(rand.NewPCG(seed, 5))
	n, d, sort, scale := 4+r.IntN(40), 1+r.IntN(6), r.IntN(5), 1.0
	if r.IntN(2) == 0 {
		scale = math.Pow(10, float64(r.IntN(17)-8))
	}
	rows := make([]dataset.Row, n)
	for i := range rows {
		rows[i] = dataset.Row{Label: strconv.Itoa(1 - 2*(i%2)), Weight: 1, Target: r.NormFloat64()}
		for j := range d {
			v := []float64{float64(r.IntN(2)), float64(r.IntN(3) - 1), r.NormFloat64(), float64(max(r.IntN(2), 1-j)), r.NormFloat64() + float64(1-2*(i%2))}[sort]
			rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, v*scale)
		}
		if i > 2 && r.IntN(3) == 0 {
			rows[i].Index, rows[i].Value = rows[i-1].Index, rows[i-1].Value
		}
	}
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	o := bigmkl.Options{
		Kernels:   pick("linear@each-feature", "gauss:auto/3", "gauss:1,linear", "linear,poly:2", "linear@each-feature,gauss:auto/3", "gauss:0.001..1000/5", "poly:1..3@each-feature", "intersection,linear"),
		Normalize: pick("none", "multiplicative", "spherical"), Scale: pick("none", "minmax", "standard"),
		Norm: []float64{1, 1, 1, 1.05, 4.0 / 3, 2, 5, 50, math.Inf(1)}[r.IntN(9)], Gap: []float64{1e-3, 1e-2, 1e-5, 0.3}[r.IntN(4)],
		Precision: pick("auto", "32", "64"), Task: pick("class", "class", "logistic", "class", "svr", "square", "quantile", "huber", "expectile", "survival"), MaxIterations: 300,
		Solver: pick("", "", "", "wrapper", "cpm"), C: math.Pow(10, float64(r.IntN(21)-8)), Threads: 1,
	}
	if o.Task == bigmkl.TaskQuantile || o.Task == bigmkl.TaskExpectile || o.Task == bigmkl.TaskSurvival {
		o.Tau = []float64{0.1, 0.5, 0.99}[r.IntN(3)]
	}
	if o.Task == bigmkl.TaskSVR {
		o.Epsilon = []float64{0.1, 1, 3}[r.IntN(3)]
	}
	if o.Norm > 2 && o.Solver == bigmkl.SolverCPM {
		o.Solver = ""
	}
	if r.IntN(3) == 0 {
		o.MaxIterations = 1 + r.IntN(6)
	}
	return rows, o
}

// TestExtremes: whatever the costs and the data are, a gap that is said to be reached is there in
// the arithmetic of verify, and the reported weights have the norm 1.
func TestExtremes(t *testing.T) {
	t.Parallel()
	if invariant.Enabled {
		t.Skip("invariants compare gradients with what alpha makes of them now: with costs of 1e12 rounding of what it was before is more")
	}
	first, count := uint64(20000), uint64(testlevel.Repeats(300, 5000))
	if testlevel.Reached(testlevel.ManyTimes) {
		// A long run searches new problems, and an ordinary one repeats the same.
		first = rand.Uint64N(1 << 40)
	}
	t.Logf("seeds %d to %d", first, first+count-1)
	converged, scratch := 0, t.TempDir()
	for seed := first; seed < first+count; seed++ {
		rows, o := extreme(seed)
		if !testlevel.Reached(testlevel.EveryKind) {
			o.MaxIterations = min(o.MaxIterations, 40) // what takes more than 40 hardly ever converges
		}
		o.Scratch = scratch
		m, r, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o)
		if err != nil {
			// Some problems are rejected, such as those with kernel values that are not finite.
			continue
		}
		v, err := verify.Run(t.Context(), &m.Model, datasettest.Stream(rows), verify.Options{Threads: 1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		name := fmt.Sprintf("seed %d, %s, p = %g, C = %g, gap %g, precision %s, %s %s", seed, o.Kernels, o.Norm, o.C, o.Gap, o.Precision, o.Task, o.Solver)
		if r.Status == chunking.Converged {
			if converged++; !(v.RelativeGap <= 1.1*max(m.Gap, m.Certificate.RelativeGap)) {
				t.Errorf("%s: converged at a gap of %.3g, verify finds %.3g", name, m.Certificate.RelativeGap, v.RelativeGap)
			}
		}
		for _, f := range v.Faults {
			if strings.HasPrefix(f, "sum theta") || strings.Contains(f, "for p = 2") || strings.Contains(f, "stands for") {
				t.Errorf("%s: %s", name, f)
			}
		}
	}
	if converged < int(count)/4 {
		t.Errorf("%d of %d converged", converged, count)
	}
}

// TestRoundingOfLargeCosts: equal rows of both classes have dual variables of 1e10, beside which
// the other variables are lost in the rounding of single precision. No gap can be claimed from what
// is left.
func TestRoundingOfLargeCosts(t *testing.T) {
	t.Parallel()
	rows := []dataset.Row{
		{Label: "1", Index: []int32{0, 1, 2}, Value: []float64{1.73, -1.14, -1.66}}, {Label: "-1", Index: []int32{0, 1, 2}, Value: []float64{-0.58, 1.61, 0.07}},
		{Label: "1", Index: []int32{0, 1, 2}, Value: []float64{-0.57, -0.23, 0.79}}, {Label: "-1", Index: []int32{0, 1, 2}, Value: []float64{-0.57, -0.23, 0.79}},
	}
	for _, precision := range []string{"auto", "32"} {
		for _, norm := range []float64{1, 4.0 / 3, 2, 50} {
			for _, c := range []float64{1e8, 1e10, 1e12} {
				m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "gauss:0.08,gauss:0.16,linear@each-feature", Norm: norm, C: c, Gap: 1e-3, Precision: precision, MaxIterations: 500})
				v, err := verify.Run(t.Context(), &m.Model, datasettest.Stream(rows), verify.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if r.Status == chunking.Converged && !(v.RelativeGap <= 1.1*1e-3) {
					t.Errorf("p = %g, C = %g, precision %s: converged at a gap of %.3g, verify finds %.3g", norm, c, precision, m.Certificate.RelativeGap, v.RelativeGap)
				}
			}
		}
	}
}

// TestCostsBeyondRounding: a cost at which rounding hides any gap is named in a warning, and the
// run comes to an end.
func TestCostsBeyondRounding(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 5), 60, 3)
	for _, c := range []float64{1, 1e6, 1e12, 1e15, 1e100, 1e300} {
		o := bigmkl.Options{Kernels: "gauss:auto/2,linear", C: c, MaxIterations: 5000, Scratch: t.TempDir()}
		_, r, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o)
		if err != nil {
			if c < 1e100 {
				t.Errorf("C = %g: %v", c, err)
			}
			continue
		}
		named := slices.ContainsFunc(r.Warnings, func(s string) bool { return strings.Contains(s, "rounding of double precision") })
		if named != (c > 1e13) {
			t.Errorf("C = %g: %q", c, r.Warnings)
		}
		if r.Status == chunking.IterationLimit {
			t.Errorf("C = %g: no end after %d iterations", c, r.Iterations)
		}
	}
}

// TestDifferencesBelowTheMean: a narrow kernel separates features that differ by less than the
// rounding of their mean.
func TestDifferencesBelowTheMean(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 6)
	for _, store := range []dataset.Layout{dataset.LayoutDense, dataset.LayoutSparse} {
		for _, kernels := range []string{"gauss:1e18,linear", "gauss:1e18@1-2,gauss:1e17@2-3,linear,poly:2@1-2,gauss:1e18@1-3", "gauss:3e18"} {
			rows := datasettest.Clouds(rng, 60, 3)
			for i := range rows {
				for j := range rows[i].Value {
					rows[i].Value[j] *= 1e-9
				}
			}
			// The two rows lie far away from the others, so the means are about 1.
			for i := range 2 {
				rows[i].Index, rows[i].Value = []int32{0, 1, 2}, []float64{30, 30, 30}
			}
			m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: kernels, Store: store, Normalize: "none"})
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		}
	}
}
