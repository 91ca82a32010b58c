package library

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/tests/bigmkltest"
)

// stopper interrupts a run when so many classifiers are done.
type stopper struct {
	after int
	stop  func()
	told  []string
}

func (s *stopper) Record(e bigmkl.Event) error {
	if e.Warning != "" {
		s.told = append(s.told, e.Warning)
	}
	if e.Classifier >= s.after {
		s.stop()
	}
	return nil
}

// cutShort trains until so many classifiers are done.
func cutShort(t *testing.T, rows *datasettest.List, o bigmkl.Options, after int) (*bigmkl.Model, *bigmkl.Result, *stopper) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	s := &stopper{after: after, stop: stop}
	o.Scratch, o.Recorder = t.TempDir(), s
	m, r, err := bigmkl.Train(ctx, rows, o)
	if err != nil {
		t.Fatal(err)
	}
	return m, r, s
}

// TestWarningsAreCounted: a warning of many classifiers is one line, which names three of them. No warning about useless kernels
// is printed for classifiers that were never trained.
func TestWarningsAreCounted(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 41)
	const classes, pairs = 24, 24 * 23 / 2
	rows := datasettest.Clusters(rng, 240, 3, classes, false)
	for _, after := range []int{0, 5} {
		m, r, s := cutShort(t, datasettest.Stream(rows), bigmkl.Options{Multiclass: bigmkl.OneVsOne, Kernels: "linear,gauss:0.5"}, after)
		untrained := pairs - after - 1
		if got := m.Convergence().Untrained(); got != untrained && got != untrained+1 { // of the classifier in hand a step may have been taken
			t.Errorf("after %d classifiers %d of %d are untrained", after, got, pairs)
		}
		want := fmt.Sprintf("never trained: the run ended before any step, in %d of %d classifiers: ", m.Convergence().Untrained(), pairs)
		if len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], want) || strings.Count(r.Warnings[0], " and ") != bigmkltest.NamedCases || !strings.HasSuffix(r.Warnings[0], ", ..") {
			t.Errorf("after %d classifiers: %q, want %q", after, r.Warnings, want)
		}
		if len(s.told) > bigmkltest.NamedCases {
			t.Errorf("%d warnings were told as the run went on", len(s.told))
		}
	}
	// A kernel that is indefinite in every classifier, and one that is constant in those of two
	// classes.
	for i := range rows {
		c := 0
		fmt.Sscan(rows[i].Label, &c)
		rows[i].Index, rows[i].Value = append(rows[i].Index, 3), append(rows[i].Value, float64(min(c, 20)))
	}
	m, r, s := cutShort(t, datasettest.Stream(rows), bigmkl.Options{Multiclass: bigmkl.OneVsOne, Kernels: "linear@1-3,sigmoid:2:-3,gauss:0.5@4", Normalize: "none", Gap: 0.1}, pairs)
	if m.Convergence().Untrained() != 0 || len(r.Warnings) == 0 || len(r.Warnings) > 3 {
		t.Errorf("%d untrained, %q", m.Convergence().Untrained(), r.Warnings)
	}
	if !strings.HasPrefix(r.Warnings[0], "kernel 2 (sigmoid:2:-3) is indefinite here: weight 0, in ") || !strings.Contains(r.Warnings[0], fmt.Sprintf(" of %d classifiers: ", pairs)) {
		t.Errorf("%q", r.Warnings)
	}
	if len(s.told) > bigmkltest.NamedCases*len(r.Warnings) {
		t.Errorf("%q were told as the run went on", s.told)
	}
	// One classifier has no name.
	alone := []dataset.Row{{Label: "1", Index: []int32{0}, Value: []float64{1}}, {Label: "-1", Index: []int32{0, 1}, Value: []float64{1.5, 1}}, {Label: "1", Index: []int32{1}, Value: []float64{2}}}
	_, r = bigmkltest.TrainModel(t, datasettest.Stream(alone), bigmkl.Options{Kernels: "linear,sigmoid:2:-3"})
	if len(r.Warnings) != 1 || r.Warnings[0] != "kernel 2 (sigmoid:2:-3) is indefinite here: weight 0" {
		t.Errorf("one classifier: %q", r.Warnings)
	}
}
