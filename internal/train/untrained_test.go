package train

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
	"bigmkl/predict"
	"bigmkl/verify"
)

// TestUntrainedClassifiers: classifiers that an interrupted run has not come to are, to the bit,
// those that have had no iteration, and take neither gradients nor a warning each.
func TestUntrainedClassifiers(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{model.OneVsRest, model.OneVsOne, model.MultiLabel} {
		for _, precision := range []chunking.Precision{chunking.Auto, chunking.Double} {
			rows := datasettest.Clusters(datasettest.Random(t, 3), 300, 6, 5, kind == model.MultiLabel)
			o := given(t, func(o *Options) {
				o.Problem.Multiclass, o.Solver.Precision, o.Solver.Gap = kind, precision, 1e-5
			})
			ctx, cancel := context.WithCancel(context.Background())
			last := 0
			o.Recorder = recorder(func(e Event) error {
				if last = e.Classifier; last == 1 {
					cancel()
				}
				return nil
			})
			m, r, err := Run(ctx, datasettest.Stream(rows), o)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if report, err := verify.Run(t.Context(), &m.Model, datasettest.Stream(rows), verify.Options{}); err != nil || len(report.Faults) > 0 {
				t.Errorf("%s %s: %v, %v", kind, precision, report, err)
			}
			if r.Status != chunking.Interrupted || last != 1 {
				t.Fatalf("%s in classifier %d", r.Status, last)
			}
			o.Recorder, o.Limits.Iterations = nil, 1
			never := newUntrained(t, rows, o)
			for k := 2; k < len(m.Classifiers); k++ {
				a, b := &m.Classifiers[k], &never.Classifiers[k]
				if len(a.Support) != 0 || a.Bias != b.Bias || a.Certificate != b.Certificate || a.Double != b.Double || a.Positive != b.Positive || a.Negative != b.Negative {
					t.Errorf("%s %s: classifier %d is %+v, want %+v", kind, precision, k, *a, *b)
				}
			}
			counted := 0
			for _, w := range r.Warnings {
				if strings.Contains(w, neverTrained) {
					counted++
				}
			}
			if counted != 1 || len(r.Warnings) != 1 {
				t.Errorf("warnings %q", r.Warnings)
			}
		}
	}
}

// newUntrained is the model of a run in which every classifier is driven and stops before its first
// iteration.
func newUntrained(t *testing.T, rows []dataset.Row, o Options) *predict.Model {
	t.Helper()
	ctx := context.Background()
	r := readRun(t, rows, o)
	d, err := r.labelled().decompose(&r.warnings)
	if err != nil {
		t.Fatal(err)
	}
	r.split(d, r.Store)
	if err := errors.Join(r.prepareKernels(ctx), r.planAndNormalize(ctx)); err != nil {
		t.Fatal(err)
	}
	done := &finished{Classifiers: len(d.pairs), Status: chunking.Converged}
	r.limit, r.began = time.Nanosecond, time.Now().Add(-time.Hour) // as far as iterations know
	tr := &turns{classifierTrainer: newClassifierTrainer(r, nil), d: d, done: done}
	defer tr.whole.Close()
	for k := range d.pairs {
		m, s, err := tr.classifier(ctx, k)
		if err != nil {
			t.Fatal(err)
		}
		done.addClassifier(m, s.status, s.solution.Iterations)
	}
	m, err := r.assembler().modelOfSeveral(d, done.done, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
