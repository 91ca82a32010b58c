package bigmkltest

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/datasettest"
	"bigmkl/verify"
)

// WriteArray writes rows as a .npy file.
func WriteArray(t testing.TB, rows [][]float64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.npy")
	w, err := npy.Create(path, len(rows), len(rows[0]), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := w.WriteRow64(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// MustVerifyGated holds a model to what it claims, with the gates and matrices of its training.
func MustVerifyGated(t testing.TB, m *bigmkl.Model, rows []dataset.Row, gates string, gram ...string) {
	t.Helper()
	r, err := verify.Run(context.Background(), &m.Model, datasettest.Stream(rows), verify.Options{Gates: gates, Gram: gram})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Faults {
		t.Errorf("verify: %s", f)
	}
	if c, _ := m.Convergence().Worst(); !(r.RelativeGap <= 1.1*max(c.RelativeGap, m.Gap)) {
		t.Errorf("verified gap %.3g, the model claims %.3g", r.RelativeGap, c.RelativeGap)
	}
}

// values are kernel values by their definition, of rows with features 1, 2, ...
func Gaussian(gamma float64) func(x, z []float64) float64 {
	return func(x, z []float64) float64 { return math.Exp(-gamma * squaredDistance(x, z)) }
}

// Matern is the kernel of smoothness 3/2.
func Matern(gamma float64) func(x, z []float64) float64 {
	return func(x, z []float64) float64 {
		s := math.Sqrt(3 * gamma * squaredDistance(x, z))
		return (1 + s) * math.Exp(-s)
	}
}

func squaredDistance(x, z []float64) (s float64) {
	for j := range x {
		s += (x[j] - z[j]) * (x[j] - z[j])
	}
	return s
}

func LinearValue(x, z []float64) float64 {
	s := 0.0
	for j := range x {
		s += x[j] * z[j]
	}
	return s
}

// SameObjective compares the values of two models of one problem.
func SameObjective(t testing.TB, a, b *bigmkl.Model) {
	t.Helper()
	x, y := a.Certificate.Primal, b.Certificate.Primal
	if !(math.Abs(x-y) <= 1e-5*max(math.Abs(x), math.Abs(y))) {
		t.Errorf("objectives %.9g and %.9g", x, y)
	}
}
