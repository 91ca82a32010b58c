package train

import (
	"context"

	"bigmkl/chunking"
	"bigmkl/predict"
)

// solveLinear trains the linear classifier on all features, whose direction is W, and then the
// classifier on W'x.
func (p *projecting) solveLinear(ctx context.Context) (*predict.Model, *Result, error) {
	t := p.trials
	form, rows := t.space.bank.Forms[0], t.rows
	all, err := p.train(ctx, &trialCall{kind: trialOfInner, gap: p.options.Solver.Gap})
	if err != nil {
		return nil, nil, err
	}
	switch all.result.Status {
	case chunking.Interrupted:
		return nil, nil, context.Canceled
	case chunking.TimeLimit:
		return nil, nil, context.DeadlineExceeded
	}
	direction := make([]float64, rows.d)
	for s, i := range all.model.Support {
		for j, x := range rows.features(i) {
			direction[j] += float64(all.model.Alpha[s] * x)
		}
	}
	t.starts = startsOf(all.model)
	all.model.Close()
	t.space.narrowToDirection()
	if _, ok := t.space.bank.Make(rows.d, direction); !ok {
		direction[0] = 1 // All of alpha is 0, and so is the classifier on any projection.
	}
	p.course.Trials = 1
	last, err := p.train(ctx, &trialCall{kind: trialOfDirection, gap: p.options.Solver.Gap, point: direction})
	if err != nil {
		return nil, nil, err
	}
	t.keep(last)
	m, r, err := p.finish(ctx, last, last.result.Status)
	if err == nil && form.Columns > 1 {
		r.Warnings = append(r.Warnings, "a linear kernel sees one direction alone: the other columns "+
			"of its projection would be idle and are left out")
	}
	return m, r, err
}
