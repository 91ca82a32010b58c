package optima

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/kernels"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// atTheMean is the matrix of a kernel by the definition of norm=centred, for the rows of plain,
// which belong to the first of its columns, with the mean over the rows that sample lists.
func atTheMean(plain [][]float64, sample []int32) [][]float64 {
	means, all := make([]float64, len(plain)), 0.0
	for i := range plain {
		for _, s := range sample {
			means[i] += plain[i][s] / float64(len(sample))
		}
	}
	for _, s := range sample {
		all += means[s] / float64(len(sample))
	}
	own := func(i int) float64 { return plain[i][i] - 2*means[i] + all }
	m := make([][]float64, len(plain))
	for i := range m {
		m[i] = make([]float64, len(m))
		for j := range m[i] {
			m[i][j] = (plain[i][j] - means[i] - means[j] + all) / math.Sqrt(own(i)*own(j))
		}
	}
	return m
}

// plainMatrix is the matrix of a kernel of the first five features by its definition.
func plainMatrix(rows []dataset.Row, k func(x, z []float64) float64) [][]float64 {
	x := make([][]float64, len(rows))
	for i, r := range rows {
		x[i] = make([]float64, 5)
		for e, j := range r.Index {
			x[i][j] = r.Value[e]
		}
	}
	m := make([][]float64, len(rows))
	for i := range m {
		m[i] = make([]float64, len(rows))
		for j := range m[i] {
			m[i][j] = k(x[i], x[j])
		}
	}
	return m
}

// TestCentredKnownAnswers: kernels with norm=centred agree with centred matrices, in training, in
// predictions of rows that were not there, and above the number of rows that a mean is taken over.
func TestCentredKnownAnswers(t *testing.T) {
	t.Parallel()
	sum := func(f func(x, z float64) float64) func(x, z []float64) float64 {
		return func(x, z []float64) (s float64) {
			for j := range x {
				s += f(x[j], z[j])
			}
			return s
		}
	}
	distance := sum(func(x, z float64) float64 { return math.Abs(x - z) })
	chi := sum(func(x, z float64) float64 {
		if x+z == 0 {
			return 0
		}
		return (x - z) * (x - z) / (x + z)
	})
	list := []struct {
		spec string
		k    func(x, z []float64) float64
	}{
		{"gauss:0.3", bigmkltest.Gaussian(0.3)},
		{"linear", bigmkltest.LinearValue},
		{"poly:3:0.5:1", func(x, z []float64) float64 { return math.Pow(0.5*bigmkltest.LinearValue(x, z)+1, 3) }},
		{"matern:1.5:0.3", bigmkltest.Matern(0.3)},
		{"laplace:0.2", func(x, z []float64) float64 { return math.Exp(-0.2 * distance(x, z)) }},
		{"chi2:0.2", func(x, z []float64) float64 { return math.Exp(-0.2 * chi(x, z)) }},
		{"intersection", sum(math.Min)},
	}
	var specs []string
	for _, l := range list {
		specs = append(specs, l.spec)
	}
	for _, n := range []int{150, 2100} {
		for _, store := range []dataset.Layout{dataset.LayoutDense, dataset.LayoutSparse} {
			if n > 2048 && (store == dataset.LayoutSparse || testing.Short()) {
				continue
			}
			t.Run(fmt.Sprint(n, "/", store), func(t *testing.T) {
				testlevel.Sample(t, 2, 1)
				all := bigmkltest.Magnitudes(datasettest.Clouds(datasettest.Random(t, 301), n+30, 5))
				for i := range all {
					for e, x := range all[i].Value {
						all[i].Value[e] = math.Round(64*x) / 64 // which float32 holds
					}
				}
				rows := all[:n]
				sample := kernels.CentreSample(n, 7)
				o := bigmkl.Options{Kernels: strings.Join(specs, ","), Normalize: "centred", C: 2, Gap: 1e-6, Store: store, Threads: 2, Seed: 7}
				other := bigmkl.Options{Normalize: "none", C: o.C, Gap: o.Gap, Precision: "64", Threads: 2}
				if n > 2048 {
					o.Kernels, o.C, other.C = "gauss:0.3,linear norm=centred", 0.1, 0.1
				}
				// Below EveryKind only the predictions show that the large matrices agree with the definition.
				compare := n <= 2048 || testlevel.Reached(testlevel.EveryKind)
				if !compare {
					o.Kernels, o.Gap, o.Precision = "gauss:0.3", 1e-2, "64"
				}
				var grams [][][]float64
				for _, l := range list[:strings.Count(o.Kernels, ",")+1] {
					whole := atTheMean(plainMatrix(all, l.k), sample)
					grams = append(grams, whole)
					if !compare {
						continue
					}
					part := make([][]float64, n)
					for i := range part {
						part[i] = whole[i][:n]
					}
					other.Kernels += ",precomputed:" + bigmkltest.WriteArray(t, part)
				}
				m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
				if r, err := verify.Run(t.Context(), &m.Model, datasettest.Stream(rows), verify.Options{}); err != nil || len(r.Faults) > 0 {
					t.Fatalf("%v %q", err, r.Faults)
				}
				if compare {
					other.Kernels = other.Kernels[1:]
					want, _ := bigmkltest.Converge(t, datasettest.Stream(rows), other)
					bigmkltest.SameObjective(t, m, want)
				}
				if m.Normalization.Kind != "centred" || len(m.Centre.Rows) != min(n, 2048) {
					t.Errorf("%s at the mean of %d rows", m.Normalization.Kind, len(m.Centre.Rows))
				}
				file := filepath.Join(t.TempDir(), "m")
				if err := m.Save(t.Context(), file); err != nil {
					t.Fatal(err)
				}
				read, err := bigmkl.Load(file)
				if err != nil {
					t.Fatal(err)
				}
				for i, f := range bigmkltest.Decisions(t, read, all, bigmkl.PredictOptions{}) {
					if !compare && i < n && i%8 > 0 {
						continue
					}
					own := m.Bias
					for k, g := range grams {
						for s, j := range m.Support {
							own += m.Theta[k] * m.Alpha[s] * g[j][i]
						}
					}
					if !(math.Abs(f-own) <= 1e-6*(1+math.Abs(own))) {
						t.Fatalf("row %d: %v, by definition %v", i+1, f, own)
					}
				}
			})
		}
	}
}

// TestCentredHasTheSameBits: threads change no bit of a model with centred kernels, and a file of it
// is read as it was.
func TestCentredHasTheSameBits(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.ManyTimes) // The table of tests/bits has its kind.
	rows := datasettest.Clouds(datasettest.Random(t, 302), 400, 5)
	for name, o := range map[string]bigmkl.Options{
		"class": {}, "sparse": {Store: dataset.LayoutSparse}, "p=1": {Norm: 1}, "regression": {Task: bigmkl.TaskSVR},
		"one class": {Task: bigmkl.TaskOneClass}, "user": {Kernels: "user:g norm=centred,linear", UserKernels: bigmkltest.SomeUsers},
	} {
		t.Run(name, func(t *testing.T) {
			if o.Kernels == "" {
				o.Kernels = "gauss:auto/3 norm=centred,linear norm=centred,poly:2"
			}
			var want []byte
			for _, threads := range []int{1, 3} {
				o.Threads = threads
				m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
				bigmkltest.Verified(t, m, rows, o.UserKernels)
				var b bytes.Buffer
				if err := model.Encode(t.Context(), &b, &m.Model); err != nil {
					t.Fatal(err)
				}
				if want != nil && !bytes.Equal(want, b.Bytes()) {
					t.Errorf("%d threads: other bytes", threads)
				}
				want = b.Bytes()
			}
			m, err := model.Decode(bytes.NewReader(want), int64(len(want)), "m")
			if err != nil {
				t.Fatal(err)
			}
			var again bytes.Buffer
			if err := model.Encode(t.Context(), &again, m); err != nil || !bytes.Equal(want, again.Bytes()) {
				t.Errorf("%v, and other bytes after reading", err)
			}
		})
	}
}

// TestCentredAtTheMean: a kernel that is constant on the rows, and a row at the mean, count for nothing.
func TestCentredAtTheMean(t *testing.T) {
	t.Parallel()
	var rows []dataset.Row
	for i := range 40 {
		x := float64(i%5 - 2)
		rows = append(rows, dataset.Row{Label: fmt.Sprint(i / 4 % 2), Index: []int32{0, 1}, Value: []float64{x, 3}})
	}
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "linear@1 norm=centred,linear@2 norm=centred,gauss:0.5@1 norm=centred"})
	bigmkltest.Verified(t, m, rows, nil)
	if m.WNorms[1] != 0 {
		t.Errorf("a constant kernel has the norm %v", m.WNorms[1])
	}
}

// TestCentredNearConstant: kernels that are nearly constant on the data are, once they are centred and normalised, the linear kernel
// so, to which they tend; classifiers of a large C show what rounding would do to them.
func TestCentredNearConstant(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 304), 120, 4)
	o := bigmkl.Options{Kernels: "linear", Normalize: "centred", C: 1e4, Gap: 1e-7}
	want, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	for _, spec := range []string{"gauss:1e-11", "poly:3:1e-11:1", "poly:2:1e-5:1e4", "poly:40:1e-11:1",
		"matern:1.5:1e-21", "matern:2.5:1e-11", "sigmoid:1e-11:0.5"} {
		for _, store := range []dataset.Layout{dataset.LayoutDense, dataset.LayoutSparse} {
			o.Kernels, o.Store = spec, store
			m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			if x, y := m.Certificate.Dual, want.Certificate.Dual; !(math.Abs(x-y) <= 1e-5*y) {
				t.Errorf("%s, %s: a dual value of %.9g, that of the linear kernel is %.9g", spec, store, x, y)
			}
			a, b := bigmkltest.Predictions(t, m, rows), bigmkltest.Predictions(t, want, rows)
			for i := range a {
				if x, y := a[i].Decision, b[i].Decision; !(math.Abs(x-y) <= 1e-3*(1+math.Abs(y))) {
					t.Fatalf("%s, %s: row %d: f is %.6g, that of the linear kernel %.6g", spec, store, i, x, y)
				}
			}
		}
	}
}

// TestCentredWithFewDigits: features far from 0 leave few digits to kernels that are centred without a constant to leave
// out. The certificate counts what rounding does to them.
func TestCentredWithFewDigits(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"poly:2:1:0", "poly:3:1:1", "intersection"} {
		rng := datasettest.Random(t, 306)
		rows := make([]dataset.Row, 46)
		for i := range rows {
			x := []float64{rng.Float64(), rng.Float64(), rng.Float64()}
			rows[i] = dataset.Row{Label: "-1", Index: []int32{0, 1, 2}}
			if x[0]*x[1] > 0.25 || i%10 == 0 {
				rows[i].Label = "1"
			}
			for _, v := range x {
				rows[i].Value = append(rows[i].Value, 30+v/100)
			}
		}
		m, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), bigmkl.Options{
			Kernels: spec + " norm=centred", Scale: "none", C: 1e5, Gap: 1e-6,
		})
		if err != nil {
			t.Fatal(err)
		}
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	}
}
