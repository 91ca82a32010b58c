package train

import (
	"context"
	"errors"
	"math"
	"time"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/descent"
	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
	"bigmkl/predict"
	"bigmkl/projection"
)

// A kernel on projected features z = W'x is learned together with W (Gönen 2010, Algorithm 4.1): the
// optimum J(W) of the machine on z is minimised. While W stays, the machine is any machine on rows of
// R features, trained as such and with the certificate of such. Each trial of the descent is one,
// solved no further than its bounds D <= J(W) <= P have to be known, from the dual variables of the
// trial before.
//
// By the theorem of the envelope the slope of J takes alpha as a constant, so that it needs the
// support vectors alone (projection.Form.Slope).
//
// Linear kernels need no descent: the minimum over W and w of 1/2 ||w||^2 + loss(w'W'x) is that over
// u = Ww, the linear machine's, with W = u/||u||.

// projecting is the training of a projection.
type projecting struct {
	options Options
	form    *projection.Form
	rows    []dataset.Row // without features
	x       []float64     // rows x d
	d       int
	began   time.Time

	alpha *predict.Model // the trial before, without its vectors; nil before the first
	made  *trial         // the last trial that was solved
	total Result         // what trials took
	state projectingState
}

// projectingState counts what the descents of all starts took.
type projectingState struct{ steps, trials int }

// runProjected is Run for a kernel on projected features.
func runProjected(ctx context.Context, src dataset.Source, o Options, form *projection.Form) (
	*predict.Model, *Result, error) {
	p := &projecting{options: o, form: form, began: time.Now()}
	if err := p.options.Budget.SetDefaults(); err != nil {
		return nil, nil, err
	}
	if err := p.read(ctx, dataset.Limit(src, o.Data.Limit)); err != nil {
		return nil, nil, err
	}
	p.total.Read = time.Since(p.began)
	if err := form.Check(p.d); err != nil {
		return nil, nil, err
	}
	if form.Kernel.Kind == kernelspec.Linear {
		return p.solveLinear(ctx)
	}
	return p.descend(ctx)
}

// descend moves W from each start and solves the machine at the lowest P to the gap of the run.
func (p *projecting) descend(ctx context.Context) (*predict.Model, *Result, error) {
	o := &p.options
	var best []float64
	lowest, limited := 0.0, false
	for start := range o.Gating.Starts {
		d, stopped, err := p.descendFrom(ctx, start)
		if err != nil {
			return nil, nil, p.unfinished(ctx, err)
		}
		if stopped != "" {
			return p.finish(ctx, p.made, stopped)
		}
		p.state.steps += d.Steps
		if best == nil || d.Value < lowest {
			best, lowest, limited = d.Point, d.Value, d.Ended == descent.Limited
		}
	}
	matrix, _ := p.form.Make(best) // It was made before.
	last, err := p.solve(ctx, matrix, o.Solver.Gap, o.Recorder)
	if err != nil {
		if status := p.ended(err); status != "" {
			return p.finish(ctx, p.made, status)
		}
		return nil, nil, err
	}
	status := last.result.Status
	if limited && status == chunking.Converged {
		status = StepLimit
	}
	return p.finish(ctx, last, status)
}

// descendFrom moves W from a start. A status says that the run is to end with the trial in hand.
func (p *projecting) descendFrom(ctx context.Context, start int) (*descent.Descent, chunking.Status,
	error) {
	o := &p.options
	d := descent.New(p.form.Start(p.d, o.Seed, start), descent.Options{
		Tolerance: o.Gating.Tolerance, Steps: o.Gating.Steps, Gap: o.Solver.Gap})
	for d.Ended == "" {
		matrix, ok := p.form.Make(d.Trial)
		if !ok {
			d.Judge(math.NaN(), math.NaN())
			if d.Point == nil {
				return nil, "", fail.New(fail.Input, "a projection has no start")
			}
			continue
		}
		t, err := p.solve(ctx, matrix, d.Gap, nil)
		if err != nil {
			if status := p.ended(err); status != "" {
				return d, status, nil
			}
			return nil, "", err
		}
		p.state.trials++
		if endsRun(t.result.Status) {
			return d, t.result.Status, nil
		}
		c := t.model.Certificate
		if d.Judge(c.Dual, c.Primal) != descent.Accepted {
			continue
		}
		g, err := p.slope(ctx, t)
		if err != nil {
			return d, chunking.Interrupted, nil
		}
		matrix.Back(g)
		d.Learn(g)
	}
	return d, "", nil
}

// finish makes the model of a trial that of the run.
func (p *projecting) finish(ctx context.Context, t *trial, status chunking.Status) (*predict.Model,
	*Result, error) {
	if t == nil {
		return nil, nil, p.unfinished(ctx, ctx.Err())
	}
	of := p.describe(t.matrix)
	of.Steps, of.Trials = p.state.steps, max(p.state.trials, p.state.steps)
	// After an interrupt the slope is still wanted, and takes no longer than it took for each trial.
	g, err := p.slope(context.WithoutCancel(ctx), t)
	if err != nil {
		return nil, nil, err
	}
	sum := 0.0
	for _, v := range g {
		sum += float64(v * v)
	}
	if size := math.Abs(t.model.Certificate.Dual); size > 0 {
		of.Stationarity = math.Sqrt(sum) / size
	}
	t.model.SetProjection(of)
	t.model.Gap = p.options.Solver.Gap
	r := t.result
	r.Status, r.Iterations, r.Gradient, r.Read = status, p.total.Iterations, p.total.Gradient, p.total.Read
	r.Train = time.Since(p.began) - r.Read
	return t.model, r, nil
}

// ended returns the status of a run that a trial without a model ends: the trial before has one. It is
// "" for other errors, and where there is none.
func (p *projecting) ended(err error) chunking.Status {
	var cut *Unfinished
	if p.made != nil && errors.As(err, &cut) {
		return cut.Status
	}
	return ""
}

// unfinished describes a run that ended without a model.
func (p *projecting) unfinished(ctx context.Context, err error) error {
	return Ended(ctx, err, "the first machine of the projection was trained")
}
