package resume

import (
	"bytes"
	"errors"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/tests/bigmkltest"
)

// TestCheckpointOfAnotherFamily: a run of components, of columns or of projections is not resumed with
// options that make it another one. That it is resumed to the same bits with its own is TestBytes of package bits.
func TestCheckpointOfAnotherFamily(t *testing.T) {
	t.Parallel()
	two, three := datasettest.Clouds(datasettest.Random(t, 8), 60, 4), datasettest.Clusters(datasettest.Random(t, 9), 90, 4, 3, false)
	for name, c := range map[string]struct {
		rows  []dataset.Row
		o     bigmkl.Options
		other func(o *bigmkl.Options)
	}{
		"more rounds": {two, bigmkl.Options{Task: bigmkl.TaskMED, Kernels: "gauss:auto", Restarts: 2, Rounds: 3},
			func(o *bigmkl.Options) { o.Rounds++ }},
		"a classifier for each class": {three, bigmkl.Options{Multiclass: bigmkl.SingleClassifier, Kernels: "gauss:auto/3"},
			func(o *bigmkl.Options) { o.Multiclass = bigmkl.OneVsRest }},
		"a classifier for each class, without posteriors": {three,
			bigmkl.Options{Multiclass: bigmkl.SingleClassifier, Kernels: "gauss:auto/3", Posteriors: bigmkl.Posteriors{Neighbours: 5}},
			func(o *bigmkl.Options) { o.Multiclass, o.Posteriors = bigmkl.OneVsRest, bigmkl.Posteriors{} }},
		"another lambda": {three, bigmkl.Options{Task: bigmkl.TaskRKDA, Kernels: "gauss:auto/3"},
			func(o *bigmkl.Options) { o.Lambda = 1e-3 }},
		"no lambda that is found": {three, bigmkl.Options{Task: bigmkl.TaskRKDA, Kernels: "gauss:auto/3", JointCost: true},
			func(o *bigmkl.Options) { o.JointCost = false }},
		"more starts": {two, bigmkl.Options{Kernels: "proj(gauss:0.4,2)", Starts: 2, GateTol: 0.1},
			func(o *bigmkl.Options) { o.Starts = 7 }},
		"more starts of all classifiers": {three, bigmkl.Options{Kernels: "gauss:0.4,linear", Gating: "sigmoid", Multiclass: bigmkl.OneVsOne, OneGate: true, GateTol: 0.1},
			func(o *bigmkl.Options) { o.Starts = 7 }},
	} {
		t.Run(name, func(t *testing.T) {
			o := bigmkltest.Resumable(t, c.o)
			o.Tuning.WorkingSet = 20
			if r := bigmkltest.Interrupted(t, c.rows, o, 1); r.Status != chunking.Interrupted {
				t.Fatal(r.Status)
			}
			o.Resume = true
			c.other(&o)
			if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(c.rows), o); !errors.Is(err, fail.Version) {
				t.Error(err)
			}
		})
	}
}

// resumedAnywhere trains undisturbed, and once more for each iteration after which a run may be interrupted. It calls check with the
// resumed model, the undisturbed one, and the number of iterations that the resumed run repeated.
func resumedAnywhere(t *testing.T, rows []dataset.Row, o bigmkl.Options, check func(stop int, m, whole *bigmkl.Model, repeated int)) {
	t.Helper()
	iterations := 0
	o.Recorder = bigmkltest.Recorder(func(bigmkl.Event) error { iterations++; return nil })
	whole, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o)
	if err != nil {
		t.Fatal(err)
	}
	for stop := 2; stop < iterations; stop++ {
		o := bigmkltest.Resumable(t, o)
		o.Recorder = nil
		if r := bigmkltest.Interrupted(t, rows, o, stop); r.Status != chunking.Interrupted {
			continue // The iteration was the last of all.
		}
		seen := 0
		o.Resume, o.Recorder = true, bigmkltest.Recorder(func(bigmkl.Event) error { seen++; return nil })
		m, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o)
		if err != nil {
			t.Fatal(err)
		}
		check(stop, m, whole, seen-(iterations-stop))
	}
}

// TestResumeRepeatsOneTrial: wherever a descent of projections is interrupted, the classifier at its end included, what is
// resumed repeats the trial in hand and none before it.
func TestResumeRepeatsOneTrial(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 8), 60, 4)
	o := bigmkl.Options{Kernels: "proj(gauss:0.3,2)", Starts: 2, GateTol: 0.1}
	resumedAnywhere(t, rows, o, func(stop int, m, whole *bigmkl.Model, repeated int) {
		if repeated > 3 {
			t.Errorf("interrupted after %d iterations: %d are repeated", stop, repeated)
		}
		if m.Certificate != whole.Certificate {
			t.Errorf("interrupted after %d iterations: certificate %+v, without %+v", stop, m.Certificate, whole.Certificate)
		}
	})
}

// TestResumeOfHeldSpreads: Gaussian gates of several classifiers hold their spreads at first, and a checkpoint records whether they still
// do.
func TestResumeOfHeldSpreads(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 9), 40, 3, 3, false)
	o := bigmkl.Options{Kernels: "gauss:0.4,linear", Gating: "gauss", Multiclass: bigmkl.OneVsRest, OneGate: true, GateSteps: 2, GateTol: 1e-3}
	resumedAnywhere(t, rows, o, func(stop int, m, whole *bigmkl.Model, _ int) {
		if !bytes.Equal(bigmkltest.Encoded(t, m), bigmkltest.Encoded(t, whole)) {
			t.Errorf("interrupted after %d iterations: another model", stop)
		}
	})
}
