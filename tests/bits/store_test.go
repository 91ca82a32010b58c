package bits

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestLayouts trains on the same data in both layouts. The optimum is the same, and the model has
// the layout of the points.
func TestLayouts(t *testing.T) {
	t.Parallel()
	rows := bigmkltest.Words(t, 41, 130, 200, 12)
	for _, o := range []bigmkl.Options{
		{Kernels: "gauss:auto/3,linear,laplace:0.1,chi2:0.2,intersection,poly:2"},
		{Kernels: "gauss:auto/2@each-view,linear@each-view", Views: []dataset.View{{Name: "a", First: 1, Last: 90}, {Name: "b", First: 91, Last: 200}}},
		{Kernels: "gauss:auto/3,linear", Scale: "standard", Norm: 1},
		{Kernels: "gauss:auto/3,linear", Scale: "minmax", Normalize: "spherical", Norm: 2},
		{Kernels: "linear@each-feature", Gap: 1e-5, Norm: 4},
	} {
		if !testlevel.Tried(t, o.Kernels+o.Normalize, 3, 1) {
			continue
		}
		o.Store = dataset.LayoutDense
		dense, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		o.Store = dataset.LayoutSparse
		sparse, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		verifytest.MustVerify(t, &sparse.Model, datasettest.Stream(rows))
		if dense.Store != dataset.LayoutDense || sparse.Store != dataset.LayoutSparse || dense.Fingerprint != sparse.Fingerprint {
			t.Errorf("%s: stored %s and %s, fingerprints %x and %x", o.Kernels, dense.Store, sparse.Store, dense.Fingerprint, sparse.Fingerprint)
		}
		if a, b := dense.Certificate, sparse.Certificate; math.Abs(a.Dual-b.Dual) > dense.Gap*a.Primal {
			t.Errorf("%s: dual values %.9g and %.9g", o.Kernels, a.Dual, b.Dual)
		}
	}
}

// TestWideLayouts does what TestLayouts does for more features than a panel has room for, with
// groups of all features, of ranges and of a few features. It compares predictions as well.
func TestWideLayouts(t *testing.T) {
	t.Parallel()
	rows := bigmkltest.Words(t, 44, 90, 9000, 15)
	views := []dataset.View{{Name: "a", First: 1, Last: 5000}, {Name: "b", First: 5001, Last: 9000}}
	o := bigmkl.Options{Kernels: "gauss:auto/3,linear,poly:2,gauss:auto/2@each-view,linear@each-view,intersection@random:20*3", Views: views, Gap: 1e-5}
	var m [2]*bigmkl.Model
	var f [2][]float64
	for i, l := range []dataset.Layout{dataset.LayoutDense, dataset.LayoutSparse} {
		o.Store = l
		m[i], _ = bigmkltest.Converge(t, datasettest.Stream(rows), o)
		f[i] = bigmkltest.Decisions(t, m[i], bigmkltest.Words(t, 45, 40, 9000, 15), bigmkl.PredictOptions{})
	}
	verifytest.MustVerify(t, &m[1].Model, datasettest.Stream(rows))
	if a, b := m[0].Certificate, m[1].Certificate; math.Abs(a.Dual-b.Dual) > o.Gap*a.Primal {
		t.Errorf("dual values %.9g and %.9g", a.Dual, b.Dual)
	}
	for i := range f[0] {
		if math.Abs(f[0][i]-f[1][i]) > 0.02 {
			// A gap bounds the error of the decision function by its root.
			t.Errorf("row %d: decisions %g and %g", i+1, f[0][i], f[1][i])
		}
	}
	one := f[1]
	o.Threads, o.Cache = 1, cache.Never
	if again, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o); !slices.Equal(again.Alpha, m[1].Alpha) {
		t.Error("one thread and no cache give another model")
	}
	if again := bigmkltest.Decisions(t, m[1], bigmkltest.Words(t, 45, 40, 9000, 15), bigmkl.PredictOptions{Threads: 1}); !slices.Equal(again, one) {
		t.Error("one thread gives other decisions")
	}
}

// TestWideBudget: the budget that wide sparse data need is in proportion to their non-zeros, unless
// a kernel looks at all features. Such a run is rejected before anything large is made.
func TestWideBudget(t *testing.T) {
	t.Parallel()
	const d = 200000
	rows := bigmkltest.Words(t, 46, 300, d, 20)
	o := bigmkl.Options{Kernels: "gauss:auto/3,linear,poly:2", Store: dataset.LayoutSparse, Memory: 80 << 20, Threads: 2, MaxIterations: 2}
	if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o); err != nil {
		t.Error(err)
	}
	o.Kernels = "laplace:0.1"
	if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o); !errors.Is(err, fail.Budget) {
		t.Errorf("a kernel of all features: %v", err)
	}
	o.Kernels, o.Memory = "gauss:auto/3", 24<<20
	if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o); !errors.Is(err, fail.Budget) {
		t.Errorf("less than the tables take: %v", err)
	}
}

// TestGramLayouts: the kernel matrices of both layouts agree to the rounding of their precision.
func TestGramLayouts(t *testing.T) {
	t.Parallel()
	rows := bigmkltest.Words(t, 43, 70, 200, 12)
	for _, double := range []bool{false, true} {
		var m [2][]*npy.Matrix
		for i, l := range []dataset.Layout{dataset.LayoutDense, dataset.LayoutSparse} {
			o := bigmkl.Options{Kernels: "gauss:0.1,linear,laplace:0.1,poly:2@10-150", Store: l, Scratch: t.TempDir(), Threads: 3}
			if double {
				o.Precision = "64"
			}
			folder := t.TempDir()
			path := func(k, _ int) (string, error) { return filepath.Join(folder, strconv.Itoa(k)), nil }
			if err := bigmkl.Gram(t.Context(), datasettest.Stream(rows), o, double, path); err != nil {
				t.Fatal(err)
			}
			for k := range 4 {
				name, _ := path(k, 4)
				one, err := npy.Load(name, len(rows))
				if err != nil {
					t.Fatal(err)
				}
				defer one.Close()
				m[i] = append(m[i], one)
			}
		}
		tolerance := map[bool]float64{false: 1e-5, true: 1e-13}[double]
		a, b := make([]float64, len(rows)), make([]float64, len(rows))
		for k := range m[0] {
			for i := range rows {
				m[0][k].Row64(i, 0, a)
				m[1][k].Row64(i, 0, b)
				for j := range a {
					if !(math.Abs(a[j]-b[j]) <= tolerance*max(1, math.Abs(a[i]))) {
						t.Fatalf("kernel %d, (%d, %d): %g and %g", k, i, j, a[j], b[j])
					}
				}
			}
		}
	}
}

func TestStoreOption(t *testing.T) {
	t.Parallel()
	m, _ := bigmkltest.TrainModel(t, datasettest.Stream(datasettest.Clouds(datasettest.Random(t, 42), 60, 30)), bigmkl.Options{Kernels: "linear"})
	if m.Store != dataset.LayoutDense {
		t.Errorf("points without zeros are stored %s", m.Store)
	}
	if err := (bigmkl.Options{Store: "csr"}).Validate(); !errors.Is(err, fail.Usage) {
		t.Errorf("an unknown store: %v", err)
	}
}
