package train

import (
	"context"
	"slices"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/chunking/loss"
	"bigmkl/gradient"
	"bigmkl/kernels"
	"bigmkl/mmap"
	"bigmkl/model"
	"bigmkl/predict"
)

// fitted is what one Fit leaves to the next.
type fitted struct {
	workspace *Workspace // its store has the rows in hand; nil before the first Fit
	given     *kernels.Given
	plan      *budget.Plan // of the kernels and the rows in hand; nil if the kernels are to be made
	seen      int          // rows that were ever taken
	vectors   int          // of the rows in hand, those that are support vectors of another model
	prepared  int          // rows that given was found on

	alpha []float64           // dual variables of the rows in hand, 0 for those not trained on
	norm  *chunking.NormState // how sharp the norm has become; nil if it has no such state
	fits  int                 // trainings that have come to an end

	grad   *gradients        // of the rows in hand and of alpha; nil if there are none in memory
	kernel *kernels.Prepared // what grad was made with
	kept   *keptGradients    // those of rows before the last change of the rows; nil if there are none
}

// train trains on the rows in hand.
func (f *fitted) train(ctx context.Context, r *run) (*predict.Model, chunking.Status, error) {
	of, err := r.labelled().loss()
	if err != nil {
		return nil, "", err
	}
	if err := f.ensureKernels(ctx, r); err != nil {
		return nil, "", err
	}
	norm, err := r.norms().regularizer()
	if err != nil {
		return nil, "", err
	}
	// Gradients stay while the rows do. After a change of rows these are new ones of alpha = 0, and
	// goOn fills them.
	if f.grad == nil {
		if f.grad, err = r.makeGradients(r.Store, nil); err != nil {
			return nil, "", err
		}
		f.kernel = r.Kernels
	}
	// The first training begins as any training does. Its model is therefore the model of Run, to
	// the bit.
	one := newClassifierTrainer(r, nil)
	p := problem{loss: of, norm: norm, start: one.makeStart(f.grad, problem{loss: of}, nil)}
	if f.fits > 0 {
		p.start = func(ctx context.Context, s *chunking.Solver, _ *chunking.Driver) error {
			return f.goOn(ctx, r, s, of)
		}
	}
	s, err := one.trainOne(ctx, f.grad, p, nil)
	if err != nil {
		return nil, "", err
	}
	f.alpha, f.norm, f.fits = slices.Clone(s.solution.Alpha), nil, f.fits+1
	// A run may end with points asleep. The next training continues from the gradients of all
	// points.
	if err := f.grad.Wake(r.hard, f.alpha); err != nil {
		return nil, "", err
	}
	// A norm has a state of its own problem, of which the next takes over how sharp it has become.
	if n, ok := norm.(chunking.Adaptive); ok {
		state := n.Snapshot()
		f.norm = &state
	}
	m, err := r.assembler().modelOfOne(s, nil)
	return m, s.status, err
}

// ensureKernels makes the kernels for the rows in hand, normalises them and plans the budgets,
// unless all that was done for these rows.
func (f *fitted) ensureKernels(ctx context.Context, r *run) (err error) {
	if f.plan != nil {
		r.plan = f.plan
		return nil
	}
	if r.Kernels != nil {
		r.Kernels.Close()
	}
	r.Kernels, r.Given, r.specs = nil, f.given, nil
	if f.given == nil {
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
	if f.given == nil {
		f.prepared = r.Store.Len()
	}
	f.plan, f.given = r.plan, r.Kernels.Given()
	return nil
}

// goOn starts a solver where the last training has ended. There are three ways, from cheap to
// expensive:
//
//   - the rows are the same, and so are the gradients: nothing has to be computed;
//   - rows were added or forgotten: gradients of the rows that stay are taken over, and new rows
//     cost a kernel value for each support vector;
//   - there are no gradients, or sums of other values: each support vector costs a row.
//
// Which of them it is depends on the batches alone, and so do the bits.
func (f *fitted) goOn(ctx context.Context, r *run, s *chunking.Solver, of chunking.Loss) error {
	held, start := slices.Clone(f.alpha), slices.Clone(f.alpha)
	c := 1.0
	if l, ok := of.(*loss.OneClass); ok {
		c = spread(l, start)
	}
	kept := f.kept
	f.kept = nil
	defer kept.close()
	used := f.grad.used
	f.grad.used = true
	switch {
	case kept != nil && kept.kernel.SharesSums(r.Kernels):
		double := kept.double
		if !double {
			r.limitTo(0)
		}
		from := &gradient.Held{Points: kept.points, Values: mmap.View[float64](kept.file),
			State: gradient.State{Double: double, Sum: kept.sum}}
		if err := f.grad.TakeOver(ctx, from, kept.without); err != nil {
			return err
		}
		if err := f.grad.Wake(ctx, held); err != nil {
			return err
		}
	case kept != nil || !used:
		return r.startAfresh(ctx, s, start)
	}
	state, err := f.grad.State(ctx)
	if err != nil {
		return err
	}
	// A common factor of all variables is one of all gradients, and costs no kernel value.
	if c != 1 {
		f.grad.Scale(c)
		for i := range held {
			held[i] *= c
		}
	}
	return s.Continue(ctx, held, start, state.Double, f.norm)
}

// describe adds to a model the facts that it does not have about its own rows: their numbers among
// all rows, and that widths and factors come from other rows. A model of the first batch alone has
// nothing to add.
func (f *fitted) describe(m *predict.Model) {
	if f.seen != m.Points || f.prepared != m.Points || f.vectors > 0 {
		m.Stream = &model.Stream{Seen: f.seen, Prepared: f.prepared, Vectors: f.vectors}
	}
}

// spread gives the new points of a problem of one class their share. The dual variables of n points
// sum to 1 and are at most 1/(nu n). The dual variables of the points before therefore have to
// become smaller: all by the factor that is returned. The rest is put on points that have none,
// the first of them.
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
