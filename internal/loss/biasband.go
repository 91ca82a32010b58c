package loss

import (
	"math"
	"slices"
)

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
