package chunking

import "math"

// Certificate is the duality gap of one (alpha, theta, b), and what goes with it.
type Certificate struct {
	Primal, Dual, RelativeGap float64
	Bias                      float64

	smooth    float64 // relative gap of the smoothed problem
	violation float64 // largest violation of the optimality conditions by a pair
	scale     float64 // theta is reported divided by this
}

// relative is (P - D) / max(|P|, |D|), with 0/0 = 0.
func relative(primal, dual float64) float64 {
	if primal == dual {
		return 0
	}
	return (primal - dual) / max(math.Abs(primal), math.Abs(dual))
}

// certify computes the certificate of the state in hand from the combined gradient alone.
func (s *Solver) certify() {
	c := Certificate{scale: s.scale()}
	f := s.combined
	if c.scale != 1 {
		f = make([]float64, len(s.combined))
		for i, x := range s.combined {
			f[i] = x / c.scale
		}
	}
	bias, loss := s.loss.Primal(f)
	lin := s.loss.Linear(s.alpha, s.slope)
	w := s.WNorms(c.scale)
	r, v := s.norm.Primal(w), s.norm.Dual(s.V)
	c.Bias, c.Primal, c.Dual = bias, r*r/2+loss, lin-v*v/2
	c.RelativeGap = relative(c.Primal, c.Dual)

	// At fixed weights the gap is sum_m theta_m V_m + loss - lin: what the smoothed problem has left.
	energy := 0.0
	for m, x := range s.V {
		energy += s.theta[m] * max(x, 0)
	}
	if c.scale != 1 {
		_, loss = s.loss.Primal(s.combined)
	}
	if c.Primal != 0 {
		c.smooth = (energy + loss - lin) / math.Abs(c.Primal)
	}
	rise, fall := math.Inf(-1), math.Inf(1)
	for i, g := range s.slope {
		s.ascent[i] = g - s.combined[i]
		if s.alpha[i] < s.upper[i] {
			rise = max(rise, s.ascent[i])
		}
		if s.alpha[i] > s.lower[i] {
			fall = min(fall, s.ascent[i])
		}
	}
	c.violation = max(rise-fall, 0)
	s.cert = c
}

// scale brings theta of a smoothed norm onto the norm that is reported: for p = 1 the weights sum to 1.
func (s *Solver) scale() float64 {
	n, ok := s.norm.(interface{ Scale(theta []float64) float64 })
	if !ok {
		return 1
	}
	return n.Scale(s.theta)
}

// Scale is sum theta for p = 1, where the ladder's weights have norm 1 in another exponent only.
func (n *BlockNorm) Scale(theta []float64) float64 {
	if n.p != 1 {
		return 1
	}
	s := 0.0
	for _, x := range theta {
		s += x
	}
	return s
}

// WNorms gives ||w_m|| = theta_m ||v_m|| with theta divided by scale.
func (s *Solver) WNorms(scale float64) []float64 {
	w := make([]float64, len(s.V))
	for m, x := range s.V {
		w[m] = s.theta[m] / scale * math.Sqrt(max(x, 0))
	}
	return w
}
