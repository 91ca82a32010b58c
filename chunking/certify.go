package chunking

import (
	"math"

	"bigmkl/internal/invariant"
)

// certify computes the certificate of the state in hand from the combined gradient alone: it costs
// no kernel values.
//
// While points are asleep, their part of the combined gradient stays as it was when they were left
// out. Their loss and their share of lin then cancel against alpha_i f_i as long as they stay on
// their side of the margin, so
//
//	P - D = [ sum_i alpha_i f_i + loss - lin ] + [ 1/2 ||w||_{2,p}^2 + 1/2 ||v||_{p*}^2 - sum_m theta_m V_m ],
//
// the gap at fixed weights and the gap of the weights, holds with stale values, too. After a look
// at the sleeping points no value is stale.
//
// The certificate is of the reported weights, theta divided by scale, and so of a function divided
// by it. The violation is that at the weights in use: both losses are evaluated where scale is not
// 1.
func (s *iterate) certify() {
	c := Certificate{scale: s.scale()}
	bias, loss := s.primal(s.decisions(c.scale))
	lin := s.loss.Linear(s.alpha)
	w, v := s.lengths(c.scale), s.norm.Dual(s.V)
	loss = s.takeErrors(w, loss)
	r := s.norm.Primal(w)
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
	s.largest = max(s.largest, energy)
	if c.scale != 1 || s.joint != nil {
		bias, loss = s.primal(s.decisions(1))
	}
	if s.joint != nil {
		loss = s.smoothLoss(loss)
	}
	if c.Primal != 0 {
		c.smooth = (product + loss - lin) / math.Abs(c.Primal)
	}
	c.level, c.violation = bias, s.survey(s.combined, bias)
	s.cert = c
	if invariant.Enabled {
		s.assertState()
	}
}

// primal gives the best bias of the loss and the loss with it, and keeps the biases of classes.
func (s *iterate) primal(f []float64) (bias, loss float64) {
	if l, ok := s.loss.(Contrasts); ok {
		s.levels, loss = l.Biases(f)
		return 0, loss
	}
	return s.loss.Primal(f)
}

// decisions gives the function without its bias on all points, for weights divided by scale. The
// errors that a Joint loss allows the points are not included. The result may be the combined
// gradient itself.
func (s *iterate) decisions(scale float64) []float64 {
	if scale == 1 && s.joint == nil {
		return s.combined
	}
	f := make([]float64, len(s.combined))
	for i, x := range s.combined {
		if s.joint != nil {
			x -= s.theta[s.kernels] * (s.joint.Identity(i) * s.alpha[i])
		}
		f[i] = x / scale
	}
	return f
}

// takeErrors puts the length of the errors of a Joint loss in the place of that of the identity,
// and returns what is left of the loss: nothing. Any other loss it returns as it is.
func (s *iterate) takeErrors(w []float64, loss float64) float64 {
	if s.joint == nil {
		return loss
	}
	w[s.kernels] = math.Sqrt(2 * loss)
	return 0
}

// primalOf gives the primal value of the weights that are reported, or the part of it that depends
// on the loss, for another loss than the one in hand.
func (s *iterate) primalOf(loss float64) float64 {
	if s.joint == nil {
		return loss
	}
	w := s.lengths(s.cert.scale)
	loss = s.takeErrors(w, loss)
	r := s.norm.Primal(w)
	return r*r/2 + loss
}

// smoothLoss gives what the errors of a Joint loss add to the primal value of the smoothed norm, to
// the terms sum_m theta_m V_m / 2 of all kernels that are in the gap already: the length of the
// errors takes the place of that of the identity. A weight theta_0 that tends to 0 does no harm
// here, as it would to |xi|^2 / (2 theta_0), the loss at the cost that it represents.
func (s *iterate) smoothLoss(loss float64) float64 {
	w := s.lengths(1)
	s.takeErrors(w, loss)
	length := s.norm.Primal(w)
	if n, ok := s.norm.(Smoothed); ok {
		length = n.SmoothPrimal(w)
	}
	energy := 0.0
	for m, x := range s.V {
		energy += s.theta[m] * max(x, 0)
	}
	return (length*length - energy) / 2
}
