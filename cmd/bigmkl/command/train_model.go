package command

import (
	"context"
	"errors"
	"fmt"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/evaluate/score"
	"bigmkl/internal/fail"
	"bigmkl/model"
	"bigmkl/train"
)

// saveModel writes a model to a file or to standard output. After an interrupt or at the time
// limit, it has no more time than the rest of the run.
func (t *trainCommand) saveModel(ctx context.Context, m *bigmkl.Model, path string) (err error) {
	hard, stop := t.options.Cut(ctx, t.began)
	defer stop()
	m.Columns = t.columns
	t.cleanup.addTarget(path)
	if isStandardOutput(path) {
		err = model.Encode(hard, t.stdout, &m.Model)
	} else {
		err = m.Save(hard, path)
	}
	return train.Ended(hard, err, "the model was written")
}

// printWarnings prints the warnings of a run that has no model. The result may be nil.
func (t *trainCommand) printWarnings(r *bigmkl.Result) {
	if r != nil {
		t.warn(r.Warnings...)
	}
}

// evaluateTest predicts the test file. It returns nil if there is no test file, or if the run was
// interrupted.
func (t *trainCommand) evaluateTest(ctx context.Context, m *bigmkl.Model) (*score.Score, error) {
	if t.test == "" || ctx.Err() != nil {
		return nil, nil
	}
	src, err := t.openTest(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	rows, err := watchRows(&m.Model, src, src, t.narrow)
	if err != nil {
		return nil, err
	}
	s, err := score.Of(ctx, m, rows,
		bigmkl.PredictOptions{Threads: t.options.Threads, Missing: t.options.Missing, Gram: t.gramTest,
			Probability: m.Sigmoids != nil})
	if errors.Is(err, context.Canceled) {
		return nil, nil
	}
	if err == nil {
		t.warn(rows.warnings()...)
	}
	return s, err
}

// afterModel adds to an error of the test that the model is written, which the training was for.
func afterModel(err error, path string) error {
	var f *fail.Error
	if errors.As(err, &f) {
		hint := "the model is written to " + path
		if f.Hint != "" {
			hint = f.Hint + "; " + hint
		}
		f.WithHint("%s", hint)
	}
	return err
}

// exitErrorOf returns the error whose exit code says why a training ended, or nil if it has reached
// its gap. The model is written in every case. The score is nil if nothing was tested.
func (t *trainCommand) exitErrorOf(ctx context.Context, m *bigmkl.Model, r *bigmkl.Result,
	s *score.Score) error {
	c, _ := m.Worst()
	where := fmt.Sprintf("at a relative gap of %.3g (asked %.3g); the model is written",
		c.RelativeGap, m.Gap)
	switch r.Status {
	case chunking.Converged:
		if t.test != "" && s == nil && ctx.Err() != nil {
			return &exitError{contract.ExitInterrupted, "interrupted while testing; the model is written"}
		}
		return nil
	case chunking.Interrupted:
		return &exitError{contract.ExitInterrupted, "interrupted " + where}
	case chunking.TimeLimit:
		return &exitError{contract.ExitStopped, "the time limit was reached " + where}
	case train.StepLimit:
		if p := m.Projection(); p != nil {
			return &exitError{contract.ExitStopped, fmt.Sprintf("the projection took %d steps without coming to "+
				"the tolerance asked; the model is written", p.Steps)}
		}
		return &exitError{contract.ExitStopped, fmt.Sprintf("gates took %d steps without coming to the "+
			"tolerance asked; the model is written", m.Gates().Together().Steps)}
	case chunking.IterationLimit:
		return &exitError{contract.ExitStopped, "the iteration limit was reached " + where}
	}
	if what := descended(m); what != "" && c.RelativeGap <= m.Gap {
		return &exitError{contract.ExitStopped, fmt.Sprintf("no step of the %s lowers the objective further, and its slope is "+
			"above the tolerance asked; the model is written", what)}
	}
	hint := ""
	if m.Precision == string(chunking.Single) {
		hint = " (--precision auto goes further)"
	}
	return &exitError{contract.ExitStopped, "no step improves the solution further, " + where + hint}
}

// descended names what a descent has learned beside the machine, "" if there was none.
func descended(m *bigmkl.Model) string {
	if m.Projection() != nil {
		return "projection"
	}
	if g := m.Gates(); g != nil && g.Learned() {
		return "gates"
	}
	return ""
}
