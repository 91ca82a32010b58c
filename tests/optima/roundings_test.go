package optima

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// nearlyConstant draws rows, the classes one after the other, on which polynomial kernels differ
// from 1 by about spread^2 of their value: normalised, they are multiplied by as much.
func nearlyConstant(t *testing.T, seed uint64, n int, spread float64) []dataset.Row {
	rng, rows := datasettest.Random(t, seed), make([]dataset.Row, n)
	for i := range rows {
		rows[i].Label = strconv.Itoa(i * 2 / n)
		for j := range 4 {
			if rng.IntN(3) == 0 {
				continue
			}
			v := spread * float64(1+rng.IntN(5)) * (1 + 0.3*float64(i*2/n))
			rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, v)
		}
	}
	return rows
}

// TestNearlyConstantKernels: where the sums that make a decision value cancel down to their
// rounding, what the model claims is still what its certificate is, and a gap that rounding makes
// up is not claimed.
func TestNearlyConstantKernels(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		rows := nearlyConstant(t, seed, 300, []float64{1e-4, 1e-5, 3e-6}[seed%3])
		o := bigmkl.Options{Kernels: "poly:1..2@each-feature", Normalize: "multiplicative", C: 0.7, Gap: 1e-2, MaxIterations: 100}
		switch seed / 3 {
		case 0:
			o.Regularizer.ElasticNet = 0.9
		case 1:
			o.Norm = 4.0 / 3
		case 2:
			o.Norm = 50
		case 3:
			o.Norm, o.Task, o.Precision = 2, bigmkl.TaskSquare, "64"
			for i := range rows {
				rows[i].Target = math.Sin(float64(i)) + float64(i*2/len(rows))
			}
		}
		m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
		report := verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		t.Logf("seed %d: %s, gap %.3g, verify %.3g", seed, r.Status, m.Certificate.RelativeGap, report.RelativeGap)
	}
}

// TestMatrixOfOneTriangle: a matrix is symmetric to a few digits only, and the function uses
// its rows, for verify too.
func TestMatrixOfOneTriangle(t *testing.T) {
	t.Parallel()
	rng, n := datasettest.Random(t, 7), 60
	rows := datasettest.Clouds(rng, n, 3)
	x := make([][3]float64, n)
	for i := range rows {
		for k, j := range rows[i].Index {
			x[i][j] = rows[i].Value[k]
		}
	}
	file := filepath.Join(t.TempDir(), "K.f64")
	var bytes []byte
	for i := range n {
		for j := range n {
			v := math.Exp(-0.3 * (sq(x[i][0]-x[j][0]) + sq(x[i][1]-x[j][1]) + sq(x[i][2]-x[j][2])))
			if i < j {
				v *= 1 + 9e-9
			}
			bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(v))
		}
	}
	if err := os.WriteFile(file, bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "precomputed:" + file, Norm: 2, C: 100, Gap: 1e-9, Precision: "64"})
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows), file)
}

func sq(x float64) float64 { return x * x }

// TestOneThetaOfIndefiniteKernels: a classifier that has left an indefinite kernel out does not count
// in the sum of the kernel over all classifiers.
func TestOneThetaOfIndefiniteKernels(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		rng := datasettest.Random(t, seed)
		rows := datasettest.Clusters(rng, 160, 5, 4, false)
		o := bigmkl.Options{
			Kernels:   "gauss:auto/2,prod(sigmoid:0.3:-1,sigmoid:0.05),sigmoid:1:-2,sigmoid:0.2:-1",
			Normalize: "spherical", Scale: "minmax", Norm: 4.0 / 3, Multiclass: bigmkl.OneVsRest, OneTheta: true,
			C: 60, Gap: 1e-4, MaxIterations: int(1 + seed),
		}
		m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		left := 0
		for k := range m.Classifiers {
			if slices.Contains(m.Classifiers[k].Theta, 0) {
				left++
			}
		}
		t.Logf("seed %d: %s, %d classifiers have left kernels out", seed, r.Status, left)
	}
}

// heavyTailed draws rows of d features of several classes. Features are powers of small integers,
// from the least power to the most, and one value is 10^8.
func heavyTailed(t *testing.T, seed uint64, n, d, classes int, least, most float64) []dataset.Row {
	rng, rows := datasettest.Random(t, seed), make([]dataset.Row, n)
	for i := range rows {
		rows[i].Label = strconv.Itoa(1 + i%classes)
		rows[i].Target = math.Exp(3 + rng.NormFloat64())
		for j := range d {
			power := least + (most-least)*float64(j)/float64(d)
			v := math.Pow(float64(1+rng.IntN(10+i%classes)), power)
			rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, v)
		}
	}
	rows[0].Value[d-1] = 2e8
	return rows
}

// TestHeavyTails: values of kernels that are many orders of magnitude apart leave a certificate
// that is true, converged or not.
func TestHeavyTails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		rows func(seed uint64) []dataset.Row
		some []uint64 // the seeds below EveryKind, of those that end in different ways
		o    bigmkl.Options
	}{
		// The polynomial kernel at the outlier is 10^30 times that at other rows, and no measure of
		// what it is to vanish.
		{"one class", func(seed uint64) []dataset.Row { return heavyTailed(t, seed, 300, 6, 1, 1, 1) }, []uint64{0, 3}, bigmkl.Options{
			Kernels: "gauss:0.01,poly:2..2:0.0004:0", Task: bigmkl.TaskOneClass, Nu: 0.1, Normalize: "none",
			Norm: 2, Gap: 3e-3, Precision: "32",
		}},
		// One row is so far from all others that its value alone is off by more than the gap.
		{"one far point", oneFarPoint, []uint64{0, 2, 3, 6}, bigmkl.Options{
			Kernels: "linear,poly:3..5:1.51:1", Task: bigmkl.TaskOneClass, Nu: 0.99, Normalize: "none",
			Scale: "standard", Norm: 1.0667, Gap: 1e-3, Precision: "32",
		}},
		// A few rows have so large a cost that rounding of their values alone is more than the gap, and
		// no sample of the others shows it.
		{"a few dear rows", fewDearRows, []uint64{0, 1, 3, 7}, bigmkl.Options{
			Kernels: "poly:3:1:30", Normalize: "multiplicative", Norm: 2, Gap: 1e-3, Precision: "32",
		}},
		// Steps over all points that are tiny against their direction never even out the sum of
		// alpha.
		{"square", func(seed uint64) []dataset.Row { return heavyTailed(t, seed, 200, 8, 1, 1, 9) }, []uint64{0, 3, 4, 6}, bigmkl.Options{
			Kernels: "linear", Task: bigmkl.TaskSquare, Normalize: "none",
			Regularizer: bigmkl.Regularizer{ElasticNet: 0.01}, Gap: 1e-5, MaxIterations: 20000,
		}},
		// V_m of the kernels with the largest values is found to be 0 when the gradients of a run
		// that ends are computed again.
		{"several classifiers", func(seed uint64) []dataset.Row { return heavyTailed(t, seed, 120, 16, 8, 3, 3) }, []uint64{0, 1}, bigmkl.Options{
			Kernels: "poly:1..2,poly:2..4:0.0852:1@11-11 norm=none", Multiclass: bigmkl.OneVsOne,
			Normalize: "multiplicative", Norm: 2, Gap: 1e-2, Precision: "64", MaxIterations: 3,
		}},
		// The kernel with the largest values has V_m = 0, as both support vectors are alike to it. If
		// that were off by its rounding it would have a weight, and the claim of a run that ends there
		// allows for it.
		{"a kernel without a weight", withTwins, []uint64{0, 1, 2, 3}, bigmkl.Options{
			Kernels: "gauss:0.1@1-2,poly:2..2@3-3", Normalize: "none", Norm: 1, Gap: 1e-5,
			Precision: "32", MaxIterations: 1,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.C = 1
			for seed := range uint64(8) {
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					if !slices.Contains(c.some, seed) {
						testlevel.SkipBelow(t, testlevel.EveryKind)
					}
					rows := c.rows(seed)
					m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), c.o)
					report := verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
					t.Logf("%s after %d iterations, verified gap %.3g", r.Status, r.Iterations,
						report.RelativeGap)
				})
			}
		})
	}
}

// fewDearRows draws rows of two classes, of which every hundredth counts as thousands of others.
func fewDearRows(seed uint64) []dataset.Row {
	rng := rand.New(rand.NewPCG(seed, 77))
	rows := make([]dataset.Row, 600)
	for i := range rows {
		y := float64(i%2*2 - 1)
		rows[i] = dataset.Row{Label: []string{"-1", "1"}[i%2], Weight: 1}
		if i%100 == 51 {
			rows[i].Weight = 5000
		}
		for j := range 4 {
			rows[i].Index = append(rows[i].Index, int32(j))
			rows[i].Value = append(rows[i].Value, y/4+rng.NormFloat64())
		}
	}
	return rows
}

// TestHeldKernelWithoutAPart: a wrapper holds the weights of kernels while alpha moves. A kernel that
// is indefinite may have a function other than 0 whose V_m = 0, and then has no weight in the model:
// what the run claims is without that function.
func TestHeldKernelWithoutAPart(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		rows := datasettest.Clouds(datasettest.Random(t, seed), 60, 4)
		for _, p := range []float64{4.0 / 3, 4, 8} {
			m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), bigmkl.Options{
				Kernels: "pow(poly:3..3,3),pow(linear,2),sigmoid:0.406:0", Normalize: "spherical",
				Scale: "global", Norm: p, Solver: bigmkl.SolverWrapper, Gap: 1e-6, C: 1.24,
			})
			report := verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			t.Logf("seed %d, p = %g: %s, verified gap %.3g", seed, p, r.Status, report.RelativeGap)
		}
	}
}

// oneFarPoint returns rows near each other, and one far away.
func oneFarPoint(seed uint64) []dataset.Row {
	rng := rand.New(rand.NewPCG(seed, 9))
	rows := make([]dataset.Row, 305)
	for i := range rows {
		size := 0.01
		if i == 100 {
			size = 30
		}
		rows[i] = dataset.Row{Label: "1", Index: []int32{0, 1, 2, 3, 4}}
		for range rows[i].Index {
			rows[i].Value = append(rows[i].Value, size*rng.NormFloat64())
		}
	}
	return rows
}

// withTwins returns rows whose third feature, of 10^5 in four rows of five, is 0 in the rest.
func withTwins(seed uint64) []dataset.Row {
	rng := rand.New(rand.NewPCG(seed, 8))
	rows := make([]dataset.Row, 60)
	for i := range rows {
		large := 1e5
		if i%5 == 4 {
			large = 0
		}
		rows[i] = dataset.Row{Label: []string{"1", "-1"}[i%2], Index: []int32{0, 1, 2},
			Value: []float64{rng.NormFloat64(), rng.NormFloat64(), large}}
	}
	return rows
}

// TestStepsOfRounding: where kernels in single precision are not sums of squares any more,
// steps over all points would lower the dual value and grow from iteration to iteration, up to
// decision values that are not numbers.
func TestStepsOfRounding(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		rows := nearlyConstant(t, seed, 100, 1e-4)
		for i := range rows {
			rows[i].Target = float64(i * 2 / len(rows))
		}
		m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), bigmkl.Options{
			Kernels: "chi2:0.01,poly:1..2@each-feature", Normalize: "multiplicative", Norm: 2, C: 2,
			Task: bigmkl.TaskSquare, Solver: bigmkl.SolverLBFGS, Precision: "32", Gap: 1e-6, MaxIterations: 100,
		})
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		most := 0.0
		for _, a := range m.Alpha {
			most = max(most, math.Abs(a))
		}
		// At the optimum |alpha_i| is C times a residual, and these are at most 1.
		t.Logf("seed %d: %s, dual value %.3g, largest alpha %.3g", seed, r.Status, m.Certificate.Dual, most)
		if most > 1e6 {
			t.Errorf("seed %d: alpha is up to %.3g", seed, most)
		}
	}
}
