package kernels

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/testlevel"
)

// TestEigenCounts compares counts of all points with those of matrices by their definition, for kernels with and without a unit
// diagonal, and has closed forms: a Gaussian that is nearly the identity has n, one that is nearly constant 1, and a linear kernel
// at most as many as there are features.
func TestEigenCounts(t *testing.T) {
	t.Parallel()
	const n, d = 150, 4
	p := points(random(t, 31), n, d)
	specs := []string{"gauss:1e4", "gauss:1e-7", "linear", "poly:2", "gauss:0.5", "laplace:0.3", "chi2:0.2"}
	list, bank := expanded(t, specs, p)
	got, err := Matrices{bank.Plainly(), p}.EigenCounts(t.Context(), 1, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, len(specs))
	for m, k := range grams(list, p, make([]int32, n), false)[:len(specs)] {
		a := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				if k[i][i] > 0 && k[j][j] > 0 {
					a.SetSym(i, j, k[i][j]/math.Sqrt(k[i][i]*k[j][j]))
				}
			}
		}
		var e mat.EigenSym
		if !e.Factorize(a, false) {
			t.Fatal("no eigenvalues")
		}
		for _, x := range e.Values(nil) {
			if x > 0.5 {
				want[m]++
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("counts %v, by the definition %v", got, want)
	}
	if got[0] != n || got[1] != 1 || got[2] < 1 || got[2] > d {
		t.Errorf("%v: the identity has %d, a constant 1, a linear kernel at most %d", got, n, d)
	}
}

// TestEigenCountsOfASample: points that are there several times have one eigenvalue together, of which a sample sees its share: the
// count of 3,000 points at 30 places, or of 12,000, is 30.
func TestEigenCountsOfASample(t *testing.T) {
	t.Parallel()
	const places = 30
	most, copies := 500, 100
	switch {
	case testlevel.Reached(testlevel.ManyTimes):
		most, copies = eigenSample, 400
	case testlevel.Reached(testlevel.EveryKind):
		most, copies = 1000, 200
	}
	at := points(random(t, 32), places, 3)
	p := &table{d: 3}
	for i := range places * copies {
		x := slices.Clone(at.x[i%places])
		for j := range x {
			x[j] += float32(10 * (i % places))
		}
		p.x = append(p.x, x)
	}
	_, bank := expanded(t, []string{"gauss:1"}, p)
	got, err := Matrices{bank, p}.eigenCounts(t.Context(), 7, most, t.TempDir())
	if err != nil || !slices.Equal(got, []float64{places}) {
		t.Errorf("%v, %v: points at %d places", got, err, places)
	}
}

// expanded returns the kernels of specifications on the points.
func expanded(t *testing.T, specs []string, p *table) (*kernelspec.Bank, *Bank) {
	t.Helper()
	list, err := kernelspec.Expand(specs, kernelspec.Context{Features: p.d})
	if err != nil {
		t.Fatal(err)
	}
	return list, newBank(t, list, p.survey(t), false)
}
