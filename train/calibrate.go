package train

import (
	"context"
	"math/rand/v2"
	"time"

	"bigmkl/chunking"
	"bigmkl/chunking/loss"
	"bigmkl/predict"
	"bigmkl/probability"
)

// Probabilities. A machine's decision values on its own training rows say too much, so that its sigmoid is fitted to those of rows
// that were held out, fold by fold. All folds are trained on all points with the very gradients of the machine: what is held out costs
// nothing and has dual variables of 0, so that sum_m theta_m g_m on those points is their decision value, without copies, without
// predicting and with the base rows in the cache. Each fold starts from the dual variables of the machine.

// The sigmoid is 1/(1 + exp(A f + B)), with A and B fitted to the held-out decision values by maximum
// likelihood with smoothed targets (Platt 1999; Lin, Lin and Weng 2007), see package probability.

// foldGap is the relative gap of trainings without a fold, if not a larger one was asked for. From there to 1e-4 the parameters of a
// sigmoid change by a thousandth, far less than by the draw of the rows, and the trainings take twice the time.
const foldGap = 1e-2

// calibration is the folds, which are the same for all machines, and the sigmoids of those that are done.
type calibration struct {
	of       []int32 // fold of each row, from 0
	count    int
	gap      float64 // of the trainings without one
	sigmoids []probability.Sigmoid
	stopped  bool // a limit of time came: there are no probabilities

	unsettled int     // trainings that did not reach their gap
	widest    float64 // gap of these
}

// deal deals the rows out, class by class: a fold has as many of each as any other, or one more.
func (f *calibration) assignFolds(labels []int32, classes int, o *Options) {
	*f = calibration{of: make([]int32, len(labels)), count: min(o.Folds, len(labels)), gap: max(o.Solver.Gap, foldGap)}
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
}

// calibrate fits the sigmoid of a machine that has just been trained. A limit of time, or an interrupt,
// leaves all machines without, and is from then on why the machine has stopped.
func (f *calibration) calibrate(ctx context.Context, r *run, g *gradients, s *solved) error {
	if f == nil {
		return nil
	}
	if f.of == nil && !f.stopped {
		f.assignFolds(r.Store.Labels(), len(r.Store.Classes()), &r.Options)
	}
	if !f.stopped && endsByClock(s.status) {
		f.giveUp(r, "the run ended before its folds")
	}
	if f.stopped {
		return nil
	}
	start, before := time.Now(), g.Stats()
	decisions, err := f.heldOut(ctx, r, g, s)
	r.result.Folding.Time += time.Since(start)
	r.result.Folding.Gradient = r.result.Folding.Gradient.And(g.Stats().Since(before))
	if err != nil && ctx.Err() != nil { // what is cut of a fold is of no further use: the machine itself is there
		s.status = askedStatus(ctx)
		f.giveUp(r, "the run ended in a training without a fold")
		return nil
	}
	if err != nil || f.stopped {
		return err
	}
	positive := make([]bool, len(decisions))
	for i := range positive {
		positive[i] = s.loss.(*loss.Hinge).Positive(i)
	}
	f.sigmoids = append(f.sigmoids, probability.Fit(decisions, positive))
	return nil
}

// heldOut gives the decision value of each point by the training without its fold; where that had points of one class alone, it is
// 1 or -1, as LIBSVM has it.
func (f *calibration) heldOut(ctx context.Context, r *run, g *gradients, s *solved) ([]float64, error) {
	loss, alpha := s.loss.(*loss.Hinge), s.solution.Alpha
	decisions := make([]float64, len(alpha))
	for k := range f.count {
		out := f.heldOutPoints(s.rows, len(alpha), k)
		if len(out) == 0 {
			continue
		}
		rest, positive, negative := loss.Without(out)
		value := 0.0
		switch {
		case positive && negative:
			without, err := f.trainWithout(ctx, r, g, s, rest, k)
			if err != nil || f.stopped {
				return nil, err
			}
			found := without.solver.Decisions()
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
func (f *calibration) heldOutPoints(index []int32, n, fold int) []int {
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

// trainWithout trains a machine on what a fold leaves, rest, from the dual variables of the machine.
//
// The gradients are computed afresh: to go on with those of the fold before takes as many rows, since
// most free variables have moved.
func (f *calibration) trainWithout(ctx context.Context, r *run, g *gradients, machine *solved, rest *loss.Hinge, fold int) (*solved, error) {
	norm, err := r.regularizer() // which has a state
	if err != nil {
		return nil, err
	}
	at := machine.at
	at.fold = fold + 1
	p := problem{loss: rest, norm: norm, rows: machine.rows, gap: f.gap, at: at, stop: machine.stop}
	p.start = func(ctx context.Context, s *chunking.Solver, _ *chunking.Driver) error {
		return r.startAfresh(ctx, s, machine.solution.Alpha)
	}
	s, err := r.solve(ctx, ctx, g, p)
	if err != nil {
		return nil, err
	}
	r.result.Folding.Trainings++
	r.result.Folding.Iterations += s.solution.Iterations
	switch {
	case endsByClock(s.status):
		machine.status = s.status
		f.giveUp(r, "the run ended after %d of %d trainings without a fold", fold, f.count)
	case s.status != chunking.Converged:
		f.unsettled++
		f.widest = max(f.widest, s.solution.Certificate.RelativeGap)
	}
	return s, nil
}

// ends tells of limits that depend on the clock.
func endsByClock(s chunking.Status) bool { return s == chunking.TimeLimit || s == chunking.Interrupted }

// giveUp leaves the model without probabilities.
func (f *calibration) giveUp(r *run, format string, args ...any) {
	f.stopped = true
	r.warn("the model gives no probabilities: "+format, args...)
}

// addSigmoids puts the sigmoids of all machines into the model.
func (f *calibration) addSigmoids(r *run, m *predict.Model) {
	if f == nil || f.stopped {
		return
	}
	m.Folds, m.Sigmoids = r.Options.Folds, f.sigmoids
	flat := 0
	for _, s := range f.sigmoids {
		if s.A == 0 {
			flat++
		}
	}
	if flat > 0 {
		r.warn("%d of %d machines do not tell held-out rows apart: their probability is the share of the class, whatever the decision", flat, len(f.sigmoids))
	}
	if f.unsettled > 0 {
		r.warn("%d trainings without a fold ended above a gap of %g, the worst at %.3g", f.unsettled, f.gap, f.widest)
	}
}
