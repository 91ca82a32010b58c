package train

import (
	"context"
	"slices"

	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/internal/budget"
	"bigmkl/internal/loss"
	"bigmkl/internal/model"
	"bigmkl/kernels"
	"bigmkl/predict"
)

// fitted is what one Fit leaves to the next.
type fitted struct {
	learners
	workspace *Workspace // its store has the rows in hand; nil before the first Fit
	given     *kernels.Given
	plan      *budget.Plan // of the kernels and the rows in hand; nil if the kernels are to be made
	without   int          // of the rows before the last change of rows, those that it forgot: the first
	seen      int          // rows that were ever taken
	vectors   int          // of the rows in hand, those that are support vectors of another model
	prepared  int          // rows that given was found on
}

// train trains on the rows in hand: what a training in one go makes of them, a classifier or several.
func (f *fitted) train(ctx context.Context, r *run) (*predict.Model, chunking.Status, error) {
	d, err := r.labelled().decompose(&r.warnings)
	if err != nil {
		return nil, "", err
	}
	var alone chunking.Loss
	if r.split(d, r.Store); d == nil {
		if alone, err = r.labelled().loss(); err != nil {
			return nil, "", err
		}
	}
	f.match(r.labelled().learnerNames(d), r.Store.Len())
	if err := f.ensureKernels(ctx, r); err != nil {
		return nil, "", err
	}
	if _, err := r.norms().regularizer(); err != nil {
		return nil, "", err
	}
	// Gradients stay while the rows do. After a change of rows these are new ones of alpha = 0, and
	// others are carried over to them.
	if f.grad == nil {
		if f.grad, err = r.makeGradients(r.Store, nil); err != nil {
			return nil, "", err
		}
		f.kernel = r.Kernels
	}
	before := f.grad.Stats()
	if err := f.carry(ctx, r); err != nil {
		return nil, "", err
	}
	one, carried := newClassifierTrainer(r, nil), f.grad.Stats().Since(before)
	defer func() { r.result.Gradient = carried.And(r.result.Gradient) }()
	if d != nil {
		r.result.Sides = d.sides(r.Store)
		return f.trainEach(ctx, one, d)
	}
	s, err := f.trainLearner(ctx, one, f.each[0], problem{loss: alone}, nil)
	if err != nil {
		return nil, "", err
	}
	m, err := r.assembler().modelOfOne(s, nil)
	return m, s.status, err
}

// trainEach trains the classifiers of a decomposition one after the other. If the run is asked to end in their
// midst there is no model: it would be one of other rows for each classifier.
func (f *fitted) trainEach(ctx context.Context, one *classifierTrainer, d *decomposition) (
	*predict.Model, chunking.Status, error) {
	done, total := &finished{Classifiers: len(d.pairs)}, gradient.Stats{}
	for k, l := range f.each {
		if err := ctx.Err(); err != nil {
			return nil, "", err
		}
		loss, rows := d.problem(one.Workspace, k)
		s, err := f.trainLearner(ctx, one, l, problem{loss: loss, rows: rows}, done)
		if err != nil {
			return nil, "", err
		}
		if err := f.put(ctx, one.Options.Budget.Scratch); err != nil {
			return nil, "", err
		}
		total = total.And(s.used)
		m := one.assembler().classifierOf(d, k, s, s.solver.Double())
		one.doubts().classifier(s, s.solution.Theta, d.classifierName(k), m.Untrained(one.Options.Solver.Gap))
		done.addClassifier(m, s.status, s.solution.Iterations)
	}
	one.word()
	one.result.Iterations, one.result.Gradient, one.result.Each = done.Iterations, total, done.Each
	m, err := one.assembler().modelOfSeveral(d, done.done, nil)
	return m, done.Status, err
}

// trainLearner trains one classifier, whose norm the problem lacks. done is nil if there is no other.
func (f *fitted) trainLearner(ctx context.Context, one *classifierTrainer, l *learner, p problem, done *finished) (
	*solved, error) {
	var err error
	if p.norm, err = one.norms().regularizer(); err != nil {
		return nil, err
	}
	// The first training begins as any training does. Its model is therefore the model of Run, to
	// the bit.
	p.start = one.makeStart(f.grad, p, done)
	if l.fits > 0 {
		p.start = func(ctx context.Context, s *chunking.Solver, _ *chunking.Driver) error {
			return f.goOn(ctx, one.run, s, l, p.loss)
		}
	} else {
		f.inHand = nil
	}
	s, err := one.trainOne(ctx, f.grad, p, done)
	if err != nil {
		return nil, err
	}
	l.alpha, l.norm, l.fits = slices.Clone(s.solution.Alpha), nil, l.fits+1
	// A run may end with points asleep. The next training continues from the gradients of all
	// points.
	if err := f.grad.Wake(one.hard, l.alpha); err != nil {
		return nil, err
	}
	f.inHand = l
	// A norm has a state of its own problem, of which the next takes over how sharp it has become.
	if n, ok := p.norm.(chunking.Adaptive); ok {
		state := n.Snapshot()
		l.norm = &state
	}
	return s, nil
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

// goOn starts a solver where the last training of a classifier has ended. There are three ways, from cheap to
// expensive:
//
//   - the rows are the same, and so are the gradients: nothing has to be computed;
//   - rows were added or forgotten: carry has taken over the gradients of the rows that stay, and new rows
//     cost a kernel value for each support vector;
//   - there are no gradients, or sums of other values: each support vector costs a row.
//
// Which of them it is depends on the batches alone, and so do the bits.
func (f *fitted) goOn(ctx context.Context, r *run, s *chunking.Solver, l *learner, of chunking.Loss) error {
	held, start := slices.Clone(l.alpha), slices.Clone(l.alpha)
	c := 1.0
	if l, ok := of.(*loss.OneClass); ok {
		c = spread(l, start)
	}
	known, err := f.take(ctx, l)
	f.grad.used = true
	if err != nil {
		return err
	}
	if !known {
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
	return s.Continue(ctx, held, start, state.Double, l.norm)
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
