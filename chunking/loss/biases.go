package loss

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
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

// bandTerm is a term of the loss near its kink: z at the biases in hand is level + b_l - b_y.
type bandTerm struct {
	level, cost float64
	own, other  int32
}

// bandSearch looks for the best biases of one f, for one point of each class in so many.
type bandSearch struct {
	l     *Multiclass
	f     []float64
	every int
	all   float64 // the most that the slope can be
	loss  float64 // of all points at the start

	at    []float64  // biases where the terms were looked at
	reach float64    // |z| of the terms there at most; the others are linear
	terms []bandTerm // those near their kinks, in the order of the points
	slope []float64  // of the others
}

// steepest is the most that the slope by a bias can be.
func (s *bandSearch) steepest() (sum float64) {
	for i, c := range s.l.cost {
		if s.takes(i) {
			sum += c
		}
	}
	return sum
}

// takes reports whether a point is one of the search.
func (s *bandSearch) takes(i int) bool { return s.every == 1 || int(s.l.place[i])%s.every == 0 }

// look finds the terms that are near their kinks at some biases, and the slope of the others. Terms
// that are known to be linear there are not looked at again.
func (s *bandSearch) look(bias []float64, reach float64) {
	if s.at != nil && s.holds(bias, reach) {
		s.leave(bias, reach)
		return
	}
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
			if !s.takes(i) {
				continue
			}
			y := int(l.class[i])
			own := s.f[y*n+i]
			for c, b := range bias {
				if c == y {
					continue
				}
				level := l.margin(i, c) - own + s.f[c*n+i]
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

// leave is look where all terms within reach are listed: those beyond it are linear from now on.
func (s *bandSearch) leave(bias []float64, reach float64) {
	s.at, s.reach = slices.Clone(bias), reach
	s.terms = slices.DeleteFunc(s.terms, func(t bandTerm) bool {
		z := t.level + bias[t.other] - bias[t.own]
		if z > reach {
			s.slope[t.other] += t.cost
			s.slope[t.own] -= t.cost
		}
		return math.Abs(z) > reach
	})
}

// within counts the terms in the band, and adds their costs.
func (s *bandSearch) within(bias []float64, width float64) (cost float64, count int) {
	for _, t := range s.terms {
		if math.Abs(t.level+bias[t.other]-bias[t.own]) < width {
			cost += t.cost
			count++
		}
	}
	return cost, count
}

// exact reports whether biases that are best for the smoothed loss are nearly so for the loss itself.
// The slopes a of its terms are dual variables: where those of every bias sum to 0, no loss is below
// sum a z, and the loss at hand is above it by C |z| (width - |z|) / (2 width) for each term in the
// band.
func (s *bandSearch) exact(bias []float64, width float64) bool {
	above := 0.0
	for _, t := range s.terms {
		if z := math.Abs(t.level + bias[t.other] - bias[t.own]); z < width {
			above += t.cost * z * (width - z) / (2 * width)
		}
	}
	return above <= bandExcess*s.loss
}

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

// holds reports whether all terms that are not listed are linear in the band at some biases.
func (s *bandSearch) holds(bias []float64, width float64) bool { return s.room(bias, width) >= 0 }

// room is by how much a z may change from some biases on before a term that is not listed may come
// into the band.
func (s *bandSearch) room(bias []float64, width float64) float64 {
	off := make([]float64, len(bias))
	for c, b := range bias {
		off[c] = b - s.at[c]
	}
	return s.reach - width - spread(off)
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
