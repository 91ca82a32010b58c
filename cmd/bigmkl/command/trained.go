package command

import (
	"context"
	"errors"
	"fmt"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/fail"
	"bigmkl/internal/train"
)

// trained has the model, the figures and the test of a training that has ended.
type trained struct {
	// model is open and owned by the caller, and result has the status and the times of the training.
	model  *bigmkl.Model
	result *bigmkl.Result
	// score has the figures on the rows of the test, nil if none were tested.
	score *score.Score
}

// exitError returns the error whose exit code is the reason why the training ended, or nil if it
// has reached its gap. The model is written in every case. tests is set if it was to be tested. Scripts
// see from the code alone whether the gap was reached. The message names the gap, for people.
func (t *trained) exitError(ctx context.Context, tests bool) error {
	m, r := t.model, t.result
	// Of several classifiers the largest gap counts, because it bounds the gaps of all others.
	c, _ := m.Convergence().Worst()
	where := fmt.Sprintf("at a relative gap of %.3g (asked %.3g); the model is written",
		c.RelativeGap, m.Gap)
	switch r.Status {
	// The training has ended well, but an interrupted test leaves no figures. A script must see that.
	case chunking.Converged:
		if tests && t.score == nil && ctx.Err() != nil {
			return &exitError{contract.ExitInterrupted, "interrupted while testing; the model is written"}
		}
		return nil
	case chunking.Interrupted:
		return &exitError{contract.ExitInterrupted, "interrupted " + where}
	case chunking.TimeLimit:
		return &exitError{contract.ExitStopped, "the time limit was reached " + where}
	// The steps are steps of the descent on gates or on a projection, each with trainings of its own.
	case train.StepLimit:
		if p := m.Family.Projection(); p != nil {
			return &exitError{contract.ExitStopped, fmt.Sprintf("the projection took %d steps without coming to "+
				"the tolerance asked; the model is written", p.Steps)}
		}
		return &exitError{contract.ExitStopped, fmt.Sprintf("gates took %d steps without coming to the "+
			"tolerance asked; the model is written", m.Family.Gates().Together().Steps)}
	case chunking.IterationLimit:
		return &exitError{contract.ExitStopped, "the iteration limit was reached " + where}
	}
	// A descent can end between two steps without progress, although each training reached its gap.
	if what := descended(m); what != "" && c.RelativeGap <= m.Gap {
		return &exitError{contract.ExitStopped, fmt.Sprintf("no step of the %s lowers the objective further, and its slope is "+
			"above the tolerance asked; the model is written", what)}
	}
	// The rounding of float32 is the usual reason for an end without progress.
	hint := ""
	if m.Precision == string(chunking.Single) {
		hint = " (--precision auto goes further)"
	}
	return &exitError{contract.ExitStopped, "no step improves the solution further, " + where + hint}
}

// descended names what a descent has learned beside the classifier, "" if there was none.
// Fixed gates and regions have no descent.
func descended(m *bigmkl.Model) string {
	if m.Family.Projection() != nil {
		return "projection"
	}
	if g := m.Family.Gates(); g != nil && g.Learned() {
		return "gates"
	}
	return ""
}

// afterModel adds to an error of the test that the model is written, which the training was for.
func afterModel(err error, path string) error {
	// An error of another kind keeps its text: only errors of this module have a hint to extend.
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
