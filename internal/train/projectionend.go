package train

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"bigmkl/chunking"
	"bigmkl/predict"
)

// finish makes the model of a trial that of the run.
func (p *projecting) finish(ctx context.Context, t *trial, status chunking.Status) (*predict.Model,
	*Result, error) {
	if t == nil {
		return nil, nil, ctx.Err()
	}
	if err := p.measure(context.WithoutCancel(ctx), t); err != nil {
		return nil, nil, err
	}
	p.describe(t)
	t.model.Gap = p.options.Solver.Gap
	r := t.result
	if !endsRun(status) || status == StepLimit {
		p.journal.ended = status
		p.journal.keep(true)
	}
	r.Warnings = append(r.Warnings, p.journal.notes...)
	r.Status, r.Iterations, r.Gradient, r.Read = status, p.course.Iterations, p.trials.used, p.trials.read
	r.Resumed = p.journal.resumed
	r.Train = time.Since(p.trials.began) - r.Read
	return t.model, r, nil
}

// describe completes the matrices and gates in the model of a trial.
func (p *projecting) describe(t *trial) {
	space, c := p.trials.space, p.course
	trials := max(c.Trials, c.Steps)
	if space.gates != nil {
		g := t.model.Family.Gates()
		g.Decay, g.Steps, g.Trials, g.Stationarity = c.decay(), c.Steps, trials, t.ofGates
		t.model.Family = g.Family()
		if text := c.warnHard(t.ofGates); text != "" {
			p.journal.notes = append(p.journal.notes, text)
		}
	}
	if space.projects() {
		of := space.projection(t.matrices)
		of.Steps, of.Trials, of.Stationarity, of.Scaling = c.Steps, trials, t.ofMatrices, p.trials.rows.scaling
		t.model.Family = of.Family(t.model.Family)
	}
}

// measure records how far the matrices and the gates of a trial are from a stationary point.
func (p *projecting) measure(ctx context.Context, t *trial) error {
	dual, _ := t.dual()
	if dual == 0 || t.measured {
		return nil
	}
	if p.trials.space.projects() {
		g, err := p.trials.slope(ctx, t)
		if err != nil {
			return err
		}
		t.ofMatrices = length(g) / math.Abs(dual)
	}
	slope := slices.Clone(t.result.gateSlope)
	if g := p.trials.space.gates; g != nil {
		g.penalty(p.course.decay(), t.parameters, slope)
		g.at(t.parameters).Free(slope)
	}
	t.ofGates, t.measured = length(slope)/math.Abs(dual), true
	return nil
}

// ended returns the status of a run that a trial without a model ends, if the trial before has one, and
// an error otherwise.
func (p *projecting) ended(err error) (chunking.Status, error) {
	var cut *Unfinished
	if !errors.As(err, &cut) {
		return "", err
	}
	p.journal.keep(true)
	if p.trials.last == nil {
		return "", err
	}
	return cut.Status, nil
}

// unfinished describes a run that ended without a model. Other errors stay as they are.
func (p *projecting) unfinished(ctx context.Context, err error) error {
	err = Ended(ctx, err, p.while)
	var cut *Unfinished
	if errors.As(err, &cut) {
		cut.Kept = p.journal.kept()
	}
	return err
}
