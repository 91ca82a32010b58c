package bigmkl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/dataset/datasettest"
	"bigmkl/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/verify/verifytest"
)

// grams writes the matrices of the kernels and returns the specification that reads them.
func grams(t testing.TB, rows []dataset.Row, o Options, double bool) (files []string, specs string) {
	t.Helper()
	folder := t.TempDir()
	o.Scratch = t.TempDir()
	err := Gram(context.Background(), datasettest.Stream(rows), o, double, func(kernel, _ int) (string, error) {
		files = append(files, filepath.Join(folder, fmt.Sprintf("%d.npy", kernel)))
		return files[kernel], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		specs += ",precomputed:" + f
	}
	return files, specs[1:]
}

// TestPrecomputedHasTheBitsOfTheKernel trains on matrices that Gram wrote and on the kernels themselves.
func TestPrecomputedHasTheBitsOfTheKernel(t *testing.T) {
	rng := datasettest.Random(t, 21)
	for number, c := range []struct {
		n         int
		kernels   string
		p, gap    float64
		precision string
		normalize string
	}{
		{150, "gauss:0.3", 4.0 / 3, 1e-3, "32", "none"},
		{150, "gauss:0.3", 2, 1e-3, "auto", "none"},
		{97, "gauss:0.05..0.8/4", 1, 1e-3, "32", "multiplicative"},
		{97, "gauss:0.05..0.8/4", 1, 1e-6, "64", "none"},
		{160, "gauss:0.1@1-2,gauss:0.5@3-4,gauss:0.2", 4.0 / 3, 1e-6, "64", "multiplicative"},
		{131, "laplace:0.3,gauss:0.2,poly:2", 2, 1e-3, "32", "none"},
		{131, "gauss:0.05..0.8/3", math.Inf(1), 1e-3, "64", "multiplicative"},
		{3001, "gauss:0.1,gauss:0.5", 4.0 / 3, 5e-4, "32", "none"}, // large enough for points to be left out
		{3001, "gauss:0.1,gauss:0.5", 1.0667, 5e-4, "32", "multiplicative"},
	} {
		t.Run(strconv.Itoa(number), func(t *testing.T) { // a name with commas would be in the file names, which they would part
			t.Logf("%+v", c)
			rows := datasettest.Clouds(rng, c.n, 4)
			o := Options{Kernels: c.kernels, Norm: c.p, C: 0.2, Gap: c.gap, Precision: c.precision, Normalize: "none"}
			files, specs := grams(t, rows, o, c.precision == "64")
			o.Normalize = c.normalize
			direct, r := converge(t, datasettest.Stream(rows), o)
			o.Kernels = specs
			read, again := converge(t, datasettest.Stream(rows), o)
			if !slices.Equal(direct.Support, read.Support) || !slices.Equal(direct.Alpha, read.Alpha) {
				t.Error("other alpha")
			}
			if !slices.Equal(direct.Theta, read.Theta) || direct.Bias != read.Bias {
				t.Errorf("theta %v, bias %v; from the matrices %v and %v", direct.Theta, direct.Bias, read.Theta, read.Bias)
			}
			if r.Iterations != again.Iterations {
				t.Errorf("%d iterations, from the matrices %d", r.Iterations, again.Iterations)
			}
			if c.n > 2048 && !slept(again) {
				t.Error("no point was ever left out of a pass")
			}
			if read.Vectors != nil || read.Certificate.Kind != stationary {
				t.Errorf("%d numbers of support vectors, certificate %q", len(read.Vectors), read.Certificate.Kind)
			}
			verifytest.MustVerify(t, &direct.Model, datasettest.Stream(rows))
			verifytest.MustVerify(t, &read.Model, datasettest.Stream(rows), files...)
		})
	}
}

// TestPredictFromMatrices: rows of kernel values with the training points in the place of features.
func TestPredictFromMatrices(t *testing.T) {
	rng := datasettest.Random(t, 22)
	rows, fresh := datasettest.Clouds(rng, 120, 4), datasettest.Clouds(rng, 75, 4)
	for _, normalize := range []string{"none", "multiplicative"} {
		o := Options{Kernels: "gauss:0.1,gauss:0.7,linear", C: 1, Gap: 1e-6, Precision: "64", Normalize: "none"}
		_, specs := grams(t, rows, o, true)
		o.Normalize = normalize
		direct, _ := converge(t, datasettest.Stream(rows), o)
		o.Kernels = specs
		read, _ := converge(t, datasettest.Stream(rows), o)
		bank, err := direct.Bank()
		if err != nil {
			t.Fatal(err)
		}
		var test []string
		for k := range bank.Kernels {
			test = append(test, matrixFile(t, len(fresh), len(rows), func(i, j int) float64 {
				return kernelValue(bank, bank.Kernels[k], dense(direct, fresh[i]), dense(direct, rows[j]))
			}))
		}
		want, got := decisions(t, direct, fresh, PredictOptions{}), decisions(t, read, fresh, PredictOptions{Gram: test})
		for i := range want {
			// The linear kernel is centred in training, so that the two runs agree to their gap and not to the bit.
			if !(math.Abs(got[i]-want[i]) <= 1e-2) {
				t.Errorf("row %d: %g from matrices, %g directly", i+1, got[i], want[i])
			}
		}
		// The same alpha on both sides leaves rounding alone.
		twin := *read
		twin.Support, twin.Alpha, twin.Theta, twin.Bias = direct.Support, direct.Alpha, direct.Theta, direct.Bias
		twin.Normalization = direct.Normalization
		got = decisions(t, &twin, fresh, PredictOptions{Gram: test})
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-6) {
				t.Errorf("row %d: %g from matrices, %g directly, with the same alpha", i+1, got[i], want[i])
			}
		}
		refused(t, "too few rows", predictFails(read, fresh, []string{test[0], test[1], matrixFile(t, 74, 120, zero)}), fail.Input)
		refused(t, "too many rows", predictFails(read, fresh, []string{test[0], test[1], matrixFile(t, 76, 120, zero)}), fail.Input)
		refused(t, "too narrow", predictFails(read, fresh, []string{test[0], test[1], matrixFile(t, 75, 119, zero)}), fail.Input)
		refused(t, "two for three", predictFails(read, fresh, test[:2]), fail.Usage)
		refused(t, "one for none", predictFails(direct, fresh, test[:1]), fail.Usage)
	}
}

// TestGramOfLinearIsTheProduct: training centres linear kernels, which a matrix must not show.
func TestGramOfLinearIsTheProduct(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 23), 70, 4)
	for i := range rows {
		for j := range rows[i].Value {
			rows[i].Value[j] += 50 // far from the origin
		}
	}
	o := Options{Kernels: "linear,linear@2-3", C: 0.1, Gap: 1e-6, Normalize: "none"}
	files, specs := grams(t, rows, o, true)
	direct, _ := converge(t, datasettest.Stream(rows), o)
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
				want := kernelValue(bank, bank.Kernels[k], dense(direct, rows[i]), dense(direct, rows[j]))
				if !(math.Abs(v-want) <= 1e-12*math.Abs(want)) {
					t.Fatalf("entry (%d, %d) of kernel %d is %.17g, the product %.17g", i, j, k+1, v, want)
				}
			}
		}
	}
	o.Kernels = specs
	read, _ := converge(t, datasettest.Stream(rows), o)
	sameValues(t, read, direct.Certificate.Primal, 3e-6)
	verifytest.MustVerify(t, &read.Model, datasettest.Stream(rows), files...)
}

func TestBadMatrices(t *testing.T) {
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
		"too small":  matrixFile(t, 39, 39, identity),
		"too large":  matrixFile(t, 41, 41, identity),
		"too tall":   matrixFile(t, 41, 40, identity),
		"too wide":   matrixFile(t, 40, 41, identity),
		"asymmetric": matrixFile(t, 40, 40, with(7, 30, 0.5)),
		"nan":        matrixFile(t, 40, 40, with(39, 39, math.NaN())),
		"infinite":   matrixFile(t, 40, 40, with(5, 5, math.Inf(1))),
		"missing":    filepath.Join(t.TempDir(), "none.npy"),
	} {
		_, _, err := Train(context.Background(), datasettest.Stream(rows), Options{Kernels: "precomputed:" + file})
		refused(t, name, err, fail.Input)
		if err != nil && !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %q does not name the file", name, err)
		}
	}
	good := matrixFile(t, 40, 40, identity)
	_, _, err := Train(context.Background(), datasettest.Stream(rows), Options{Kernels: "precomputed:" + good, Normalize: "spherical"})
	refused(t, "spherical", err, fail.Usage)
	_, _, err = Train(context.Background(), datasettest.Stream(rows), Options{Kernels: "linear,precomputed:" + good + " norm=spherical"})
	refused(t, "spherical of its own", err, fail.Usage)
	own, _ := converge(t, datasettest.Stream(rows), Options{Kernels: "precomputed:" + good + " norm=none,linear", Normalize: "spherical"})
	verifytest.MustVerify(t, &own.Model, datasettest.Stream(rows), good)
	m, _ := converge(t, datasettest.Stream(rows), Options{Kernels: "precomputed:" + good + ",gauss:0.5"})
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows), good)
}

func zero(int, int) float64 { return 0 }

// matrixFile writes a .npy file of float64 numbers.
func matrixFile(t testing.TB, rows, cols int, value func(i, j int) float64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.npy")
	w, err := npy.Create(path, rows, cols, true)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, cols)
	for i := range rows {
		for j := range row {
			row[j] = value(i, j)
		}
		if err := w.WriteRow64(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func predictFails(m *Model, rows []dataset.Row, gram []string) error {
	return m.Predict(context.Background(), datasettest.Stream(rows), PredictOptions{Gram: gram}, func(Prediction) error { return nil })
}

// refused wants an error of the class.
func refused(t testing.TB, name string, err, class error) {
	t.Helper()
	if !errors.Is(err, class) {
		t.Errorf("%s: error %v, want one of class %v", name, err, class)
	}
}

// TestGramIsReadBack: a matrix that gram writes is one that training takes, also where features have heavy tails and the two values
// of a pair of points are rounded apart.
func TestGramIsReadBack(t *testing.T) {
	path := dataSet(t, "spambase")
	reader, rows := open(t, path), []dataset.Row(nil)
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
			files, specs := grams(t, rows, Options{Kernels: kernels}, double)
			m, _ := trainModel(t, datasettest.Stream(rows), Options{Kernels: specs, MaxIterations: 50})
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows), files...)
		}
	}
}
