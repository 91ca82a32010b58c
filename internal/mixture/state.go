package mixture

import (
	"math"
	"slices"
)

// state is a feasible point of a projection, with what depends on it.
type state struct {
	*Problem
	q []float64 // [row][place among own], rows of width() numbers
	l []float64 // [row][place among other], rows of width() numbers
	w []float64 // [component][row]
	f []float64 // K_c w_c, [component][row]
	e []float64 // of each component

	entropies []float64 // H(q_t)
	// These are the values of l and e, and of each row its part of P - D, which is at least 0.
	primal, dual float64
	gaps         []float64

	scores [2][]float64 // room for s of one row, by side: own and other
}

func newState(p *Problem) *state {
	n, k := p.rows(), p.components()
	s := &state{
		Problem: p, q: make([]float64, n*p.width()), l: make([]float64, n*p.width()),
		w: make([]float64, n*k), f: make([]float64, n*k), e: make([]float64, k),
		entropies: make([]float64, n), gaps: make([]float64, n),
	}
	s.scores = [2][]float64{make([]float64, k), make([]float64, k)}
	return s
}

// ownOf returns q of row t.
func (s *state) ownOf(t int) []float64 {
	from, to := s.own(t)
	return s.q[t*s.width():][:to-from]
}

// otherOf returns l of row t.
func (s *state) otherOf(t int) []float64 {
	from, to := s.other(t)
	return s.l[t*s.width():][:to-from]
}

// total is l_t.
func (s *state) total(t int) float64 {
	sum := 0.0
	for _, x := range s.otherOf(t) {
		sum += x
	}
	return sum
}

// setEntropies is to be called when q has changed.
func (s *state) setEntropies() {
	for t := range s.entropies {
		s.entropies[t] = entropy(s.ownOf(t))
	}
}

// setWeights makes w of l and q.
func (s *state) setWeights() {
	n := s.rows()
	for t := range n {
		total := s.total(t)
		from, _ := s.own(t)
		for j, x := range s.ownOf(t) {
			s.w[(from+j)*n+t] = total * x
		}
		from, _ = s.other(t)
		for j, x := range s.otherOf(t) {
			s.w[(from+j)*n+t] = -x
		}
	}
}

// score is s_c of row t at the multipliers e.
func (s *state) score(c, t int, e []float64) float64 {
	at := c*s.rows() + t
	return s.f[at] - s.Diagonal[at]/2 + e[c]
}

// violation is what the hinge of row t is of, at the multipliers e. The scores of the row stay in
// s.scores.
func (s *state) violation(t int, e []float64) float64 {
	from, to := s.own(t)
	own := s.scores[0][:to-from]
	h := margin - s.entropies[t]
	for j, q := range s.ownOf(t) {
		own[j] = s.score(from+j, t, e)
		h -= q * own[j]
	}
	from, to = s.other(t)
	other := s.scores[1][:to-from]
	for j := range other {
		other[j] = s.score(from+j, t, e)
	}
	if s.Drop {
		return h + slices.Max(other)
	}
	return h + logSum(other)
}

// losses is the sum of the hinges at the multipliers e.
func (s *state) losses(e []float64) float64 {
	sum := 0.0
	for t, c := range s.Cost {
		sum += c * max(0, s.violation(t, e))
	}
	return sum
}

// norm is sum_c w_c'K_c w_c. Of indefinite kernels it may be below 0.
func (s *state) norm() float64 {
	sum := 0.0
	for i, w := range s.w {
		sum += w * s.f[i]
	}
	return sum
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
		h := s.violation(t, s.e)
		loss := c * max(0, h)
		losses += loss
		l, other := s.otherOf(t), s.scores[1]
		total := 0.0
		for _, x := range l {
			total += x
		}
		level := 0.0 // 2 - H - q's
		own := s.scores[0]
		level = margin - s.entropies[t]
		for j, q := range s.ownOf(t) {
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
		linear += total*(margin-s.entropies[t]) + rest
		n := s.rows()
		for j, q := range s.ownOf(t) {
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
		q := to[t*s.width():][:len(s.ownOf(t))]
		copy(q, s.ownOf(t))
		h := s.violation(t, s.e)
		if s.hidden(t) {
			own := s.scores[0][:len(q)]
			softmax(own, q)
			// - H(q) - q's is the least where it is - log sum exp s.
			h += s.entropies[t] - logSum(own)
			for j, x := range s.ownOf(t) {
				h += x * own[j]
				change = max(change, math.Abs(q[j]-x))
			}
		}
		primal += c * max(0, h)
	}
	return change, primal
}
