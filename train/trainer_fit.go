package train

import (
	"context"
	"slices"
	"time"

	"bigmkl/chunking"
	"bigmkl/chunking/loss"
	"bigmkl/gradient"
	"bigmkl/mmap"
	"bigmkl/predict"
)

// Fit trains on the rows that were added, beside those of the fits before, and makes the snapshot.
// When ctx is done it finishes the operation in progress, and the snapshot is the model as it then
// is, with status Interrupted. Before the first iteration, and where the grace has passed, it
// returns an Unfinished and the snapshot stays. The trainer goes on with the next Fit in any case.
//
// The model is a function of the batches, of where fits were made between them, and of the options:
// threads, memory and disk change no bit of it, and neither does saving the trainer in between.
func (t *Trainer) Fit(ctx context.Context) (*Result, error) {
	t.fitting.Lock()
	defer t.fitting.Unlock()
	t.mu.Lock()
	closed := t.closed
	t.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	began := time.Now()
	hard, stop := t.options.Limits.Cut(ctx, began)
	defer stop()
	ctx, cancel := t.options.Limits.within(ctx, began)
	defer cancel()
	// Rows that are forgotten cost kernel values before there is a run that could count them.
	var used gradient.Stats
	if err := t.takeRows(ctx, &used); err != nil {
		return nil, Ended(ctx, err, "the rows were put together")
	}
	r := newRun(t.workspace, hard, began)
	m, status, err := t.train(ctx, r)
	r.result.conclude(m, status, r.Options.Solver.Gap)
	if err := r.describeEnd(ctx, t.workspace.Check(err)); err != nil {
		// What a cut has left in the midst of things is computed anew from alpha.
		t.dropGradients()
		return r.result, err
	}
	r.result.Train = time.Since(r.start)
	r.result.Gradient = used.And(r.result.Gradient)
	// The model is whole by now, and nothing changes it any more: whoever asks for a snapshot gets
	// either this one or the one before.
	t.describe(m)
	t.snapshot.Store(m)
	return r.result, nil
}

// train trains on the rows in hand.
func (t *Trainer) train(ctx context.Context, r *run) (*predict.Model, chunking.Status, error) {
	of, err := r.labelled().loss()
	if err != nil {
		return nil, "", err
	}
	if err := t.ensureKernels(ctx, r); err != nil {
		return nil, "", err
	}
	norm, err := r.norms().regularizer()
	if err != nil {
		return nil, "", err
	}
	// Gradients stay while the rows do. After a change of rows these are new ones of alpha = 0, and
	// goOn fills them.
	if t.grad == nil {
		if t.grad, err = r.makeGradients(r.Store, nil); err != nil {
			return nil, "", err
		}
		t.kernel = r.Kernels
	}
	// The first training begins as any training does, so that its model is that of Run, to the bit.
	one := newClassifierTrainer(r, nil)
	p := problem{loss: of, norm: norm, start: one.makeStart(t.grad, problem{loss: of}, nil)}
	if t.fits > 0 {
		p.start = func(ctx context.Context, s *chunking.Solver, _ *chunking.Driver) error {
			return t.goOn(ctx, r, s, of)
		}
	}
	s, err := one.trainOne(ctx, t.grad, p, nil)
	if err != nil {
		return nil, "", err
	}
	t.alpha, t.norm, t.fits = slices.Clone(s.solution.Alpha), nil, t.fits+1
	// A run may end with points asleep. What comes next goes on from the gradients of all.
	if err := t.grad.Wake(r.hard, t.alpha); err != nil {
		return nil, "", err
	}
	// A norm has a state of its own problem, of which the next takes over how sharp it has become.
	if n, ok := norm.(chunking.Adaptive); ok {
		state := n.Snapshot()
		t.norm = &state
	}
	m, err := r.assembler().modelOfOne(s, nil)
	return m, s.status, err
}

// ensureKernels makes the kernels for the rows in hand, normalises them and plans the budgets,
// unless all that was done for these rows.
func (t *Trainer) ensureKernels(ctx context.Context, r *run) (err error) {
	if t.plan != nil {
		r.plan = t.plan
		return nil
	}
	if r.Kernels != nil {
		r.Kernels.Close()
	}
	r.Kernels, r.Given, r.specs = nil, t.given, nil
	if t.given == nil {
		err = r.prepareKernels(ctx)
	} else {
		r.setOperation("the kernels were made")
		err = r.PrepareKernels(ctx)
	}
	if err == nil {
		err = r.planAndNormalize(ctx)
	}
	if err != nil {
		return err
	}
	if t.given == nil {
		t.prepared = r.Store.Len()
	}
	t.plan, t.given = r.plan, r.Kernels.Given()
	return nil
}

// goOn starts a solver where the last training has ended. There are three ways, from cheap to dear:
//
//   - the rows are the same, and so are the gradients: nothing has to be computed;
//   - rows were added or forgotten: gradients of the rows that stay are taken over, and new rows
//     cost a kernel value for each support vector;
//   - there are no gradients, or sums of other values: each support vector costs a row.
//
// Which of them it is depends on the batches alone, and so do the bits.
func (t *Trainer) goOn(ctx context.Context, r *run, s *chunking.Solver, of chunking.Loss) error {
	held, start := slices.Clone(t.alpha), slices.Clone(t.alpha)
	c := 1.0
	if l, ok := of.(*loss.OneClass); ok {
		c = spread(l, start)
	}
	kept := t.kept
	t.kept = nil
	defer kept.close()
	used := t.grad.used
	t.grad.used = true
	switch {
	case kept != nil && kept.kernel.SharesSums(r.Kernels):
		double := kept.double
		if !double {
			r.limitTo(0)
		}
		from := &gradient.Held{Points: kept.points, Values: mmap.View[float64](kept.file),
			State: gradient.State{Double: double, Sum: kept.sum}}
		if err := t.grad.TakeOver(ctx, from, kept.without); err != nil {
			return err
		}
		if err := t.grad.Wake(ctx, held); err != nil {
			return err
		}
	case kept != nil || !used:
		return r.startAfresh(ctx, s, start)
	}
	state, err := t.grad.State(ctx)
	if err != nil {
		return err
	}
	// A common factor of all variables is one of all gradients, and costs no kernel value.
	if c != 1 {
		t.grad.Scale(c)
		for i := range held {
			held[i] *= c
		}
	}
	return s.Continue(ctx, held, start, state.Double, t.norm)
}

// spread gives the new points of a problem of one class their share. The dual variables of n points
// sum to 1 and are at most 1/(nu n), so that those of the points before have to become smaller: all
// by the factor that is returned. The rest is put on points that have none, the first of them.
func spread(l *loss.OneClass, alpha []float64) (factor float64) {
	factor = 1
	// Variables at the old bound have to come to the new one, and the others keep their proportion.
	for i, a := range alpha {
		if _, most := l.Box(i); a > most {
			factor = min(factor, most/a)
		}
	}
	left := 1.0
	for i, a := range alpha {
		alpha[i] = factor * a
		left -= alpha[i]
	}
	for i, a := range alpha {
		if _, most := l.Box(i); a == 0 && left > 0 {
			alpha[i] = min(most, left)
			left -= alpha[i]
		}
	}
	return factor
}
