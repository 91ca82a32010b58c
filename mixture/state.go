package mixture

import "math"

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

// respond sets to to the softmax of s over the own components of every hidden row, and returns the
// largest change and what P becomes by it.
func (s *state) respond(to []float64) (change, primal float64) {
	primal = s.norm() / 2
	for t, c := range s.Cost {
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
