package bigmkl

import (
	"bytes"
	"context"
	"os"
	"testing"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/model"
	"bigmkl/train"
)

// What models, warnings and checkpoints say, which the library does not name.
const (
	provenGap  = train.ProvenGap
	stationary = train.Stationary
	namedCases = 3 // warnings of a kind that are told as the run goes on
)

// trainModel runs Train with scratch files in a folder that must be empty again at the end.
func trainModel(t testing.TB, src dataset.Source, o Options) (*Model, *Result) {
	t.Helper()
	o.Scratch = t.TempDir()
	m, r, err := Train(context.Background(), src, o)
	if err != nil {
		t.Fatalf("%s p=%g C=%g: %v", o.Kernels, o.Norm, o.C, err)
	}
	left, err := os.ReadDir(o.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range left {
		t.Errorf("%s is left in the scratch folder", f.Name())
	}
	return m, r
}

// converge is trainModel that has to reach its gap.
func converge(t testing.TB, src dataset.Source, o Options) (*Model, *Result) {
	t.Helper()
	m, r := trainModel(t, src, o)
	if r.Status != chunking.Converged {
		t.Errorf("%s p=%g C=%g: %s after %d iterations, gap %.3g", o.Kernels, m.Norm, m.C, r.Status, r.Iterations, m.Certificate.RelativeGap)
	}
	return m, r
}

// encoded is the model file.
func encoded(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := model.Encode(context.Background(), &b, &m.Model); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
