package train

import (
	"context"
	"math/rand/v2"
	"time"

	"bigmkl/chunking"
	"bigmkl/internal/dataset/holdout"
	"bigmkl/internal/loss"
	"bigmkl/internal/probability"
	"bigmkl/predict"
)

// Probabilities. The probability of the positive class is a sigmoid of the decision value f,
//
//	P(y = 1 | f) = 1 / (1 + exp(A f + B)).
//
// A and B maximise the likelihood with smoothed targets (Platt 1999; Lin, Lin and Weng 2007); see
// package probability. Decision values of a classifier on its own training rows are too good for
// this. The sigmoid is therefore fitted to rows that were held out, fold by fold.
//
// The trainings without one fold use all points and the gradients of the classifier. Held-out
// points have a cost of 0. Their dual variables are therefore 0, and sum_m theta_m g_m on them is
// their decision value. This takes no copies and no predictions, and cached base rows serve again.
// Each training starts from the dual variables of the classifier.

// foldGap is the relative gap of trainings without one fold, unless a larger one was asked for.
// From here to 1e-4 the parameters of a sigmoid change by a thousandth, which is far less than the
// choice of the folds changes them, and the trainings take twice the time.
const foldGap = 1e-2

// calibration holds the folds, which are the same for all classifiers, and the sigmoids of the
// classifiers that are finished.
type calibration struct {
	of       []int32               // fold of each row, counted from 0; nil before the first classifier
	count    int                   // number of folds
	gap      float64               // relative gap of the trainings without one fold
	sigmoids []probability.Sigmoid // one for each finished classifier, in their order
	stopped  bool                  // a limit ended a training: the model gives no probabilities

	unsettled int     // number of trainings that did not reach their gap
	widest    float64 // largest relative gap of those
}

// assignFolds draws the fold of each row from the seed. The folds are stratified: of each class
// every fold has the same number of rows, give or take one. With groups, all rows of a group are in one fold instead.
// The stream of random numbers is part of the bits of a model.
func (f *calibration) assignFolds(labels []int32, classes int, o *Options) {
	*f = calibration{
		of: make([]int32, len(labels)), count: min(o.Folds, len(labels)),
		gap: max(o.Solver.Gap, foldGap),
	}
	if o.FoldGroups != nil {
		f.of = holdout.OfGroups(o.FoldGroups, f.count, o.Seed)
		return
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0x666f6c6473)) // the letters of "folds"
	// A counting sort brings the rows into the order of their classes. at[c] is where class c goes
	// on.
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
	// Consecutive rows of the shuffled order go to different folds.
	for k, i := range order {
		f.of[i] = int32(k % f.count)
	}
}

// calibrate fits the sigmoid of a classifier that has just been trained. It does nothing if f is
// nil. If the time limit or an interrupt ends one of its trainings, the whole model gives no
// probabilities, and the classifier itself counts as ended by that.
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
	// A training that was cut is of no further use, but the classifier itself is complete.
	if err != nil && ctx.Err() != nil {
		s.status = askedStatus(ctx)
		f.giveUp(r, "the run ended in a training without a fold")
		return nil
	}
	if err != nil || f.stopped {
		return err
	}
	classes, positive := s.twoClass(), make([]bool, len(decisions))
	for i := range positive {
		positive[i] = classes.Positive(i)
		if r.Store.Posteriors() != nil { // The sigmoid gives the probability of the label.
			positive[i] = r.Store.Labels()[i] == 1
		}
	}
	sigmoid := probability.Fit(decisions, positive)
	f.sigmoids = append(f.sigmoids, sigmoid)
	if s.at.classifiers == 0 { // The only classifier is over all rows, in their order.
		for i, x := range decisions {
			decisions[i] = sigmoid.At(x)
		}
		r.result.Folding.keep(decisions, positive)
	}
	return nil
}

// twoClass returns the loss of two classes that was trained. A descent that a limit ended has smoothed it.
func (s *solved) twoClass() loss.TwoClass { return loss.Sharp(s.loss).(loss.TwoClass) }

// heldOut returns the decision value of each point from the training without its fold. If the other
// folds hold points of one class alone, there is nothing to train, and the value is 1 or -1 for
// that class, as in LIBSVM.
func (f *calibration) heldOut(ctx context.Context, r *run, g *gradients, s *solved) (
	[]float64, error) {
	loss, alpha := s.twoClass(), s.solution.Alpha
	decisions := make([]float64, len(alpha))
	for k := range f.count {
		out := f.heldOutPoints(s.rows, len(alpha), k)
		if len(out) == 0 {
			continue
		}
		rest, positive, negative, err := r.certainty().lossWithout(ctx, loss, out)
		if err != nil {
			return nil, err
		}
		if !positive || !negative {
			for _, i := range out {
				decisions[i] = valueOfOneClass(positive, negative)
			}
			continue
		}
		without, err := f.trainWithout(ctx, r, g, s, rest, k)
		if err != nil || f.stopped {
			return nil, err
		}
		found := without.solver.Decisions()
		for _, i := range out {
			decisions[i] = found[i]
		}
	}
	return decisions, nil
}

// valueOfOneClass returns the decision value without a training, for points of one class alone: 1
// or -1 for that class, and 0 without any points.
func valueOfOneClass(positive, negative bool) float64 {
	switch {
	case positive:
		return 1
	case negative:
		return -1
	}
	return 0
}

// heldOutPoints lists those of n points that are in a fold. index holds their rows; nil means all
// rows.
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

// trainWithout trains a classifier without the points of a fold, from the dual variables of the
// classifier. rest is the loss of the classifier with a cost of 0 for those points.
//
// It computes the gradients again. Continuing from the gradients of the previous fold would take
// as many kernel rows, because most free variables have moved.
func (f *calibration) trainWithout(ctx context.Context, r *run, g *gradients, classifier *solved,
	rest loss.TwoClass, fold int) (*solved, error) {
	norm, err := r.norms().regularizer()
	if err != nil {
		return nil, err
	}
	at := classifier.at
	at.fold = fold + 1
	p := problem{loss: rest, norm: norm, rows: classifier.rows, gap: f.gap, at: at, stop: classifier.stop}
	p.start = func(ctx context.Context, s *chunking.Solver, _ *chunking.Driver) error {
		return r.startAfresh(ctx, s, classifier.solution.Alpha)
	}
	// Here ctx also cuts iterations: nobody waits for the model of a fold.
	var s *solved
	if r.Options.Gating.Learned() {
		// A fold has gates of its own, which start at the gates of the classifier and leave these
		// as they are.
		s, err = newLearning(&classifierTrainer{run: r}, g, p, r.gates.apart()).learn(ctx, ctx)
	} else {
		s, err = r.solve(ctx, ctx, g, p)
	}
	if err != nil {
		return nil, err
	}
	r.result.Folding.Trainings++
	r.result.Folding.Iterations += s.solution.Iterations
	switch {
	case endsByClock(s.status):
		classifier.status = s.status
		f.giveUp(r, "the run ended after %d of %d trainings without a fold", fold, f.count)
	case s.status != chunking.Converged && s.status != StepLimit:
		f.unsettled++
		f.widest = max(f.widest, s.solution.Certificate.RelativeGap)
	}
	return s, nil
}

// endsByClock reports whether a status depends on the clock or the user. A limit of iterations does
// not: it holds for each training, and the next one may go on.
func endsByClock(s chunking.Status) bool {
	return s == chunking.TimeLimit || s == chunking.Interrupted
}

// giveUp leaves the model without probabilities and warns of that. Sigmoids for some classifiers
// alone would make their probabilities incomparable.
func (f *calibration) giveUp(r *run, format string, args ...any) {
	f.stopped = true
	r.warn("the model gives no probabilities: "+format, args...)
}

// addSigmoids puts the sigmoids of all classifiers into the model, and warns of doubtful ones. It
// does nothing if f is nil or stopped.
func (f *calibration) addSigmoids(folds int, w *warnings, m *predict.Model) {
	if f == nil || f.stopped {
		return
	}
	m.Folds, m.Sigmoids = folds, f.sigmoids
	flat := 0
	for _, s := range f.sigmoids {
		if s.A == 0 {
			flat++
		}
	}
	switch {
	case flat == 1 && len(f.sigmoids) == 1:
		w.warn("the classifier does not tell held-out rows apart: its probability is the share of the class, whatever the decision")
	case flat == 1:
		w.warn("1 of %d classifiers does not tell held-out rows apart: its probability is the share of the class, whatever the decision", len(f.sigmoids))
	case flat > 1:
		w.warn("%d of %d classifiers do not tell held-out rows apart: their probability is the share "+
			"of the class, whatever the decision", flat, len(f.sigmoids))
	}
	if f.unsettled > 0 {
		w.warn("%d trainings without a fold ended above a gap of %g, the worst at %.3g",
			f.unsettled, f.gap, f.widest)
	}
}
