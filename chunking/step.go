package chunking

import (
	"context"
	"math"
	"slices"

	"bigmkl/internal/invariant"
)

// Step does one iteration: working set, its quadratic problem, line search on the true dual,
// weights, pass, certificate.
//
// Of these only the pass can take long. Where ctx ends the pass early, the state lies within an
// iteration, and Step continues with it when it is called again. The work before the pass is on
// the working set, and no context cuts it.
func (s *Solver) Step(ctx context.Context) error {
	// Otherwise the pass of the last call was cut, and nothing else is to be done again.
	if s.delta == nil {
		if err := calmDown(ctx, s); err != nil {
			return err
		}
		if err := moveWeights(ctx, s); err != nil {
			return err
		}
		if s.overall != nil {
			return stepOverall(ctx, s)
		}
		step := stepOnSet
		switch l := s.loss.(type) {
		case Contrasts:
			step = func(ctx context.Context, s *Solver) error { return stepOnContrasts(ctx, s, l) }
		case Columns:
			step = stepOnColumns
		}
		if err := step(context.WithoutCancel(ctx), s); err != nil {
			return err
		}
	}
	// The pass sums V again. Where that differs from what the search predicted, rounding has
	// grown.
	predicted := append(s.line[:0], s.V...)
	if err := s.grad.Pass(ctx, s.set, s.delta, s.alpha, s.theta, s.combined, s.V); err != nil {
		return err
	}
	s.delta = nil
	return settle(ctx, s, predicted)
}

// moveWeights lets the norm do what it does between steps: a Mover moves its weights, and a
// smoothed norm becomes sharper. A Mover whose weights stay waits with the latter.
func moveWeights(ctx context.Context, s *Solver) error {
	if s.iterations == 0 {
		return nil
	}
	if free, err := turn(ctx, s); !free {
		return err
	}
	return sharpen(ctx, s)
}

// stepOnSet finds the working set and moves its variables, and the weights with them. The gradients
// are left behind by delta, which the pass adds to them.
func stepOnSet(ctx context.Context, s *Solver) error {
	if err := leaveOut(ctx, s); err != nil {
		return err
	}
	var outside float64
	s.set, outside = s.choose(&s.tuning, s.iterations == 0, s.cert.violation)
	q := len(s.set)
	if err := buildModel(ctx, s); err != nil {
		return err
	}
	coarse, fine := tolerances(&s.tuning, s.cert.violation, outside)
	ascent := make([]float64, q)
	for k, i := range s.set {
		ascent[k] = s.ascent[i]
	}
	if s.expansion != nil {
		if err := s.expansion.correct(ctx, s.grad.(Mixer), s.set, ascent); err != nil {
			return err
		}
		s.expansion = nil
	}
	// A step only has to be better than the points that wait outside deserve: the tolerances follow
	// the violation.
	s.inner.solve(ascent, s.hessian[:q*q], coarse, fine)
	s.iterations++
	// What rounding was found to do holds for the state before.
	s.shift, s.doubt = 0, 0
	delta, err := moveOnSet(ctx, s)
	if err != nil {
		return err
	}
	s.delta = delta
	s.renew()
	return nil
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

// stepOverall does one iteration with a direction over all points. An iteration that is cut in the
// search for the direction begins again.
func stepOverall(ctx context.Context, s *Solver) error {
	o := s.overall
	s.set = o.all
	defer func() { s.set = nil }()
	o.stepper.Direction(s.alpha, s.ascent, o.d)
	if err := o.grad.Along(ctx, o.d, s.b, s.c); err != nil {
		return err
	}
	s.iterations++
	s.shift, s.doubt = 0, 0
	t := searchFar(s, o.d)
	if t == 0 {
		s.stuck++
		// The state stays as it is. The driver ends the run if that happens again and again.
		o.stepper.Learn(nil, nil)
		return nil
	}
	was, stuck, alpha := s.cert, s.stuck, slices.Clone(s.alpha)
	s.stuck = 0
	before := s.V
	if invariant.Enabled {
		before = slices.Clone(s.V)
	}
	for i := range o.d {
		o.d[i] *= t
		s.alpha[i] += o.d[i]
	}
	s.rebalance()
	predict(s, t)
	if invariant.Enabled {
		assertAscent(s, o.d, before)
	}
	if l, ok := s.norm.(Adaptive); ok {
		l.Calibrate(s.V)
	}
	s.renew()
	predicted := append(s.line[:0], s.V...)
	if err := o.grad.Advance(context.WithoutCancel(ctx), t, s.alpha, s.theta, s.combined, s.V); err != nil {
		return err
	}
	if err := settle(ctx, s, predicted); err != nil {
		return err
	}
	// A step that was to raise the dual value and takes it below that of alpha = 0 is made of
	// rounding, and the next one would be larger, as nothing bounds alpha.
	if s.cert.Dual < min(0, was.Dual)-claimShare*math.Abs(was.linear) {
		o.stepper.Learn(nil, nil)
		copy(s.alpha, alpha)
		if err := s.rebuild(context.WithoutCancel(ctx)); err != nil {
			return err
		}
		s.stuck, s.noisy = stuck+1, true
		return nil
	}
	o.stepper.Learn(o.d, s.ascent)
	return nil
}

// settle closes an iteration: the pass has found V, where the line search predicted another.
func settle(ctx context.Context, s *Solver, predicted []float64) error {
	s.noisy = s.disagree(predicted)
	if l, ok := s.norm.(Adaptive); ok && l.Calibrate(s.V) {
		return s.Reweigh(ctx)
	}
	s.certify()
	return nil
}
