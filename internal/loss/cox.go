package loss

import (
	"math"

	"bigmkl/chunking"
)

var (
	_ chunking.Collective = (*Cox)(nil)
	_ Regression          = (*Cox)(nil)
)

// Cox is the negative logarithm of the partial likelihood of Cox (1972) for times of which some are censored, C times
//
//	L(f) = sum_k [ m_k sum_{l < d_k} log(S_k - l/d_k E_k) - sum_{i in D_k} w_i f_i ],
//
// over the times t_k of events, with ties after Efron (1977). D_k are the d_k rows with an event at t_k, R_k the rows at risk:
// their time is t_k or later. E_k and S_k are the sums of w_i exp(f_i) over D_k and over R_k, for the weights w_i of the rows. m_k is
// the mean weight of D_k (Therneau and Grambsch 2000, section 7.1.1). Without weights all of them are 1. The function f is the logarithm of
// the relative hazard: the larger it is, the earlier is the event. f and f + b have the same loss, so sum alpha = 0.
//
// With a = alpha/C and q_i = w_i [row i has an event] - a_i, the share of events that is expected of row i, the dual variables of a
// function are q_i = w_i exp(u_i) H_i. H_i is the cumulative hazard of Breslow and Efron at the time of row i. Risk sets are nested.
// So u follows from alpha by one sweep over the sorted times (coxdual.go), and lin = -L* is known at every alpha of its domain
//
//	q_i >= 0,   B_k = sum of a_i over the rows before t_k >= 0,   sum_i a_i = 0.
//
// A row that is censored before the first event is in no risk set. Its dual variable is 0.
type Cox struct {
	times []float64
	cost  float64
	risk  risks
}

// risks are the rows in the order of their times.
type risks struct {
	events []bool
	// weights has the weight of each row, and means has m_k. Both are nil if all are 1.
	weights, means []float64
	// order has the rows at risk of any event, by the last event that they are at risk of. Of each such group the rows with
	// the event come first.
	order []int32
	// first is where the group of each time of events begins in order, and the end of the last one. deaths counts its events.
	first  []int32
	deaths []int32
	times  []float64 // t_k, ascending
}

// NewCox returns the loss for times that are negative for censored rows, the cost C, and the weights of the rows. They are above 0, or
// nil if all are 1. A row with the time 0 is left out. Both slices are kept and must not change.
func NewCox(times []float64, cost float64, weights []float64) *Cox {
	return &Cox{times: times, cost: cost, risk: newRisks(times, weights)}
}

// Box implements chunking.Loss. The rest of the domain is not a matter of one variable.
func (l *Cox) Box(i int) (lower, upper float64) {
	if l.risk.events[i] {
		return math.Inf(-1), l.cost * l.risk.weightOf(int32(i))
	}
	return math.Inf(-1), 0
}

// Primal implements chunking.Loss. The bias makes the mean of the function over the rows 0.
func (l *Cox) Primal(f []float64) (bias, sum float64) {
	for _, x := range f {
		bias -= x / float64(len(f))
	}
	return bias, l.At(f, 0)
}

// At implements chunking.Loss. The bias changes nothing.
func (l *Cox) At(f []float64, _ float64) float64 { return l.cost * l.risk.hazards(f).loss(f) }

// Respond implements chunking.Collective.
func (l *Cox) Respond(f, alpha []float64) {
	l.risk.hazards(f).expected(alpha)
	for i, q := range alpha {
		alpha[i] = -l.cost * q
		if l.risk.events[i] {
			alpha[i] = l.cost * (l.risk.weightOf(int32(i)) - q)
		}
	}
}

// Curvature implements chunking.Collective. With p_kl the distribution of w_j exp(f_j) (1 - l/d_k [j in D_k]) over the rows at
// risk of t_k, W is C times the sum over k and l of m_k (diag(p_kl) - p_kl p_kl').
func (l *Cox) Curvature(f []float64) func(z, wz []float64) {
	h := l.risk.hazards(f)
	q := make([]float64, len(f))
	h.expected(q)
	return func(z, wz []float64) {
		h.centre(z, wz)
		for i, x := range wz {
			wz[i] = l.cost * (q[i]*z[i] - x)
		}
	}
}

// Without implements Regression: the rows that are left out are at risk of nothing.
func (l *Cox) Without(out []int) chunking.Loss {
	times := make([]float64, len(l.times))
	copy(times, l.times)
	for _, i := range out {
		times[i] = 0
	}
	return NewCox(times, l.cost, l.risk.weights)
}

// Baseline returns the times of events, ascending, and the logarithm of the cumulative hazard of a row of decision value 0 at
// each, where f has the decision values of all rows.
func (l *Cox) Baseline(f []float64) (times, logHazards []float64) {
	h := l.risk.hazards(f)
	hazard := 0.0 // in units of exp(-level)
	for k, d := range h.deaths {
		hazard *= h.fall[k]
		for l := range d {
			hazard += h.mean(k) / (h.sum[k] - float64(l)/float64(d)*h.dying[k])
		}
		times, logHazards = append(times, h.risks.times[k]), append(logHazards, math.Log(hazard)-h.level[k])
		if k > 0 { // by rounding
			logHazards[k] = max(logHazards[k], logHazards[k-1])
		}
	}
	return times, logHazards
}
