package mixture

import "slices"

// hinges are the losses of the rows as functions of the multipliers e, while q and f stay. Each is convex in e.
type hinges struct {
	*expansions
	q *responsibilities
	// These are room for the scores of one row by the components of its own class and of the other: violation
	// leaves them there.
	ownScores, otherScores []float64
}

// newHinges returns the hinges at the present q and f, which its caller may change in place.
func newHinges(q *responsibilities, x *expansions) *hinges {
	k := q.components()
	return &hinges{x, q, make([]float64, k), make([]float64, k)}
}

// rise returns 2 - H(q_t) - sum_own q_tc s_c(x_t), with scores s that lack the multipliers e.
// The derivative of D by l_tc is this number plus the score of component c, and less log Q_tc
// with the entropy. Steps keep the sums of w_c, so the multipliers cancel in them.
func (h *hinges) rise(t int) float64 {
	first, _ := h.own(t)
	x := margin - h.q.entropies[t]
	for j, q := range h.q.of(t) {
		if q != 0 {
			x -= q * h.level(first+j, t)
		}
	}
	return x
}

// score sets the room of the own components of row t to their scores at e, and returns it.
func (h *hinges) score(t int, e []float64) []float64 {
	from, to := h.own(t)
	for c := from; c < to; c++ {
		h.ownScores[c-from] = h.level(c, t) + e[c]
	}
	return h.ownScores[:to-from]
}

// violation returns h_t of the package comment at the multipliers e: the loss of row t is C_t
// max(0, h_t).
func (h *hinges) violation(t int, e []float64) float64 {
	v := margin - h.q.entropies[t]
	scores := h.score(t, e)
	for j, q := range h.q.of(t) {
		v -= q * scores[j]
	}
	from, to := h.other(t)
	other := h.otherScores[:to-from]
	for j := range other {
		other[j] = h.level(from+j, t) + e[from+j]
	}
	if h.Drop {
		return v + slices.Max(other)
	}
	return v + logSum(other)
}

// losses is the sum of the hinges at the multipliers e.
func (h *hinges) losses(e []float64) float64 {
	sum := 0.0
	for t, c := range h.Cost {
		sum += c * max(0, h.violation(t, e))
	}
	return sum
}
