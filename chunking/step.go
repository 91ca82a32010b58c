package chunking

import "context"

// Step does one iteration: working set, its quadratic problem, line search on the true dual,
// weights, pass, certificate.
//
// Of these only the pass can take long. Where ctx ends the pass early, the state lies within an
// iteration, and Step continues with it when it is called again. The work before the pass is on
// the working set, and no context cuts it.
func (s *Solver) Step(ctx context.Context) error {
	// Otherwise the pass of the last call was cut, and nothing else is to be done again.
	if s.delta == nil {
		if err := s.calmDown(ctx, &s.evaluation); err != nil {
			return err
		}
		if err := s.moveWeights(ctx); err != nil {
			return err
		}
		if s.overall != nil {
			return s.overall.take(ctx, &s.evaluation, s.line)
		}
		if err := s.move(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	// The pass sums V again. Where that differs from what the search predicted, rounding has
	// grown.
	predicted := append(s.line.at[:0], s.V...)
	if err := s.grad.Pass(ctx, s.set, s.delta, s.alpha, s.theta, s.combined, s.V); err != nil {
		return err
	}
	s.delta = nil
	return s.settle(ctx, predicted)
}

// moveWeights lets the norm do what it does between steps: a Mover moves its weights, and a
// smoothed norm becomes sharper. A Mover whose weights stay waits with the latter.
func (s *Solver) moveWeights(ctx context.Context) (err error) {
	if s.iterations == 0 {
		return nil
	}
	if free, err := s.turn(ctx, &s.evaluation); !free {
		return err
	}
	if l, ok := newLadder(&s.evaluation); ok {
		_, mixes := s.grad.(Mixer)
		s.expansion, err = l.sharpen(ctx, mixes && s.columns == 0 && s.overall == nil)
	}
	return err
}

// move chooses the working set and moves its variables, and the weights with them. The gradients are
// left behind by delta, which the pass adds to them.
func (s *Solver) move(ctx context.Context) (err error) {
	step := setStep{&s.evaluation, s.workingModel, s.line, s.rank}
	switch l := s.loss.(type) {
	case Contrasts:
		s.delta, err = contrastStep{columnStep{step, s.columns}, l}.take(ctx)
	case Columns:
		s.delta, err = columnStep{step, s.columns}.take(ctx)
	default:
		s.delta, err = step.take(ctx, s.expansion)
		s.expansion = nil
	}
	if err == nil {
		moved := 0
		for _, x := range s.delta {
			if x != 0 {
				moved++
			}
		}
		s.spent += work(len(s.alpha), len(s.set), moved, len(s.theta))
		s.renew()
	}
	return err
}

// setStep is an iteration up to its pass: what it changes, and memory of no meaning between steps.
type setStep struct {
	*evaluation
	*workingModel
	*line
	rank []float64 // of the model: how the weights answer to the step
}

// take moves the variables of a working set, expanded at x unless that is nil. It returns their change.
func (s setStep) take(ctx context.Context, x *expansion) ([]float64, error) {
	var outside float64
	if s.entire {
		s.set = everyPoint(len(s.alpha))
	} else {
		if err := s.leaveOut(ctx); err != nil {
			return nil, err
		}
		s.set, outside = s.choose(&s.tuning, s.iterations == 0, s.cert.violation)
	}
	q := len(s.set)
	h, err := s.model(ctx, x)
	if err != nil {
		return nil, err
	}
	coarse, fine := tolerances(&s.tuning, s.cert.violation, outside)
	ascent := make([]float64, q)
	differentiable, smooth := s.loss.(Differentiable)
	for k, i := range s.set {
		ascent[k] = s.ascent[i]
		if smooth {
			ascent[k] = -s.combined[i]
		}
	}
	if x != nil {
		if err := x.correct(ctx, s.grad.(Mixer), s.set, ascent); err != nil {
			return nil, err
		}
	}
	// A step only has to be better than the points that wait outside deserve: the tolerances follow
	// the violation.
	switch {
	case smooth:
		s.inner.d = s.solveResponses(differentiable, ascent, h.at, s.cert.level)
	case s.entire:
		s.solveInside(ascent, h.at, fine)
	default:
		s.inner.solve(ascent, h, coarse, fine)
	}
	s.iterations++
	// What rounding was found to do holds for the state before.
	s.shift, s.doubt = 0, 0
	return s.move(ctx)
}

const innerFloor = 1e-12 // least tolerance of the inner solver

// tolerances gives the tolerances of the inner solver, for the largest violation by a pair of all
// points and by a pair outside the working set. A point that has moved costs a row of the pass,
// whatever the distance: it is worth that only while it violates more than the points that wait
// outside.
func tolerances(t *Tuning, violation, outside float64) (coarse, fine float64) {
	fine = max(innerFloor, t.Inner*violation)
	return max(fine, min(outside, t.Coarse*violation)), fine
}
