package train

import (
	"context"

	"bigmkl/chunking"
	"bigmkl/predict"
)

// solveLinear trains the linear machine on all features, whose direction is W, and then the machine on
// W'x.
func (p *projecting) solveLinear(ctx context.Context) (*predict.Model, *Result, error) {
	all, err := p.train(ctx, p.source(), p.options.Solver.Gap, nil)
	if err != nil {
		return nil, nil, p.unfinished(ctx, err)
	}
	switch all.result.Status {
	case chunking.Interrupted:
		return nil, nil, p.unfinished(ctx, context.Canceled)
	case chunking.TimeLimit:
		return nil, nil, p.unfinished(ctx, context.DeadlineExceeded)
	}
	direction := make([]float64, p.d)
	for s, i := range all.model.Support {
		for j, x := range p.x[int(i)*p.d:][:p.d] {
			direction[j] += float64(all.model.Alpha[s] * x)
		}
	}
	one := *p.form
	one.Columns, p.alpha = 1, forStart(all.model)
	all.model.Close()
	matrix, ok := one.Make(direction)
	if !ok {
		direction[0] = 1 // All of alpha is 0, and so is the machine on any projection.
		matrix, _ = one.Make(direction)
	}
	idle := p.form.Columns > 1
	p.form, p.state.trials = &one, 1
	last, err := p.solve(ctx, matrix, p.options.Solver.Gap, p.options.Recorder)
	if err != nil {
		return nil, nil, p.unfinished(ctx, err)
	}
	m, r, err := p.finish(ctx, last, last.result.Status)
	if err == nil && idle {
		r.Warnings = append(r.Warnings, "a linear kernel sees one direction alone: the other columns "+
			"of its projection would be idle and are left out")
	}
	return m, r, err
}
