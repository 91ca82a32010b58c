package train

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"bigmkl/internal/checkpoint"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
	"bigmkl/internal/verifytest"
)

// TestCheckpointOfAnotherClassifier: a checkpoint whose list of finished classifiers is not that of
// the run does not become the start of the classifier in hand.
func TestCheckpointOfAnotherClassifier(t *testing.T) {
	rows := datasettest.Clusters(datasettest.Random(t, 12), 200, 4, 3, false)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := given(t, func(o *Options) {
		o.Kernels.Specs, o.Problem.Multiclass = "gauss:auto/2", model.OneVsRest
		o.Budget.Checkpoint, o.Checkpoint.Every = filepath.Join(t.TempDir(), "checkpoints"), time.Hour
		o.Recorder = recorder(func(Event) error { cancel(); return nil }) // within the first classifier
	})
	m, _, err := Run(ctx, datasettest.Stream(rows), o)
	if err != nil {
		t.Fatal(err)
	}
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	folder, err := checkpoint.Open(o.Budget.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	last, _, err := folder.Last()
	if err != nil {
		t.Fatal(err)
	}
	kept := &checkpoints{folder: folder, sought: true, found: last}
	if _, err := restoreState(t.Context(), &gradients{}, last, &finished{Classifiers: 3, Kinds: []string{ProvenGap}}, nil); err == nil {
		t.Error("classifier 2 goes on from the state of classifier 1")
	}
	kept.close()
}
