package kernelstest

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"bigmkl/internal/dataset/npy"
)

// RandomMatrix draws a symmetric n x n matrix of normal numbers, by rows. It is not semi-definite.
func RandomMatrix(rng *rand.Rand, n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range i + 1 {
			m[i][j] = rng.NormFloat64()
			m[j][i] = m[i][j]
		}
	}
	return m
}

// MatrixFile writes a matrix to a file, of float64 numbers if double is set and of float32 numbers
// otherwise, and maps it until the test ends.
func MatrixFile(t testing.TB, rows [][]float64, double bool) *npy.Matrix {
	t.Helper()
	path := filepath.Join(t.TempDir(), "k.npy")
	w, err := npy.Create(path, len(rows), len(rows[0]), double)
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
	m, err := npy.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}
