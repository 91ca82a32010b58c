package loss

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// The best biases of several classes. The loss is piecewise linear in them, a sum of terms
// C max(0, z) with z = 2 - (f_y + b_y) + (f_l + b_l), and has no one kink for each class to count
// from. So its kinks are rounded off in a band of z around 0, which narrows from one as wide as the
// widest z: each band takes a Newton step or two. Terms outside the band are linear there, and as the
// band narrows they are summed once.

const (
	// bandShrinks is by how much the band narrows at a time, down to the share bandLeast of the
	// margin or of the first band.
	bandShrinks = 4
	bandLeast   = 1e-9
	// bandNear is how many bands away terms may be that are not summed once.
	bandNear = 8
	// bandSteps is the number of Newton steps in each band at most.
	bandSteps = 30
	// bandSlope is the share of the cost of all points that is left of the slope in the last band, and
	// bandRough that in those before.
	bandSlope, bandRough = 1e-9, 1e-3
	// bandDamping is what is added to the curvature at first, as a share of the most that it can be.
	// It grows while steps fail to lower the loss by a share of what the slope promises.
	bandDamping, bandGrows, bandArmijo = 1e-9, 30, 1e-4
)

// Biases gives the best bias of each class, with the sum 0, and the loss with them. The least loss
// is unique, and the biases may be any of a whole face. The result depends on f alone.
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
	first, width := l.LossAt(f, bias), l.widest(f, bias)
	best := slices.Clone(bias)
	s := &bandSearch{l: l, f: f, all: l.steepest()}
	least := bandLeast * max(ClassMargin, min(width, 1e3*ClassMargin))
	for ; width >= least && !math.IsInf(width, 0); width /= bandShrinks {
		slope := bandRough
		if width/bandShrinks < least {
			slope = bandSlope
		}
		bias = s.solve(bias, width, slope*s.all)
	}
	if loss = l.LossAt(f, bias); loss <= first {
		best = bias
	}
	mean := 0.0
	for _, b := range best {
		mean += b / float64(k)
	}
	for c := range best {
		best[c] -= mean
	}
	return best, l.LossAt(f, best)
}

// LossAt gives the loss with given biases.
func (l *Multiclass) LossAt(f, bias []float64) float64 {
	n := len(l.class)
	return l.blocks.Sum(n, func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			y := int(l.class[i])
			own := ClassMargin - (f[y*n+i] + bias[y])
			for c, b := range bias {
				if z := own + f[c*n+i] + b; z > 0 && c != y {
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
			own := ClassMargin - (f[y*n+i] + bias[y])
			for c, b := range bias {
				if c != y {
					parts[block] = max(parts[block], math.Abs(own+f[c*n+i]+b))
				}
			}
		}
	})
	return slices.Max(parts)
}

// steepest is the most that the slope by a bias can be.
func (l *Multiclass) steepest() (sum float64) {
	for _, c := range l.cost {
		sum += c
	}
	return sum
}

// bandTerm is a term of the loss near its kink: z at the biases in hand is level + b_l - b_y.
type bandTerm struct {
	level, cost float64
	own, other  int32
}

// bandSearch looks for the best biases of one f.
type bandSearch struct {
	l   *Multiclass
	f   []float64
	all float64 // the most that the slope can be

	at    []float64  // biases where the terms were looked at
	reach float64    // |z| of the terms there at most; the others are linear
	terms []bandTerm // those near their kinks, in the order of the points
	slope []float64  // of the others
}

// look finds the terms that are near their kinks at some biases, and the slope of the others.
func (s *bandSearch) look(bias []float64, reach float64) {
	n, k, l := len(s.l.class), len(bias), s.l
	type part struct {
		terms []bandTerm
		slope []float64
	}
	parts := make([]part, l.blocks.Count(n))
	l.blocks.Each(n, func(block, from, to int) {
		p := &parts[block]
		p.slope = make([]float64, k)
		for i := from; i < to; i++ {
			y := int(l.class[i])
			own := ClassMargin - s.f[y*n+i]
			for c, b := range bias {
				if c == y {
					continue
				}
				level := own + s.f[c*n+i]
				if z := level + b - bias[y]; math.Abs(z) <= reach {
					p.terms = append(p.terms, bandTerm{level, l.cost[i], int32(y), int32(c)})
				} else if z > 0 {
					p.slope[c] += l.cost[i]
					p.slope[y] -= l.cost[i]
				}
			}
		}
	})
	s.at, s.reach, s.terms, s.slope = slices.Clone(bias), reach, s.terms[:0], make([]float64, k)
	for _, p := range parts {
		s.terms = append(s.terms, p.terms...)
		for c, x := range p.slope {
			s.slope[c] += x
		}
	}
}

// bandLoss is the smoothed loss, up to a constant, with two derivatives by the biases.
type bandLoss struct {
	value         float64
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

// holds reports whether all terms that are not listed are linear in the band at some biases.
func (s *bandSearch) holds(bias []float64, width float64) bool {
	low, high := math.Inf(1), math.Inf(-1)
	for c, b := range bias {
		low, high = min(low, b-s.at[c]), max(high, b-s.at[c])
	}
	return high-low <= s.reach-width
}

// solve goes from some biases to those where the slope of the smoothed loss is no more than the goal.
func (s *bandSearch) solve(bias []float64, width, goal float64) []float64 {
	if s.at == nil || s.reach > bandNear*bandShrinks*width || !s.holds(bias, 2*width) {
		s.look(bias, bandNear*width)
	}
	at := s.smoothed(bias, width)
	for range bandSteps {
		if max(slices.Max(at.first), -slices.Min(at.first)) <= goal {
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
// curvature until one does. It returns nil if none does.
func (s *bandSearch) lower(bias []float64, at *bandLoss, width float64) (*bandLoss, []float64) {
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
		// An error says that the system is badly conditioned: the value decides.
		_ = root.SolveVecTo(step, mat.NewVecDense(k, at.first))
		slope, moved := 0.0, slices.Clone(bias)
		for c, g := range at.first {
			slope += g * step.AtVec(c)
			moved[c] -= step.AtVec(c)
		}
		if !s.holds(moved, width) {
			// Other terms have to be looked at there, which changes the constant.
			if s.look(bias, 2*s.spread(bias, moved)+bandNear*width); !s.holds(moved, width) {
				continue
			}
			at = s.smoothed(bias, width)
		}
		if next := s.smoothed(moved, width); next.value < at.value-bandArmijo*slope {
			return next, moved
		}
	}
	return nil, nil
}

// spread is the most by which a z changes from some biases to others.
func (s *bandSearch) spread(from, to []float64) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for c, b := range to {
		low, high = min(low, b-from[c]), max(high, b-from[c])
	}
	return high - low
}
