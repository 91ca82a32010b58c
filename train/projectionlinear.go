package train

import (
	"context"

	"bigmkl/chunking"
	"bigmkl/kernelspec"
	"bigmkl/predict"
)

// closed reports whether W follows from the linear machine on all features.
func (p *projecting) closed() bool {
	return len(p.bank.Forms) > 0 && p.bank.Forms[0].Kernel.Kind == kernelspec.Linear &&
		p.options.Problem.Multiclass == "" && !p.options.Gating.Learned()
}

// solveLinear trains the linear machine on all features, whose direction is W, and then the machine on
// W'x.
func (p *projecting) solveLinear(ctx context.Context) (*predict.Model, *Result, error) {
	form := p.bank.Forms[0]
	all, err := p.train(ctx, &trialCall{kind: trialOfInner, gap: p.options.Solver.Gap})
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
	p.starts = startsOf(all.model)
	all.model.Close()
	p.narrowToDirection()
	if _, ok := p.bank.Make(p.d, direction); !ok {
		direction[0] = 1 // All of alpha is 0, and so is the machine on any projection.
	}
	p.state.Trials = 1
	last, err := p.train(ctx, &trialCall{kind: trialOfDirection, gap: p.options.Solver.Gap, point: direction})
	if err != nil {
		return nil, nil, p.unfinished(ctx, err)
	}
	p.keepTrial(last)
	m, r, err := p.finish(ctx, last, last.result.Status)
	if err == nil && form.Columns > 1 {
		r.Warnings = append(r.Warnings, "a linear kernel sees one direction alone: the other columns "+
			"of its projection would be idle and are left out")
	}
	return m, r, err
}
