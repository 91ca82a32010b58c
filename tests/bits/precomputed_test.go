package bits

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestPrecomputedHasTheBitsOfTheKernel trains on matrices that Gram wrote and on the kernels themselves.
func TestPrecomputedHasTheBitsOfTheKernel(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 21)
	for number, c := range []struct {
		n         int
		kernels   string
		p, gap    float64
		precision string
		normalize string
		tuning    chunking.Tuning
	}{
		{150, "gauss:0.3", 4.0 / 3, 1e-3, "32", "none", chunking.Tuning{}},
		{150, "gauss:0.3", 2, 1e-3, "auto", "none", chunking.Tuning{}},
		{97, "gauss:0.05..0.8/4", 1, 1e-3, "32", "multiplicative", chunking.Tuning{}},
		{97, "gauss:0.05..0.8/4", 1, 1e-6, "64", "none", chunking.Tuning{}},
		{160, "gauss:0.1@1-2,gauss:0.5@3-4,gauss:0.2", 4.0 / 3, 1e-6, "64", "multiplicative", chunking.Tuning{}},
		{131, "laplace:0.3,gauss:0.2,poly:2", 2, 1e-3, "32", "none", chunking.Tuning{}},
		{131, "gauss:0.05..0.8/3", math.Inf(1), 1e-3, "64", "multiplicative", chunking.Tuning{}},
		{301, "gauss:0.1,gauss:0.5", 4.0 / 3, 5e-4, "32", "none", small}, // points are left out
		{301, "gauss:0.1,gauss:0.5", 1.0667, 5e-4, "32", "multiplicative", small},
		{3001, "gauss:0.1,gauss:0.5", 4.0 / 3, 5e-4, "32", "none", chunking.Tuning{}}, // here as well
		{3001, "gauss:0.1,gauss:0.5", 1.0667, 5e-4, "32", "multiplicative", chunking.Tuning{}},
	} {
		t.Run(strconv.Itoa(number), func(t *testing.T) { // a name with commas would be in the file names, which they would part
			if c.n > 2048 {
				testlevel.SkipBelow(t, testlevel.EveryKind)
			}
			t.Logf("%+v", c)
			rows := datasettest.Clouds(rng, c.n, 4)
			o := bigmkl.Options{Tuning: c.tuning, Kernels: c.kernels, Norm: c.p, C: 0.2, Gap: c.gap, Precision: c.precision, Normalize: "none"}
			files, specs := bigmkltest.Grams(t, rows, o, c.precision == "64")
			o.Normalize = c.normalize
			direct, r := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			o.Kernels = specs
			read, again := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			if !slices.Equal(direct.Support, read.Support) || !slices.Equal(direct.Alpha, read.Alpha) {
				t.Error("other alpha")
			}
			if !slices.Equal(direct.Theta, read.Theta) || direct.Bias != read.Bias {
				t.Errorf("theta %v, bias %v; from the matrices %v and %v", direct.Theta, direct.Bias, read.Theta, read.Bias)
			}
			if r.Iterations != again.Iterations {
				t.Errorf("%d iterations, from the matrices %d", r.Iterations, again.Iterations)
			}
			if c.n > 300 && !bigmkltest.Slept(again) {
				t.Error("no point was ever left out of a pass")
			}
			if read.Vectors != nil || read.Certificate.Kind != bigmkltest.Stationary {
				t.Errorf("%d numbers of support vectors, certificate %q", len(read.Vectors), read.Certificate.Kind)
			}
			verifytest.MustVerify(t, &direct.Model, datasettest.Stream(rows))
			verifytest.MustVerify(t, &read.Model, datasettest.Stream(rows), files...)
		})
	}
}

// TestPredictFromMatrices: rows of kernel values with the training points in the place of features.
func TestPredictFromMatrices(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 22)
	rows, fresh := datasettest.Clouds(rng, 120, 4), datasettest.Clouds(rng, 75, 4)
	for _, normalize := range []string{"none", "multiplicative"} {
		o := bigmkl.Options{Kernels: "gauss:0.1,gauss:0.7,linear", C: 1, Gap: 1e-6, Precision: "64", Normalize: "none"}
		_, specs := bigmkltest.Grams(t, rows, o, true)
		o.Normalize = normalize
		direct, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		o.Kernels = specs
		read, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		bank, err := direct.Bank()
		if err != nil {
			t.Fatal(err)
		}
		var test []string
		for k := range bank.Kernels {
			test = append(test, bigmkltest.MatrixFile(t, len(fresh), len(rows), func(i, j int) float64 {
				return bigmkltest.KernelValue(bank, bank.Kernels[k], bigmkltest.Dense(direct, fresh[i]), bigmkltest.Dense(direct, rows[j]))
			}))
		}
		want, got := bigmkltest.Decisions(t, direct, fresh, bigmkl.PredictOptions{}), bigmkltest.Decisions(t, read, fresh, bigmkl.PredictOptions{Gram: test})
		for i := range want {
			// The linear kernel is centred in training, so the two runs agree to their gap and not to the bit.
			if !(math.Abs(got[i]-want[i]) <= 1e-2) {
				t.Errorf("row %d: %g from matrices, %g directly", i+1, got[i], want[i])
			}
		}
		// The same alpha on both sides leaves rounding alone.
		twin := *read
		twin.Support, twin.Alpha, twin.Theta, twin.Bias = direct.Support, direct.Alpha, direct.Theta, direct.Bias
		twin.Normalization = direct.Normalization
		got = bigmkltest.Decisions(t, &twin, fresh, bigmkl.PredictOptions{Gram: test})
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-6) {
				t.Errorf("row %d: %g from matrices, %g directly, with the same alpha", i+1, got[i], want[i])
			}
		}
		bigmkltest.Rejected(t, "too few rows", bigmkltest.PredictFails(read, fresh, []string{test[0], test[1], bigmkltest.MatrixFile(t, 74, 120, zero)}), fail.Input)
		bigmkltest.Rejected(t, "too many rows", bigmkltest.PredictFails(read, fresh, []string{test[0], test[1], bigmkltest.MatrixFile(t, 76, 120, zero)}), fail.Input)
		bigmkltest.Rejected(t, "too narrow", bigmkltest.PredictFails(read, fresh, []string{test[0], test[1], bigmkltest.MatrixFile(t, 75, 119, zero)}), fail.Input)
		bigmkltest.Rejected(t, "two for three", bigmkltest.PredictFails(read, fresh, test[:2]), fail.Usage)
		bigmkltest.Rejected(t, "one for none", bigmkltest.PredictFails(direct, fresh, test[:1]), fail.Usage)
	}
}

// TestGramOfLinearIsTheProduct: training centres linear kernels, which a matrix must not show.
func TestGramOfLinearIsTheProduct(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 23), 70, 4)
	for i := range rows {
		for j := range rows[i].Value {
			rows[i].Value[j] += 50 // far from the origin
		}
	}
	o := bigmkl.Options{Kernels: "linear,linear@2-3", C: 0.1, Gap: 1e-6, Normalize: "none"}
	files, specs := bigmkltest.Grams(t, rows, o, true)
	direct, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	bank, err := direct.Bank()
	if err != nil {
		t.Fatal(err)
	}
	for k, f := range files {
		m, err := npy.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		row := make([]float64, len(rows))
		for i := range rows {
			m.Row64(i, 0, row)
			for j, v := range row {
				want := bigmkltest.KernelValue(bank, bank.Kernels[k], bigmkltest.Dense(direct, rows[i]), bigmkltest.Dense(direct, rows[j]))
				if !(math.Abs(v-want) <= 1e-12*math.Abs(want)) {
					t.Fatalf("entry (%d, %d) of kernel %d is %.17g, the product %.17g", i, j, k+1, v, want)
				}
			}
		}
	}
	o.Kernels = specs
	read, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	bigmkltest.SameValues(t, read, direct.Certificate.Primal, 3e-6)
	verifytest.MustVerify(t, &read.Model, datasettest.Stream(rows), files...)
}

func TestBadMatrices(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 24), 40, 3)
	identity := func(i, j int) float64 {
		if i == j {
			return 1
		}
		return 0
	}
	with := func(i, j int, v float64) func(a, b int) float64 {
		return func(a, b int) float64 {
			if a == i && b == j {
				return v
			}
			return identity(a, b)
		}
	}
	for name, file := range map[string]string{
		"too small":  bigmkltest.MatrixFile(t, 39, 39, identity),
		"too large":  bigmkltest.MatrixFile(t, 41, 41, identity),
		"too tall":   bigmkltest.MatrixFile(t, 41, 40, identity),
		"too wide":   bigmkltest.MatrixFile(t, 40, 41, identity),
		"asymmetric": bigmkltest.MatrixFile(t, 40, 40, with(7, 30, 0.5)),
		"nan":        bigmkltest.MatrixFile(t, 40, 40, with(39, 39, math.NaN())),
		"infinite":   bigmkltest.MatrixFile(t, 40, 40, with(5, 5, math.Inf(1))),
		"missing":    filepath.Join(t.TempDir(), "none.npy"),
	} {
		_, _, err := bigmkl.Train(context.Background(), datasettest.Stream(rows), bigmkl.Options{Kernels: "precomputed:" + file})
		bigmkltest.Rejected(t, name, err, fail.Input)
		if err != nil && !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %q does not name the file", name, err)
		}
	}
	good := bigmkltest.MatrixFile(t, 40, 40, identity)
	_, _, err := bigmkl.Train(context.Background(), datasettest.Stream(rows), bigmkl.Options{Kernels: "precomputed:" + good, Normalize: "spherical"})
	bigmkltest.Rejected(t, "spherical", err, fail.Usage)
	_, _, err = bigmkl.Train(context.Background(), datasettest.Stream(rows), bigmkl.Options{Kernels: "linear,precomputed:" + good + " norm=spherical"})
	bigmkltest.Rejected(t, "spherical of its own", err, fail.Usage)
	own, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "precomputed:" + good + " norm=none,linear", Normalize: "spherical"})
	verifytest.MustVerify(t, &own.Model, datasettest.Stream(rows), good)
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "precomputed:" + good + ",gauss:0.5"})
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows), good)
}

func zero(int, int) float64 { return 0 }

// TestGramIsReadBack: a matrix that gram writes is one that training takes, also where features have heavy tails and the two values
// of a pair of points are rounded apart.
func TestGramIsReadBack(t *testing.T) {
	t.Parallel()
	path := bigmkltest.DataSet(t, "spambase")
	reader, rows := bigmkltest.Open(t, path), []dataset.Row(nil)
	for i := 0; len(rows) < 400; i++ {
		row, err := reader.Next()
		if err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 {
			rows = append(rows, dataset.Row{Label: row.Label, Index: slices.Clone(row.Index), Value: slices.Clone(row.Value)})
		}
	}
	for _, kernels := range []string{"gauss:auto", "gauss:1e-5..1e-3/4", "laplace:auto", "linear"} {
		for _, double := range []bool{false, true} {
			files, specs := bigmkltest.Grams(t, rows, bigmkl.Options{Kernels: kernels}, double)
			m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), bigmkl.Options{Kernels: specs, MaxIterations: 50})
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows), files...)
		}
	}
}
