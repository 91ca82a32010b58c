package bigmkl

import (
	"context"
	"math/rand/v2"
	"time"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/chunking/loss"
	"bigmkl/gradient"
	"bigmkl/probability"
)

// Probabilities. A machine's decision values on its own training rows say too much, so that its sigmoid is fitted to those of rows
// that were held out, fold by fold. All folds are trained on all points with the very gradients of the machine: what is held out costs
// nothing and has dual variables of 0, so that sum_m theta_m g_m on those points is their decision value, without copies, without
// predicting and with the base rows in the cache. Each fold starts from the dual variables of the machine.

// foldGap is the relative gap of trainings without a fold, if not a larger one was asked for. From there to 1e-4 the parameters of a
// sigmoid change by a thousandth, far less than by the draw of the rows, and the trainings take twice the time.
const foldGap = 1e-2

// Folding is what the trainings without the folds took, over all machines.
type Folding struct {
	Trainings, Iterations int
	Gradient              gradient.Stats
	Time                  time.Duration
}

// folding is the folds, which are the same for all machines, and the sigmoids of those that are done.
type folding struct {
	of       []int32 // fold of each row, from 0
	count    int
	gap      float64 // of the trainings without one
	now      int     // the fold in hand, from 1; 0 if there is none
	sigmoids []probability.Sigmoid
	stopped  bool // a limit of time came: there are no probabilities

	unsettled int     // trainings that did not reach their gap
	widest    float64 // gap of these
}

// newFolding deals the rows out, class by class: a fold has as many of each as any other, or one more.
func newFolding(labels []int32, classes int, o *Options) *folding {
	f := &folding{of: make([]int32, len(labels)), count: min(o.Folds, len(labels)), gap: max(o.Gap, foldGap)}
	rng := rand.New(rand.NewPCG(o.Seed, 0x666f6c6473)) // "folds"
	at := make([]int, classes+1)
	for _, c := range labels {
		at[c+1]++
	}
	for c := range classes {
		at[c+1] += at[c]
	}
	order := make([]int32, len(labels))
	for i, c := range labels {
		order[at[c]] = int32(i)
		at[c]++
	}
	from := 0
	for _, end := range at[:classes] {
		class := order[from:end]
		rng.Shuffle(len(class), func(a, b int) { class[a], class[b] = class[b], class[a] })
		from = end
	}
	for k, i := range order {
		f.of[i] = int32(k % f.count)
	}
	return f
}

// calibrate fits the sigmoid of the machine that has just been trained on some points, nil for all; alpha are its dual variables. A
// limit of time, or an interrupt, leaves all machines without.
func (t *training) calibrate(ctx context.Context, alpha []float64, index []int32, stop func() chunking.Status) error {
	if t.o.Folds == 0 {
		return nil
	}
	if t.folding == nil {
		t.folding = newFolding(t.store.Labels(), len(t.store.Classes()), &t.o)
	}
	f := t.folding
	if !f.stopped && ends(t.outcome) {
		t.giveUp("the run ended before its folds")
	}
	if f.stopped {
		return nil
	}
	start, before := time.Now(), t.grad.Stats()
	solver, norm := t.solver, t.norm
	decisions, err := t.heldOut(ctx, alpha, index, stop)
	t.solver, t.norm, f.now = solver, norm, 0
	t.result.Folding.Time += time.Since(start)
	t.result.Folding.Gradient = t.result.Folding.Gradient.And(t.grad.Stats().Since(before))
	if err != nil && ctx.Err() != nil { // what is cut of a fold is of no further use: the machine itself is there
		t.outcome = asked(ctx)
		t.giveUp("the run ended in a training without a fold")
		return nil
	}
	if err != nil || f.stopped {
		return err
	}
	positive := make([]bool, len(decisions))
	for i := range positive {
		positive[i] = t.loss.(*loss.Hinge).Positive(i)
	}
	f.sigmoids = append(f.sigmoids, probability.Fit(decisions, positive))
	return nil
}

// heldOut gives the decision value of each point by the training without its fold; where that had points of one class alone, it is
// 1 or -1, as LIBSVM has it.
func (t *training) heldOut(ctx context.Context, alpha []float64, index []int32, stop func() chunking.Status) ([]float64, error) {
	f, loss := t.folding, t.loss.(*loss.Hinge)
	decisions := make([]float64, len(alpha))
	for k := range f.count {
		out := f.held(index, len(alpha), k)
		if len(out) == 0 {
			continue
		}
		rest, positive, negative := loss.Without(out)
		value := 0.0
		switch {
		case positive && negative:
			f.now = k + 1
			if err := t.without(ctx, rest, alpha, stop); err != nil || f.stopped {
				return nil, err
			}
			found := t.solver.Decisions()
			for _, i := range out {
				decisions[i] = found[i]
			}
			continue
		case positive:
			value = 1
		case negative:
			value = -1
		}
		for _, i := range out {
			decisions[i] = value
		}
	}
	return decisions, nil
}

// held lists the points of a fold among n, which are rows of index, nil for all.
func (f *folding) held(index []int32, n, fold int) []int {
	var out []int
	for i := range n {
		row := i
		if index != nil {
			row = int(index[i])
		}
		if int(f.of[row]) == fold {
			out = append(out, i)
		}
	}
	return out
}

// without trains on what a fold leaves, from the dual variables alpha.
func (t *training) without(ctx context.Context, rest *loss.Hinge, alpha []float64, stop func() chunking.Status) error {
	var err error
	if t.norm, err = t.regularizer(); err != nil { // which has a state
		return err
	}
	d := t.drive(rest, len(alpha), t.folding.gap, stop)
	if t.o.startsDouble() {
		if err := t.solver.Widen(ctx); err != nil { // while there is nothing to compute
			return err
		}
	} else {
		t.limitHeap(t.plan.Heap(budget.Single))
	}
	// Afresh: to go on with the gradients of the fold before takes as many rows, since most free variables have moved.
	if err := t.solver.Start(ctx, alpha); err != nil {
		return err
	}
	status, err := d.Run(ctx)
	if err != nil {
		return err
	}
	f, p := t.folding, t.solver.Progress()
	t.result.Folding.Trainings++
	t.result.Folding.Iterations += p.Iteration
	switch {
	case ends(status):
		t.outcome = status
		t.giveUp("the run ended after %d of %d trainings without a fold", f.now-1, f.count)
	case status != chunking.Converged:
		f.unsettled++
		f.widest = max(f.widest, p.Certificate.RelativeGap)
	}
	return nil
}

// ends tells of limits that depend on the clock.
func ends(s chunking.Status) bool { return s == chunking.TimeLimit || s == chunking.Interrupted }

// giveUp leaves the model without probabilities.
func (t *training) giveUp(format string, args ...any) {
	t.folding.stopped = true
	t.warn("the model gives no probabilities: "+format, args...)
}

// addSigmoids puts the sigmoids of all machines into the model.
func (t *training) addSigmoids(m *Model) {
	f := t.folding
	if f == nil || f.stopped {
		return
	}
	m.Folds, m.Sigmoids = t.o.Folds, f.sigmoids
	flat := 0
	for _, s := range f.sigmoids {
		if s.A == 0 {
			flat++
		}
	}
	if flat > 0 {
		t.warn("%d of %d machines do not tell held-out rows apart: their probability is the share of the class, whatever the decision", flat, len(f.sigmoids))
	}
	if f.unsettled > 0 {
		t.warn("%d trainings without a fold ended above a gap of %g, the worst at %.3g", f.unsettled, f.gap, f.widest)
	}
}
