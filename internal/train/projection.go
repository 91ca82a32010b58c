package train

import (
	"context"
	"math"
	"slices"
	"time"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/descent"
	"bigmkl/internal/projection"
	"bigmkl/predict"
)

// Kernels on projected features z_m = W_m'x are learned together with the matrices (Gönen 2010,
// Algorithm 4.1): the optimum J(W) of the classifier on z is minimised. While they stay, the classifier is
// an ordinary classifier on rows of R features, beside the features as they are if other kernels see
// these. It is trained as such and has the certificate of such. Each trial of the descent is such a
// training, solved no further than its bounds D <= J(W) <= P have to be known, from the dual variables of
// the trial before.
//
// By the theorem of the envelope the slope of J takes alpha and the weights of the kernels as constants.
// It therefore needs the support vectors alone (projection.Form.Slope). Several classifiers with one
// projection have the sum of their optima as J, and slopes add.
//
// A linear kernel by itself needs no descent: the minimum over W and w of 1/2 ||w||^2 + loss(w'W'x) is
// that over u = Ww, the linear classifier's, with W = u/||u||.

// projecting is the training of a projection.
type projecting struct {
	options *Options
	trials  *trialTrainer
	course  *course
	journal *trialJournal
	while   string // what it does before there is a model, see Unfinished
}

// runProjected is Run for kernels on projected features.
func runProjected(ctx context.Context, src dataset.Source, o Options, bank *projection.Bank) (
	*predict.Model, *Result, error) {
	p, err := openProjecting(ctx, src, &o, bank)
	err = p.unfinished(ctx, err)
	defer func() { p.journal.checkpoints.close() }()
	// What the ranks would train is compared by each trial.
	if err := o.Team.Join("trials of a descent\n", err); err != nil {
		return nil, nil, err
	}
	switch {
	case !o.Team.Leads():
		return nil, nil, p.trials.serve(ctx)
	case p.trials.space.followsFromLinear():
		m, r, err := p.solveLinear(ctx)
		return m, r, p.unfinished(ctx, err)
	}
	m, r, err := p.descend(ctx)
	return m, r, p.unfinished(ctx, err)
}

// openProjecting reads the rows, and the state of a run that is resumed. The training that it returns with
// an error has a journal, which must be closed.
func openProjecting(ctx context.Context, src dataset.Source, o *Options, bank *projection.Bank) (
	p *projecting, err error) {
	t := newTrialTrainer(o, bank)
	p = &projecting{
		options: o, trials: t, journal: &trialJournal{options: o, rows: t.rows},
		course: &course{options: o, gap: o.Solver.Gap, of: t.space}, while: "the data were read",
	}
	if err := o.Budget.SetDefaults(); err != nil {
		return p, err
	}
	if p.journal.checkpoints, err = openCheckpoints(ctx, o); err != nil {
		return p, err
	}
	if err := t.readRows(ctx, src); err != nil {
		return p, err
	}
	t.read, p.while = time.Since(t.began), "the first classifier of the projection was trained"
	if err := t.space.check(); err != nil || t.space.followsFromLinear() {
		return p, err
	}
	if err := t.openGates(ctx); err != nil {
		return p, err
	}
	resumed, err := p.restore()
	if err == nil && !resumed {
		err = p.course.begin(ctx)
	}
	return p, err
}

// descend moves W from each start and solves the classifier at the lowest P to the gap of the run.
func (p *projecting) descend(ctx context.Context) (*predict.Model, *Result, error) {
	for {
		t, status, err := p.step(ctx)
		if err != nil {
			return nil, nil, err
		}
		if status != "" {
			return p.finish(ctx, t, status)
		}
	}
}

// step solves the trial in hand, which is a trial of a descent or the last solution, and continues from
// it. With a status the run ends with the trial that step returns.
func (p *projecting) step(ctx context.Context) (*trial, chunking.Status, error) {
	d := p.course.descent
	if _, _, ok := p.trials.space.split(d.Trial); !ok {
		d.Judge(math.NaN(), math.NaN())
		if d.Point == nil {
			return nil, "", noStart()
		}
		return nil, "", p.course.next(ctx)
	}
	p.journal.mark(p.course, p.trials.starts)
	if p.exhausted() {
		return p.trials.last, chunking.IterationLimit, nil
	}
	p.journal.keep(false)
	t, err := p.solve(ctx)
	if err != nil {
		status, err := p.ended(err)
		return p.trials.last, status, err
	}
	switch {
	case endsRun(t.result.Status):
		p.journal.keep(true)
		return t, t.result.Status, nil
	case p.course.Final:
		status, err := p.conclude(ctx, t)
		return t, status, err
	}
	if err := p.judge(ctx, t); err != nil {
		p.journal.keep(true)
		return t, chunking.Interrupted, nil
	}
	return nil, "", p.course.next(ctx)
}

// solve trains the trial in hand.
func (p *projecting) solve(ctx context.Context) (*trial, error) {
	c := p.course
	call := &trialCall{kind: trialAtPoint, gap: c.gap, closing: c.Final, point: c.descent.Trial}
	if !c.Final {
		call.gap, call.ridge = c.descent.Gap, c.Ridge
	}
	t, err := p.train(ctx, call)
	if err == nil {
		p.trials.keep(t)
	}
	return t, err
}

// train trains a trial, and counts its iterations.
func (p *projecting) train(ctx context.Context, call *trialCall) (*trial, error) {
	t, err := p.trials.train(ctx, call, p.course.Iterations)
	if err == nil {
		p.course.Iterations += t.result.Iterations
	}
	return t, err
}

// judge takes the bounds of a trial, and its slope if it is accepted. Its only error is the error of a
// slope that was cut.
func (p *projecting) judge(ctx context.Context, t *trial) error {
	c, d, space := p.course, p.course.descent, p.trials.space
	dual, primal := t.result.lower, t.result.upper
	_, sum := t.dual()
	c.scaleBy(dual, sum, p.trials.rows.len())
	penalty := space.gates.penalty(c.decay(), t.parameters, nil)
	dual, primal = dual+penalty, primal+penalty
	var g []float64
	size := 0.0
	if d.Judges(dual, primal) == descent.Accepted {
		var err error
		if g, err = p.trials.slope(ctx, t); err != nil {
			return err
		}
		size = length(g)
		t.matrices.Back(g)
		own := slices.Clone(t.result.gateSlope)
		space.gates.penalty(c.decay(), t.parameters, own)
		at := len(g)
		g = append(g, own...)
		size = math.Hypot(size, length(d.Free(g)[at:]))
	}
	c.Trials++
	if d.Judge(dual, primal) == descent.Accepted {
		d.Learn(g, size)
	}
	return nil
}

// conclude continues from the last solution. It returns no status where a smaller ridge is tried. After an
// interrupt the slope is still wanted, and takes no longer than it took for each trial.
func (p *projecting) conclude(ctx context.Context, t *trial) (chunking.Status, error) {
	if err := p.measure(context.WithoutCancel(ctx), t); err != nil {
		return "", err
	}
	c, status := p.course, t.result.Status
	flat := c.flat(t.stationarity(), t.closing && p.options.Gating.Floor > 0)
	if c.again(status, flat) {
		return "", nil
	}
	return c.status(status, flat), nil
}

// exhausted reports whether the iterations of the trials before are as many as the run may have. Then it
// keeps the state before the last of them, of which the run makes its model, as a run that is resumed
// does once it has solved that trial again.
func (p *projecting) exhausted() bool {
	n := p.options.Limits.Iterations
	if n == 0 || p.course.Iterations < n || p.trials.last == nil {
		return false
	}
	p.journal.stepBack()
	p.journal.keep(true)
	return true
}

// restore brings the run to its last checkpoint. It returns false if there is none to resume from.
func (p *projecting) restore() (bool, error) {
	b, err := p.journal.restore()
	if b == nil || err != nil {
		return false, err
	}
	if !p.course.restore(b.state, b.vectors, b.best, p.trials.space.variables()) {
		return false, unsound()
	}
	p.trials.starts = b.starts
	return true, nil
}
