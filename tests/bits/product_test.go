package bits

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"bigmkl"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestProductsByOtherNames: products that are kernels of a simpler name give the same classifier.
func TestProductsByOtherNames(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 51), 120, 6)
	for product, name := range map[string]string{
		"prod(gauss:0.1,gauss:0.25)": "gauss:0.35", "pow(linear,3)": "poly:3:1:0", "pow(gauss:0.5@1-3,2)": "gauss:1@1-3",
		"prod(gauss:0.3@1-3,gauss:0.3@4-6)": "gauss:0.3", "pow(poly:2,2)": "poly:4",
	} {
		for _, normalize := range []string{"multiplicative", "spherical"} {
			o := bigmkl.Options{Normalize: normalize, Scale: "standard", Gap: 1e-7, C: 0.5}
			o.Kernels = product + ",linear@1-2"
			a, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			o.Kernels = name + ",linear@1-2"
			b, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			if p, q := a.Certificate.Primal, b.Certificate.Primal; math.Abs(p-q) > 2e-7*math.Abs(q) {
				t.Errorf("%s: %.12g, %s: %.12g", product, p, name, q)
			}
			verifytest.MustVerify(t, &a.Model, datasettest.Stream(rows))
		}
	}
}

// TestGramOfProducts: the matrix of a product holds the products of the matrices of its factors.
func TestGramOfProducts(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 52), 70, 5)
	folder := t.TempDir()
	name := func(k int) string { return filepath.Join(folder, fmt.Sprintf("%d.npy", k)) }
	o := bigmkl.Options{Kernels: "gauss:0.3,poly:2@1-3,linear,prod(gauss:0.3,poly:2@1-3,pow(linear,2))", Normalize: "none", Scratch: folder}
	if err := bigmkl.Gram(t.Context(), datasettest.Stream(rows), o, true, func(k, _ int) (string, error) { return name(k), nil }); err != nil {
		t.Fatal(err)
	}
	var k [4][]float64
	for i := range len(rows) {
		for at := range k {
			m, err := npy.Load(name(at), len(rows))
			if err != nil {
				t.Fatal(err)
			}
			k[at] = make([]float64, len(rows))
			m.Row64(i, 0, k[at])
			m.Close()
		}
		for j, v := range k[3] {
			if want := k[0][j] * k[1][j] * k[2][j] * k[2][j]; math.Abs(v-want) > 1e-12*max(1, math.Abs(want)) {
				t.Fatalf("%v at %d, %d, want %v", v, i, j, want)
			}
		}
	}
}

// TestProductOfIndefinite: a factor that need not be definite takes the proof away.
func TestProductOfIndefinite(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 53), 100, 4)
	m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "prod(sigmoid:0.1,gauss:0.3),gauss:0.2", Normalize: "none", Scale: "standard"})
	if m.Theta[0] > 0 && m.Certificate.Kind != bigmkltest.Stationary {
		t.Errorf("certificate %q", m.Certificate.Kind)
	}
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	rejectedKernels := "prod(chi2:1,gauss:1)"
	if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), bigmkl.Options{Kernels: rejectedKernels}); err == nil {
		t.Error("chi2 of negative features as a factor")
	}
}
