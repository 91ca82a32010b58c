package chunking

import "slices"

// Solution is the result of a run: signed dual variables, weights, ||w_m||, and the certificate of
// just these.
type Solution struct {
	Alpha         []float64 // of each point
	Pairs         []float64 // beta of each pair of a loss of Differences; nil for other losses
	Theta, WNorms []float64 // of each kernel
	// CostWeight is 1/C of a Joint loss, the weight of the identity. It is 0 for other losses.
	CostWeight  float64
	Certificate Certificate
	Iterations  int
	Moves       int // times that weights moved which are held in between
}

// Below these shares sum_m theta_m V_m is rounding, and the best function is a constant. The first
// share is of lin(alpha). The loss of one class has no linear part: there the second is of what
// the points of the last working set would give if their terms alpha_i phi(x_i) did not cancel,
// (sum_i |alpha_i| k(x_i,x_i)^(1/2))^2. Points that do not enter the function do not count: the
// value of a polynomial kernel at an outlier may be 10^30 times that at other points.
const (
	vanishing       = 1e-13
	vanishingSquare = 1e-17
)

// Solution returns copies of the state. A kernel with V_m = 0 does not enter the function and
// reports theta_m = 0; so does an indefinite one that was left out, which has no weight already;
// and so do all kernels where w vanishes.
func (s *Solver) Solution() Solution {
	r := Solution{Certificate: s.reported(), Iterations: s.iterations, Moves: s.moves}
	r.WNorms = s.lengths(s.cert.scale)
	r.Alpha = append(r.Alpha, s.alpha...)
	if l, ok := s.grad.(onPoints); ok {
		r.Pairs, r.Alpha = r.Alpha[:s.anchor], slices.Clone(l.onPoints(s.alpha))
	}
	constant := s.vanishes()
	if !constant {
		r.Certificate.Bias += s.shift
	}
	for m, t := range s.theta {
		t /= s.cert.scale
		// The weights of such kernels are those that the line search would give them next, and no
		// part of this function.
		if s.V[m] == 0 || constant {
			t, r.WNorms[m] = 0, 0
		}
		r.Theta = append(r.Theta, t)
	}
	if s.joint != nil {
		r.CostWeight = r.Theta[s.kernels]
		if constant {
			r.CostWeight = 1 // of the function 0 every error is one of the loss
		}
		r.Theta, r.WNorms = r.Theta[:s.kernels], r.WNorms[:s.kernels]
	}
	return r
}

// Recertify replaces the loss by one with the same bounds, and certifies the state for it.
func (s *Solver) Recertify(loss Loss) {
	if l, ok := loss.(Divided); ok {
		l.Divide(s.blocks)
	}
	s.setLoss(loss)
	s.certify()
}

// Decisions gives the function of the solution on all points, with its bias.
func (s *Solver) Decisions() []float64 {
	if l, ok := s.grad.(onPoints); ok {
		return l.values(s.cert.scale, s.vanishes())
	}
	f := make([]float64, len(s.alpha))
	bias := s.cert.Bias
	if s.vanishes() {
		bias = s.constant().Bias
	} else {
		copy(f, s.decisions(s.cert.scale))
	}
	for i := range f {
		f[i] += bias
	}
	return f
}

// Progress holds the figures of a training after an iteration.
type Progress struct {
	Iteration   int
	Certificate Certificate
	Active      int // kernels with a weight that counts
	// Theta holds the weights of the kernels. It is the solver's own and changes with its next step.
	Theta  []float64
	Double bool
}

// Progress describes the state.
func (s *Solver) Progress() Progress {
	return Progress{Iteration: s.iterations, Certificate: s.cert, Active: s.activeKernels(s.kernels), Theta: s.theta[:s.kernels],
		Double: s.double}
}

// reported is the certificate of the solution. It differs from the one in hand in two cases: where
// V comes of combined gradients that are rounding and not 0, the function is a constant; and a gap
// that was not accepted is increased by the error that rounding may add.
func (s *iterate) reported() Certificate {
	if s.vanishes() {
		return s.constant()
	}
	c := s.cert
	if s.doubt > 0 {
		c.Primal, c.Rounding = c.Primal+s.doubt, s.doubt
		c.RelativeGap = relative(c.Primal, c.Dual)
	}
	return c
}

// vanishes reports whether the best function is a constant.
func (s *iterate) vanishes() bool {
	if lin := s.cert.linear; lin != 0 {
		return s.cert.energy <= vanishing*lin
	}
	return s.cert.energy <= vanishingSquare*s.uncancelled*s.uncancelled
}

// constant is the certificate with f = 0 in place of a combined gradient that is rounding.
func (s *iterate) constant() Certificate {
	c := s.cert
	c.Bias, c.Primal = s.loss.Primal(make([]float64, len(s.alpha)))
	c.Primal += 0 // turns -0 into 0
	if c.linear == 0 {
		c.Dual = 0 // what is left of ||v|| is rounding, and there is nothing else
	}
	c.RelativeGap = relative(c.Primal, c.Dual)
	return c
}
