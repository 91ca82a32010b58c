package bigmkltest

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
	"bigmkl/internal/train"
	"bigmkl/verify"
)

// Words of models, warnings and checkpoints, which the library does not name.
const (
	ProvenGap  = train.ProvenGap
	Stationary = train.Stationary
	NamedCases = 3 // warnings of a kind that are told as the run goes on
)

// TrainModel runs Train with scratch files in a folder that must be empty again at the end.
func TrainModel(t testing.TB, src dataset.Source, o bigmkl.Options) (*bigmkl.Model, *bigmkl.Result) {
	t.Helper()
	o.Scratch = t.TempDir()
	m, r, err := bigmkl.Train(context.Background(), src, o)
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

// Converge is trainModel that has to reach its gap.
func Converge(t testing.TB, src dataset.Source, o bigmkl.Options) (*bigmkl.Model, *bigmkl.Result) {
	t.Helper()
	m, r := TrainModel(t, src, o)
	if r.Status != chunking.Converged {
		t.Errorf("%s p=%g C=%g: %s after %d iterations, gap %.3g", o.Kernels, m.Norm, m.C, r.Status, r.Iterations, m.Certificate.RelativeGap)
	}
	return m, r
}

// Encoded is the model file.
func Encoded(t testing.TB, m *bigmkl.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := model.Encode(context.Background(), &b, &m.Model); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// MustComplain alters a model and verifies that it is found out.
func MustComplain(t *testing.T, m *bigmkl.Model, rows []dataset.Row, want string, alter func(m *bigmkl.Model)) {
	t.Helper()
	wrong := &bigmkl.Model{Model: m.Model}
	wrong.Classifiers = slices.Clone(m.Classifiers)
	alter(wrong)
	r, err := verify.Run(t.Context(), &wrong.Model, datasettest.Stream(rows), verify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Faults, func(f string) bool { return strings.Contains(f, want) }) {
		t.Errorf("no complaint of %q among %q", want, r.Faults)
	}
}

// Predictions returns the predictions of a model for rows.
func Predictions(t *testing.T, m *bigmkl.Model, rows []dataset.Row) (list []bigmkl.Prediction) {
	t.Helper()
	err := m.Predict(t.Context(), datasettest.Stream(rows), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
		p.Decisions = slices.Clone(p.Decisions)
		list = append(list, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func WithScratch(t testing.TB, o bigmkl.Options) bigmkl.Options {
	o.Scratch = t.TempDir()
	return o
}
