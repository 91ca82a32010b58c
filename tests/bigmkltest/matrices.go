package bigmkltest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/datasettest"
)

// Grams writes the matrices of the kernels and returns the specification that reads them.
func Grams(t testing.TB, rows []dataset.Row, o bigmkl.Options, double bool) (files []string, specs string) {
	t.Helper()
	folder := t.TempDir()
	o.Scratch = t.TempDir()
	err := bigmkl.Gram(context.Background(), datasettest.Stream(rows), o, double, func(kernel, _ int) (string, error) {
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

// MatrixFile writes a .npy file of float64 numbers.
func MatrixFile(t testing.TB, rows, cols int, value func(i, j int) float64) string {
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

func PredictFails(m *bigmkl.Model, rows []dataset.Row, gram []string) error {
	return m.Predict(context.Background(), datasettest.Stream(rows), bigmkl.PredictOptions{Gram: gram}, func(bigmkl.Prediction) error { return nil })
}

// Rejected wants an error of the class.
func Rejected(t testing.TB, name string, err, class error) {
	t.Helper()
	if !errors.Is(err, class) {
		t.Errorf("%s: error %v, want one of class %v", name, err, class)
	}
}
