package mixture

import (
	"context"
	"math"
)

// em is maximum likelihood by the EM algorithm. The rows of a class are draws from a mixture of Gaussians of
// unit variance in the spaces of its components, of which component c has the mean mu_c and the share
// pi_c of the class. With w_tc = C_t q_tc / N_c on the rows of its class and N_c = sum_t C_t q_tc,
//
//	mu_c = sum_t w_tc phi_c(x_t), pi_c = N_c / sum_t C_t, e_c = log pi_c - |mu_c|^2/2
//
// are the best for the responsibilities q, and s_c(x) is the logarithm of pi_c exp(-|phi_c(x) - mu_c|^2/2).
// Of them
//
//	F(q) = sum_t C_t (sum_own q_tc (log q_tc - s_c(x_t)))    J = - sum_t C_t log sum_own exp s_c(x_t)
//
// are the bound that EM lowers and the negative logarithm of the likelihood, which is the least F over q,
// at the softmax of s: J <= F, with equality where neither step changes anything. Both classes are fitted
// by themselves, in one pass each step. (Lewis 2006, section 4.1; Dempster, Laird and Rubin 1977.)

type em struct {
	*state
	spaces Spaces
}

const fittings = 20 // steps of EM of a start, at most

// leastCount is what a component is taken to have of the rows at least, so quotients keep their digits.
const leastCount = 1e-290

// estimate sets w and e to the best for q on some rows, or on all if chosen is nil, and f by a pass.
//
// The number of components is c and of rows n: w has c x n numbers. A component that no row has gets w
// = 0 and a share of about 0, so no row comes back to it.
func (m *em) estimate(ctx context.Context, chosen []bool) error {
	s, n := m.state, m.rows()
	counts := make([]float64, s.components())
	var total [2]float64 // of the negative and the positive class
	clear(s.w)
	for t, positive := range s.Positive {
		if chosen != nil && !chosen[t] {
			continue
		}
		from, _ := s.own(t)
		for j, q := range s.q.of(t) {
			s.w[(from+j)*n+t] = s.Cost[t] * q
			counts[from+j] += s.Cost[t] * q
		}
		total[side(positive)] += s.Cost[t]
	}
	for c, count := range counts {
		for t := c * n; t < (c+1)*n; t++ {
			s.w[t] /= max(count, leastCount)
		}
	}
	if err := m.spaces.Rebuild(ctx, s.w, s.f); err != nil {
		return err
	}
	for c, count := range counts {
		// w sums to 1 for each component, so mu_c is a mean of features and |mu_c|^2 = w_c'K_c w_c, of
		// which f has a part.
		length := 0.0 // |mu_c|^2
		for t := c * n; t < (c+1)*n; t++ {
			length += s.w[t] * s.f[t]
		}
		s.e[c] = math.Log(max(count, leastCount)) - math.Log(total[side(c < s.First)]) - length/2
	}
	return nil
}

// side is the place of a class among two.
func side(positive bool) int {
	if positive {
		return 1
	}
	return 0
}

// assign sets to to the softmax of s over the own components of every hidden row, and F and J as the
// values of the point. It returns the largest change of q.
func (m *em) assign(to []float64) (change float64) {
	s := m.state
	s.primal, s.dual = 0, 0
	for t, cost := range s.Cost {
		own := s.hinges.score(t, s.e)
		// bound is sum q log q - q's, the part of F of one row. Where q is the softmax it is -log sum
		// exp s, the part of J.
		bound := -s.q.entropies[t]
		for j, q := range s.q.of(t) {
			bound -= q * own[j]
		}
		s.primal += cost * bound
		change = max(change, s.q.respond(t, own, to))
		if s.hidden(t) {
			bound = -logSum(own)
		}
		s.dual += cost * bound
	}
	return change
}

// fit sets q to the posteriors of mixtures that are fitted to some rows of each class.
func (m *em) fit(ctx context.Context, chosen []bool) error {
	next := make([]float64, len(m.q.all))
	// EM serves as a start here, so it ends early: posteriors that still move a little are as good a
	// start.
	for range fittings {
		if err := m.estimate(ctx, chosen); err != nil {
			return err
		}
		change := m.assign(next)
		m.q.set(next)
		if change < SettledChange {
			break
		}
	}
	return nil
}
