package chunking

import (
	"math"

	"bigmkl/internal/invariant"
)

// certify computes the certificate of the state in hand from the combined gradient alone: it costs
// no kernel values.
//
// While points are asleep, their part of the combined gradient is that of the moment they were left
// out. Their loss and their share of lin then cancel against alpha_i f_i as long as they stay on
// their side of the margin, so that
//
//	P - D = [ sum_i alpha_i f_i + loss - lin ] + [ 1/2 ||w||_{2,p}^2 + 1/2 ||v||_{p*}^2 - sum_m theta_m V_m ],
//
// the gap at fixed weights and the gap of the weights, holds with stale values, too. After a look
// at the sleeping points no value is stale.
//
// The certificate is of the reported weights, theta divided by scale, and so of a function divided
// by it. The violation is that at the weights in use: both losses are evaluated where scale is not
// 1.
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
	r, v := s.norm.Primal(s.lengths(c.scale)), s.norm.Dual(s.V)
	c.Bias, c.Primal, c.Dual = bias, r*r/2+loss, lin-v*v/2
	// sum_m theta_m V_m and sum_i alpha_i ghat_i: equal where no point sleeps.
	energy := 0.0
	for m, x := range s.V {
		energy += s.theta[m] * max(x, 0)
	}
	product := s.blocks.Sum(len(s.alpha), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			sum += s.alpha[i] * s.combined[i]
		}
		return sum
	})
	if !s.known() {
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
	c.level, c.violation = bias, s.survey(s.combined)
	s.cert = c
	if invariant.Enabled {
		s.assertState()
	}
}
