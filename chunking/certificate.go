package chunking

import (
	"math"

	"bigmkl/internal/invariant"
)

// Certificate is the duality gap of one (alpha, theta, b), and what goes with it.
type Certificate struct {
	Primal, Dual, RelativeGap float64
	Bias                      float64

	smooth    float64 // relative gap of the smoothed problem
	level     float64 // the bias at the theta in use, which scale may differ from
	violation float64 // largest violation of the optimality conditions by a pair
	scale     float64 // theta is reported divided by this
	linear    float64 // lin(alpha)
	energy    float64 // sum_m theta_m V_m
}

// relative is |P - D| / max(|P|, |D|), with 0/0 = 0. A dual value above the primal one is rounding, and as large as that.
func relative(primal, dual float64) float64 {
	if primal == dual {
		return 0
	}
	return math.Abs(primal-dual) / max(math.Abs(primal), math.Abs(dual))
}

// gap is P - D, by which progress is told: while the dual value is far off, the relative gap hardly falls.
func (c *Certificate) gap() float64 { return c.RelativeGap * c.size() }

// size is what the relative gap is relative to.
func (c *Certificate) size() float64 { return max(math.Abs(c.Primal), math.Abs(c.Dual)) }

// certify computes the certificate of the state in hand from the combined gradient alone.
//
// While points are asleep their part of the combined gradient is that of the moment they were left. Their loss and their
// share of lin then cancel against alpha_i f_i as long as they stay on their side of the margin, so that
//
//	P - D = [ sum_i alpha_i f_i + loss - lin ] + [ 1/2 ||w||_{2,p}^2 + 1/2 ||v||_{p*}^2 - sum_m theta_m V_m ],
//
// the gap at fixed weights and that of the weights, holds with stale values, too.
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
	lin := s.loss.Linear(s.alpha)
	r, v := s.norm.Primal(s.WNorms(c.scale)), s.norm.Dual(s.V)
	c.Bias, c.Primal, c.Dual = bias, r*r/2+loss, lin-v*v/2
	energy, product := 0.0, 0.0 // sum_m theta_m V_m and sum_i alpha_i ghat_i: equal where no point sleeps
	for m, x := range s.V {
		energy += s.theta[m] * max(x, 0)
	}
	for i, a := range s.alpha {
		product += a * s.combined[i]
	}
	if s.active != nil {
		c.Primal = c.Dual + (product/c.scale + loss - lin) + (r*r/2 + v*v/2 - energy/c.scale)
	}
	c.RelativeGap = relative(c.Primal, c.Dual)
	c.linear, c.energy = lin, energy
	if c.scale != 1 {
		bias, loss = s.loss.Primal(s.combined)
	}
	if c.Primal != 0 {
		c.smooth = (product + loss - lin) / math.Abs(c.Primal)
	}
	c.level, c.violation = bias, s.survey()
	s.cert = c
	if invariant.Enabled {
		s.assertState()
	}
}

// scale brings theta of a smoothed norm onto the norm that is reported: for p = 1 the weights sum to 1.
func (s *Solver) scale() float64 { return scaleOf(s.norm, s.theta, s.V) }

func scaleOf(n Norm, theta, V []float64) float64 {
	if n, ok := n.(interface {
		Scale(theta, V []float64) float64
	}); ok {
		return n.Scale(theta, V)
	}
	return 1
}

// Scale is sum theta for p = 1, where the ladder's weights have norm 1 in another exponent only.
func (n *BlockNorm) Scale(theta, _ []float64) float64 {
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
