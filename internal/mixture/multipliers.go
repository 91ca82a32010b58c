package mixture

import (
	"math"
	"slices"
)

// multipliers are e of the components, which move in place. They average 0: the same number added to all changes
// nothing.
type multipliers []float64

// The best multipliers of a point minimise P, which is a sum of hinges in them and, without H(Q), a linear program.
// Newton's method minimises the hinges with a barrier (barrier.go) for smaller and smaller mu. Only P itself decides
// whether a result is taken: any e gives a bound.

const (
	cooling  = 0.2  // ratio of one mu to the mu before
	ofTheGap = 0.02 // share of the allowed P - D to which the last mu brings P
)

// improve sets e to the best of three: itself, a candidate (if any), and the result of Newton's method. off
// is by how much P was above D before, or +Inf: while that is large, P need not be the least to the last
// digit.
func (m multipliers) improve(h *hinges, candidate []float64, off float64) {
	best := h.losses(m)
	take := func(e []float64) {
		if loss := h.losses(e); loss < best {
			best = loss
			copy(m, e)
		}
	}
	// The candidate comes from a chunk, which knows some rows alone. It may be worse for all of them.
	if candidate != nil {
		take(candidate)
	}
	terms := h.logarithms()
	last := ofTheGap * h.Gap * (h.norm()/2 + best) / terms
	if !math.IsInf(off, 1) {
		last = max(last, ofTheGap*off/terms)
	}
	e := slices.Clone(m)
	for mu := min(best, 2*off) / terms; mu > 0 && (barrier{h, mu}).descend(e); mu *= cooling {
		take(e)
		if mu <= last {
			break
		}
	}
	// A component without any row may be anywhere far below the others.
	e = slices.Clone(m)
	// The exponential of such a multiplier is 0 beside the others, so raising it changes no loss and
	// keeps its digits.
	low := slices.Sorted(slices.Values(e))[len(e)/2] - farBelow
	for c, x := range e {
		e[c] = max(x, low)
	}
	if h.losses(e) <= best {
		copy(m, e)
	}
	m.centre()
}

// farBelow is how far below the median a multiplier may stay that counts nowhere.
const farBelow = 1e3

// centre moves all multipliers by the same, which changes nothing, so they average 0.
func (m multipliers) centre() {
	mean := 0.0
	for _, x := range m {
		mean += x / float64(len(m))
	}
	for c := range m {
		m[c] -= mean
	}
}
