package chunking

import (
	"context"
	"math"
)

// New returns a solver at alpha = 0 for n points and the given number of kernels. gap is the
// relative duality gap to reach. The tuning has to be valid. With a Joint loss the norm is one over
// another kernel behind the kernels of the gradient.
func New(n, kernels int, loss Loss, norm Norm, grad Gradient, gap float64, tuning Tuning) *Solver {
	s := &Solver{workingModel: &workingModel{}}
	s.grad, s.gap, s.tuning = grad, gap, tuning
	s.held = math.Inf(1)
	s.tuning.setDefaults()
	s.variables, s.norm, s.kernels = newVariables(n, loss), norm, kernels
	s.blocks = blocksOf(grad)
	if l, ok := loss.(Joint); ok {
		s.joint, s.grad = l, withIdentity(grad, l, s.alpha)
		kernels++
	}
	s.combined, s.ascent, s.room = make([]float64, n), make([]float64, n), make([]uint8, n)
	if _, ok := loss.(Differentiable); ok {
		s.excess = make([]float64, n)
	}
	s.theta, s.V, s.rank, s.line = make([]float64, kernels), make([]float64, kernels), make([]float64, kernels), newLine(kernels)
	if l, ok := loss.(Divided); ok {
		l.Divide(s.blocks)
	}
	s.renew()
	// At alpha = 0 the combined gradient is 0, and the certificate needs no pass.
	s.certify()
	return s
}

// newOverall returns a solver at alpha = 0 that takes steps over all points, in the directions of a
// stepper. The loss has no bounds, or is Collective.
func newOverall(n, kernels int, loss Loss, norm Norm, grad Far, gap float64, stepper stepper) *Solver {
	s := New(n, kernels, loss, norm, grad, gap, Tuning{})
	s.overall = &overallStep{stepper: stepper, grad: grad, all: make([]int, n), d: make([]float64, n)}
	for i := range n {
		s.overall.all[i] = i
	}
	return s
}

// Start takes alpha as the starting point, moved into the box and onto its sum. It computes the
// gradients again.
func (s *Solver) Start(ctx context.Context, alpha []float64) error {
	s.take(alpha)
	if err := s.rebuild(ctx); err != nil {
		return err
	}
	return s.climb(ctx)
}

// Continue starts at alpha, moved into the box and onto its sum, from gradients that another run
// has left: those of held, in float64 if double. Points may have been added to that run or taken
// from it since. was states how sharp its norm has become, nil if that has no such state: the
// optimum is taken to be near, and a norm that starts as sharp finds it sooner.
//
// What differs between held and alpha costs rows and nothing else does. held is changed on the way.
func (s *Solver) Continue(ctx context.Context, held, alpha []float64, double bool,
	was *NormState) error {
	s.double, s.rebuilt = double, -1 // the gradients have come a long way
	s.take(alpha)
	// Where no variable is left on one side, what remains on the other is the rounding of their sum.
	if s.total == 0 && !s.feasible(s.alpha, 0) {
		clear(s.alpha)
	}
	if err := s.catchUp(ctx, held); err != nil {
		return err
	}
	if err := s.recombine(ctx); err != nil { // for V alone
		return err
	}
	if was != nil {
		s.embolden(s.norm, *was)
	}
	return s.Reweigh(ctx)
}
