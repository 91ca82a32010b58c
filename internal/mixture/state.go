package mixture

import (
	"cmp"
	"math"
	"slices"
)

// state is a feasible point of a projection, with what depends on it.
type state struct {
	*expansions
	q      *responsibilities
	l      *shares
	hinges *hinges
	e      multipliers

	// These are the values of l and e, and of each row its part of P - D, which is at least 0.
	primal, dual float64
	gaps         []float64
}

// newState returns a state with l = 0 and e = 0.
func newState(p *Problem) *state {
	q, x := newResponsibilities(p), newExpansions(p)
	return &state{
		expansions: x, q: q, l: newShares(p), hinges: newHinges(q, x),
		e: make(multipliers, p.components()), gaps: make([]float64, p.rows()),
	}
}

// evaluate sets the values of the point. As the sums of w vanish, P - D is the sum over rows of
//
//	C_t max(0, h_t) - sum_c l_tc (2 - H(q_t) - q_t's + s_c - log Q_tc),
//
// to which each row adds at least 0.
func (s *state) evaluate() {
	// P and D are computed again from w, f and e, so an error of an update cannot stay in them.
	half := s.norm() / 2
	losses, linear := 0.0, 0.0
	for t, c := range s.Cost {
		h := s.hinges.violation(t, s.e)
		loss := c * max(0, h)
		losses += loss
		l, own, other := s.l.of(t), s.hinges.ownScores, s.hinges.otherScores
		total := 0.0
		for _, x := range l {
			total += x
		}
		// level has the multipliers of the own components. They cancel in the sum over all rows
		// because the sums of w vanish.
		level := margin - s.q.entropies[t] // 2 - H - q's
		for j, q := range s.q.of(t) {
			level -= q * own[j]
		}
		first, _ := s.own(t)
		gain, rest := 0.0, 0.0
		for j, x := range l {
			if x <= 0 {
				continue
			}
			part := level + other[j]
			if !s.Drop {
				part -= math.Log(x / total)
				rest -= x * math.Log(x/total)
			}
			gain += x * part
		}
		// By the inequality of Fenchel and Young no row adds less than 0. Rounding may give a little
		// less.
		s.gaps[t] = max(0, loss-gain)
		linear += total*(margin-s.q.entropies[t]) + rest
		n := s.rows()
		for j, q := range s.q.of(t) {
			linear += total * q * s.Diagonal[(first+j)*n+t] / 2
		}
		first, _ = s.other(t)
		for j, x := range l {
			linear -= x * s.Diagonal[(first+j)*n+t] / 2
		}
	}
	s.primal, s.dual = half+losses, linear-half
}

// gap is the relative gap.
func (s *state) gap() float64 {
	if s.primal == s.dual {
		return 0
	}
	return (s.primal - s.dual) / max(math.Abs(s.primal), math.Abs(s.dual))
}

// little is the gain of D below which a pair of rows leaves the list: littleGain of one row's
// share in the gap that the run asks for. All rows together then lack at most about this share
// of the gap.
func (s *state) little() float64 {
	return littleGain * s.Gap * max(math.Abs(s.primal), math.Abs(s.dual)) / float64(s.rows())
}

// respond writes the softmax of s over the own components of every hidden row into to. It
// returns the largest change of a responsibility, and P at the new ones.
func (s *state) respond(to []float64) (change, primal float64) {
	primal = s.norm() / 2
	for t, c := range s.Cost {
		// violation leaves the scores of the own components in its room, which the softmax reads.
		h, q := s.hinges.violation(t, s.e), s.q.of(t)
		own := s.hinges.ownScores[:len(q)]
		change = max(change, s.q.respond(t, own, to))
		if s.hidden(t) {
			// - H(q) - q's is the least where it is - log sum exp s.
			h += s.q.entropies[t] - logSum(own)
			for j, x := range q {
				h += x * own[j]
			}
		}
		primal += c * max(0, h)
	}
	return change, primal
}

// choose returns the rows of the next chunk, ascending. Three quarters are the rows that add
// most to P - D, half of them from each class, because rows of one class alone could not keep
// the sums of w_c. The others are rows between their bounds, which allow the first to move far.
// After idle chunks the chunk is larger, and only half of its rows have large gaps. The others are taken
// from another place of the order each time.
func (s *state) choose(idle int) []int {
	n := s.rows()
	size := min(n, s.chunkRows(idle > 0))
	order := make([]int, n)
	for t := range order {
		order[t] = t
	}
	if size == n {
		return order
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.gaps[b], s.gaps[a]) })
	head := size * 3 / 4
	if idle > 0 {
		head = size / 2
	}
	taken := make([]bool, n)
	chosen := make([]int, 0, size)
	// take adds rows that pass, at most so many, from a place of the order on.
	take := func(count, from int, pass func(t int) bool) {
		for i := range order {
			if count == 0 || len(chosen) == size {
				return
			}
			if t := order[(from+i)%n]; !taken[t] && pass(t) {
				taken[t], chosen, count = true, append(chosen, t), count-1
			}
		}
	}
	take(head/2, 0, func(t int) bool { return s.Positive[t] })
	take(head/2, 0, func(t int) bool { return !s.Positive[t] })
	take(size, idle*size/2, func(t int) bool {
		total := s.l.total(t)
		return total > 0 && total < s.Cost[t]
	})
	take(size, idle*size/2, func(int) bool { return true })
	slices.Sort(chosen)
	return chosen
}
