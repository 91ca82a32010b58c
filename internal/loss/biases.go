package loss

import (
	"math"
	"slices"
)

// The best biases of several classes. The loss is piecewise linear in them, a sum of terms
// C max(0, z) with z = margin - (f_y + b_y) + (f_l + b_l), and has no one kink for each class to count
// from. So its kinks are rounded off in a band of z around 0, which narrows from one as wide as the
// widest z: each band takes a Newton step or two. Terms outside the band are linear there, and as the
// band narrows they are summed once.

const (
	// bandShrinks is by how much the band narrows at a time, down to the share bandLeast of the
	// margin or of the first band, or until it changes the loss by no more than the share bandExcess.
	bandShrinks = 4
	bandLeast   = 1e-12
	bandExcess  = 1e-12
	// bandNear is how many bands away terms may be that are not summed once.
	bandNear = 8
	// bandSteps is the number of Newton steps in each band at most.
	bandSteps = 30
	// bandSlope is the share of the cost of all points that is left of the slope in the last band, and
	// bandRough the share of the cost of the terms in the band that is in those before: a narrow band
	// has few of them, and what is left is more than these can take back otherwise.
	bandSlope, bandRough = 1e-9, 1e-2
	// bandDamping is what is added to the curvature at first, as a share of the most that it can be.
	// It grows while steps fail to lower the loss.
	bandDamping, bandGrows = 1e-9, 30
	// bandTurn is the share of the slope along a step that may be left of it, or be there the other way
	// round, and bandHalvings how often at most the step is cut to get there.
	bandTurn, bandHalvings = 0.3, 12
	// A sample is one point of sampleEvery, or of its square, and has at least leastSample points for
	// each class. It is left once fewer than sampleTerms terms for each class are in the band.
	sampleEvery, leastSample, sampleTerms = 8, 25, 40
)

// Biases gives the best bias of each class, with the sum 0, and the loss with them. The least loss
// is unique, and the biases may be any of a whole face. The result depends on f alone.
//
// Wide bands take most terms and find out where about the biases are: a sample of the points is
// enough for them.
func (l *Multiclass) Biases(f []float64) (bias []float64, loss float64) {
	k, n := l.count, len(l.class)
	bias = make([]float64, k)
	// The means of each column come first: kinks are then about as far from 0 as f varies.
	for c := range k {
		bias[c] = -l.blocks.Sum(n, func(from, to int) (sum float64) {
			for i := from; i < to; i++ {
				sum += f[c*n+i]
			}
			return sum
		}) / float64(n)
	}
	center(bias)
	means, most := bias, l.LossAt(f, bias)
	every := 1
	for every < sampleEvery*sampleEvery && n/(every*sampleEvery) >= leastSample*k {
		every *= sampleEvery
	}
	width := l.widest(f, bias)
	least := bandLeast * max(ClassMargin, min(width, 1e3*ClassMargin))
	for ; every >= 1; every /= sampleEvery {
		s := &bandSearch{l: l, f: f, every: every}
		bias, width = s.narrow(bias, width, least)
	}
	center(bias)
	if loss = l.LossAt(f, bias); loss <= most {
		return bias, loss
	}
	return means, most
}

// center makes the sum of biases 0.
func center(bias []float64) {
	mean := 0.0
	for _, b := range bias {
		mean += b / float64(len(bias))
	}
	for c := range bias {
		bias[c] -= mean
	}
}

// narrow goes from biases to the best ones of the points of the search, in bands from a width on. It
// returns them with the width that a search of more points is to begin with.
func (s *bandSearch) narrow(bias []float64, width, least float64) ([]float64, float64) {
	s.all = s.steepest()
	if s.every == 1 {
		s.loss = s.l.LossAt(s.f, bias)
	}
	for ; width >= least && !math.IsInf(width, 0); width /= bandShrinks {
		bias = s.solve(bias, width, bandRough)
		if s.every > 1 {
			if _, count := s.within(bias, width); count < sampleTerms*len(bias) {
				break
			}
		} else if width/bandShrinks < least || s.exact(bias, width) {
			bias = s.solve(bias, width, 0)
			break
		}
	}
	return bias, bandShrinks * width
}

// LossAt gives the loss with given biases.
func (l *Multiclass) LossAt(f, bias []float64) float64 {
	n := len(l.class)
	return l.blocks.Sum(n, func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			y := int(l.class[i])
			own := f[y*n+i] + bias[y]
			for c, b := range bias {
				if z := l.margin(i, c) - own + f[c*n+i] + b; z > 0 && c != y {
					sum += l.cost[i] * z
				}
			}
		}
		return sum
	})
}

// widest is the largest |z|.
func (l *Multiclass) widest(f, bias []float64) float64 {
	n := len(l.class)
	parts := make([]float64, l.blocks.Count(n))
	l.blocks.Each(n, func(block, from, to int) {
		for i := from; i < to; i++ {
			y := int(l.class[i])
			own := f[y*n+i] + bias[y]
			for c, b := range bias {
				if c != y {
					parts[block] = max(parts[block], math.Abs(l.margin(i, c)-own+f[c*n+i]+b))
				}
			}
		}
	})
	return slices.Max(parts)
}
