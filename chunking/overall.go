package chunking

import (
	"context"
	"math"
	"slices"

	"bigmkl/internal/invariant"
)

// overallStep is what a solver with a stepper has in place of a working set.
type overallStep struct {
	stepper stepper
	grad    Far
	all     []int     // every point
	d       []float64 // direction and step
}

// length is how far the dual rises along the direction, or along a more careful one that takes its place.
func (o *overallStep) length(ctx context.Context, s *evaluation, l *line) (float64, error) {
	for {
		if err := o.grad.Along(ctx, o.d, s.theta, l.b, l.c, nil); err != nil {
			return 0, err
		}
		t := l.searchFar(&s.iterate, o.d)
		bent, ok := o.stepper.(bent)
		if !ok || t >= farEnough || !bent.Retreat(o.d) {
			return t, nil
		}
	}
}

// farEnough is the share of a bent direction that a step has to go.
const farEnough = 0.5

// take does one iteration with a direction over all points. An iteration that is cut in the
// search for the direction begins again.
func (o *overallStep) take(ctx context.Context, s *evaluation, l *line) error {
	s.set = o.all
	defer func() { s.set = nil }()
	whole := whole{Alpha: s.alpha, Ascent: s.ascent, Combined: s.combined, Theta: s.theta, V: s.V, Norm: s.norm}
	if err := o.stepper.Direction(ctx, &whole, o.d); err != nil {
		return err
	}
	t, err := o.length(ctx, s, l)
	if err != nil {
		return err
	}
	s.iterations++
	s.shift, s.doubt = 0, 0
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
	l.predict(s.V, t)
	if invariant.Enabled {
		s.assertAscent(o.d, before)
	}
	if n, ok := s.norm.(Adaptive); ok {
		n.Calibrate(s.V)
	}
	s.renew()
	predicted := append(l.at[:0], s.V...)
	if err := o.grad.Advance(context.WithoutCancel(ctx), t, s.alpha, s.theta, s.combined, s.V); err != nil {
		return err
	}
	if err := s.settle(ctx, predicted); err != nil {
		return err
	}
	// A step that was to raise the dual value and takes it below that of alpha = 0 is made of
	// rounding, and the next one would be larger, as nothing bounds alpha. A Collective loss starts far below.
	if (s.collective == nil || was.Dual >= 0) && s.cert.Dual < min(0, was.Dual)-claimShare*math.Abs(was.linear) {
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
