package chunking

// Solution is the result: signed dual variables, weights, ||w_m||, and the certificate of just these.
type Solution struct {
	Alpha, Theta, WNorms []float64
	Certificate          Certificate
	Iterations           int
	Moves                int // of weights that are held between them
}

// Below these shares sum_m theta_m V_m is rounding, and the best function a constant: of lin(alpha) or, for the loss of one class,
// which has no linear part, of the square of sum alpha in units of a kernel's value at a point.
const (
	vanishing       = 1e-13
	vanishingSquare = 1e-17
)

// Solution returns copies of the state. A kernel with V_m = 0 has no part in the function and reports theta_m = 0; so does an
// indefinite one that was left out, which has no weight already; and so do all where w vanishes.
func (s *Solver) Solution() Solution {
	r := Solution{Certificate: s.reported(), Iterations: s.iterations, Moves: s.moves, WNorms: s.WNorms(s.cert.scale)}
	r.Alpha = append(r.Alpha, s.alpha...)
	constant := s.vanishes()
	if !constant {
		r.Certificate.Bias += s.shift
	}
	for m, t := range s.theta {
		t /= s.cert.scale
		if s.V[m] == 0 || constant {
			t, r.WNorms[m] = 0, 0
		}
		r.Theta = append(r.Theta, t)
	}
	return r
}

// muted tells whether a kernel has a weight that Solution does not report, because its V_m = 0. The function has to do without
// it, too: where V_m was lost to rounding, its gradient is rounding, and not 0.
func (s *Solver) muted() bool {
	if h, ok := s.norm.(interface{ held() *Held }); ok && h.held() != nil || s.vanishes() {
		return false
	}
	for m, t := range s.theta {
		if s.V[m] == 0 && t > 0 {
			return true
		}
	}
	return false
}

// mute takes such weights away until the next step, and tells whether there were any. The gradients have to be combined anew.
func (s *Solver) mute() bool {
	if !s.muted() {
		return false
	}
	for m := range s.theta {
		if s.V[m] == 0 {
			s.theta[m] = 0
		}
	}
	return true
}

// reported is the certificate of the solution: V = 0 may come of combined gradients that are not 0 but rounding, and a gap that
// was not believed is one with what rounding may add to it.
func (s *Solver) reported() Certificate {
	if s.vanishes() {
		return s.constant()
	}
	c := s.cert
	if s.doubt > 0 {
		c.Primal += s.doubt
		c.RelativeGap = relative(c.Primal, c.Dual)
	}
	return c
}

// vanishes tells whether the best function is a constant.
func (s *Solver) vanishes() bool {
	if lin := s.cert.linear; lin != 0 {
		return s.cert.energy <= vanishing*lin
	}
	return s.cert.energy <= vanishingSquare*s.unit*s.total*s.total
}

// Decisions gives the function of the solution on all points, bias included.
func (s *Solver) Decisions() []float64 {
	f := make([]float64, len(s.alpha))
	bias := s.cert.Bias
	if s.vanishes() {
		bias = s.constant().Bias
	} else {
		for i, x := range s.combined {
			f[i] = x / s.cert.scale
		}
	}
	for i := range f {
		f[i] += bias
	}
	return f
}

// constant is the certificate with f = 0 in place of a combined gradient that is rounding.
func (s *Solver) constant() Certificate {
	c := s.cert
	c.Bias, c.Primal = s.loss.Primal(make([]float64, len(s.alpha)))
	c.Primal += 0 // which makes 0 of -0
	if c.linear == 0 {
		c.Dual = 0 // what is left of ||v|| is rounding, and all that there would be
	}
	c.RelativeGap = relative(c.Primal, c.Dual)
	return c
}

// Energies gives V_m = alpha'K_m alpha of every kernel; negative values mean an indefinite kernel or rounding.
func (s *Solver) Energies() []float64 { return s.V }
