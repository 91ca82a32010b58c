package verify_test

import (
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/internal/conformal/calibration"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
	"bigmkl/verify"
)

// TestWrongSplits: a model with calibration scores that names other rows as held out than those that had no part in its training is found.
func TestWrongSplits(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 16), 120, 3)
	m, _, err := calibration.Train(t.Context(), datasettest.Stream(rows), bigmkl.Options{Kernels: "gauss:0.1,linear"}, calibration.Options{Share: .25})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for name, c := range map[string]struct {
		alter func(m *model.Model)
		fine  bool
	}{
		"as it is":     {func(*model.Model) {}, true},
		"without":      {func(m *model.Model) { m.Conformal = nil }, false},
		"another seed": {func(m *model.Model) { m.Seed++ }, false},
		"more rows": {func(m *model.Model) {
			c := *m.Conformal
			c.Rows, c.Share, c.Scores = 130, 40./130, append(slices.Clone(c.Scores), slices.Repeat(c.Scores[29:], 10)...)
			m.Conformal = &c
		}, false},
		"of folds": {func(m *model.Model) {
			m.Conformal = &model.Conformal{Folds: 3, Rows: 90, Scores: slices.Repeat([]float64{0}, 90)}
		}, false},
	} {
		wrong := m.Model
		c.alter(&wrong)
		if err := wrong.Validate(); err != nil {
			t.Errorf("%s: no sound model: %v", name, err)
		}
		for _, o := range []verify.Options{{}, {Sample: 40, Seed: 1}} {
			found, err := verify.Run(t.Context(), &wrong, datasettest.Stream(rows), o)
			if sound := err == nil && len(found.Faults) == 0; sound != c.fine {
				t.Errorf("%s, sample of %d: %+v, %v", name, o.Sample, found, err)
			}
		}
	}
}
