package loss

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// bandLoss is the smoothed loss, up to a constant, with two derivatives by the biases.
type bandLoss struct {
	value, bent   float64 // bent: the cost of the terms in the band
	first, second []float64
}

// smoothed computes the loss with kinks that are parabolas up to width from them: z becomes
// (z + width)^2 / (4 width). The biases have to be where all other terms are linear.
func (s *bandSearch) smoothed(bias []float64, width float64) *bandLoss {
	k := len(bias)
	r := &bandLoss{first: slices.Clone(s.slope), second: make([]float64, k*k)}
	for c, x := range s.slope {
		r.value += x * (bias[c] - s.at[c])
	}
	for _, t := range s.terms {
		z := t.level + bias[t.other] - bias[t.own]
		if z <= -width {
			continue
		}
		slope := t.cost
		if z >= width {
			r.value += slope * z
		} else {
			r.bent += slope
			slope *= (z + width) / (2 * width)
			r.value += slope * (z + width) / 2
			c, y, bend := int(t.other), int(t.own), t.cost/(2*width)
			r.second[c*k+c] += bend
			r.second[y*k+y] += bend
			r.second[c*k+y] -= bend
			r.second[y*k+c] -= bend
		}
		r.first[t.other] += slope
		r.first[t.own] -= slope
	}
	return r
}

// solve goes from some biases to those where the slope of the smoothed loss is no more than a share of
// the cost of the terms in the band.
func (s *bandSearch) solve(bias []float64, width, share float64) []float64 {
	if s.at == nil || s.reach > bandNear*bandShrinks*width || !s.holds(bias, 2*width) {
		s.look(bias, bandNear*width)
	}
	at := s.smoothed(bias, width)
	for range bandSteps {
		if max(slices.Max(at.first), -slices.Min(at.first)) <= max(share*at.bent, bandSlope*s.all) {
			break
		}
		next, moved := s.lower(bias, at, width)
		if moved == nil {
			break
		}
		bias, at = moved, next
	}
	return bias
}

// lower takes a Newton step from biases where the smoothed loss is known. Where the step does not
// lower the loss, as curvature that few kinks give may end a little further on, it adds to the
// curvature until one does. No step leads where other terms than those that are listed come into the
// band. It returns nil if none does.
func (s *bandSearch) lower(bias []float64, at *bandLoss, width float64) (*bandLoss, []float64) {
	if !s.holds(bias, 2*width) {
		// Other terms have to be looked at there, which changes the constant.
		s.look(bias, bandNear*width)
		at = s.smoothed(bias, width)
	}
	room := s.room(bias, width)
	k, most := len(bias), s.all/(2*width) // the curvature where all kinks are in the band
	for damping := bandDamping; damping < 1/bandDamping; damping *= bandGrows {
		h := mat.NewSymDense(k, slices.Clone(at.second))
		for c := range k {
			h.SetSym(c, c, h.At(c, c)+damping*most)
			for d := c; d < k; d++ { // what is the same for all biases changes nothing
				h.SetSym(c, d, h.At(c, d)+most/float64(k))
			}
		}
		var root mat.Cholesky
		step := mat.NewVecDense(k, nil)
		if !root.Factorize(h) {
			continue
		}
		// An error means that the system is badly conditioned: the value decides.
		_ = root.SolveVecTo(step, mat.NewVecDense(k, at.first))
		length := 1.0
		if far := spread(step.RawVector().Data); far > room {
			length = room / far
		}
		if next, moved := s.along(bias, at, step.RawVector().Data, length, width); next.value < at.value {
			return next, moved
		}
	}
	return nil, nil
}

// along goes along a step, no further than a length of it. Where the loss rises again before that, it
// goes about as far as the loss falls: a step across the kinks between two slopes would otherwise be
// followed by one back.
func (s *bandSearch) along(bias []float64, at *bandLoss, step []float64, length, width float64) (
	next *bandLoss, moved []float64) {
	falls := func(of *bandLoss) (sum float64) {
		for c, g := range of.first {
			sum += g * step[c]
		}
		return sum
	}
	first, low, high := falls(at), 0.0, length
	for range bandHalvings {
		moved = slices.Clone(bias)
		for c, x := range step {
			moved[c] -= length * x
		}
		next = s.smoothed(moved, width)
		if left := falls(next); left < -bandTurn*first {
			high = length
		} else if length < high && left > bandTurn*first {
			low = length
		} else {
			break
		}
		length = (low + high) / 2
	}
	return next, moved
}

// spread is the most by which a z changes as the biases change by a step.
func spread(step []float64) float64 { return slices.Max(step) - slices.Min(step) }
