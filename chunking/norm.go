package chunking

import (
	"math"

	"bigmkl/internal/invariant"
)

// Norm is the regulariser: what it makes of the vector of V_m = ||v_m||^2.
type Norm interface {
	// Weights gives theta, the derivatives of 1/2 ||v||^2 by V_m / 2, for this V; it returns the norm ||v||.
	Weights(theta, V []float64) float64
	// Curvature gives what moving weights add to the Hessian of 1/2 ||v||^2 beside sum_m theta_m K_m:
	// sum_m rank_m g_m g_m' - back ghat ghat'. It reports false where the term is left out.
	Curvature(rank, theta, V []float64) (back float64, ok bool)
	// Primal gives ||w||_{2,p} of the vector of ||w_m||.
	Primal(w []float64) float64
	// Dual gives ||v||_{p*} without any smoothing.
	Dual(V []float64) float64
}

// Ladder is a norm that adapts: Calibrate is shown V after each pass and reports whether weights have to be renewed; Sharpen
// makes a smoothed norm sharper, in small steps where the gap is near its goal, and reports whether there was a step left.
type Ladder interface {
	Calibrate(V []float64) bool
	Sharpen(near bool) bool
}

// BlockNorm is the l_p block norm, p in [1, inf].
//
// For p = 1 the dual norm is a maximum: it is approached through p_s = 1 + 0.02/4^j. For p > 2 the weights are unbounded
// where V_m tends to 0 with w_m not 0: V_m + delta^2 takes the place of V_m, and delta shrinks.
type BlockNorm struct {
	p          float64
	q          float64 // conjugate exponent in use
	level      int
	smoothing  float64   // delta^2
	least      float64   // below which it does not go
	indefinite []bool    // kernels for which a negative V_m is more than rounding
	dropped    []bool    // those of them that are out
	peak       []float64 // largest |V_m| so far, of kernels that may be indefinite
}

// negative is the share of the largest |V_m| that an indefinite kernel has to be below zero by: less is rounding.
const negative = 1e-4

const (
	firstRung   = 0.02
	rungFactor  = 4.0
	lastRung    = 13       // p_s - 1 = 3e-10
	firstDelta  = 1e-4     // delta^2 relative to the mean V_m
	deltaFactor = 1.0 / 64 // of delta^2 at each step
	deltaFine   = 1.0 / 8  // the same once the gap is near
	leastDelta  = 1e-14    // relative to the first mean V_m: below, V_m is rounding
)

// NewBlockNorm returns the norm for p >= 1. indefinite marks kernels that may be indefinite; nil means none.
func NewBlockNorm(p float64, indefinite []bool) *BlockNorm {
	n := &BlockNorm{p: p, indefinite: indefinite}
	n.q = conjugate(n.smoothP())
	return n
}

func (n *BlockNorm) smoothP() float64 {
	if n.p == 1 {
		return 1 + firstRung/math.Pow(rungFactor, float64(n.level))
	}
	return n.p
}

func conjugate(p float64) float64 {
	switch {
	case math.IsInf(p, 1):
		return 1
	case p == 1:
		return math.Inf(1)
	}
	return p / (p - 1)
}

// Calibrate takes note of V after a pass: it sets the first delta, and leaves out an indefinite kernel whose V_m has become
// negative: its weight would jump between 0 and a large value with the sign of V_m, without end. It reports whether one
// has been left out.
func (n *BlockNorm) Calibrate(V []float64) bool {
	s, changed := 0.0, false
	for m, x := range V {
		s += max(x, 0)
		if !n.mayBeNegative(m) {
			continue
		}
		if n.dropped == nil {
			n.dropped, n.peak = make([]bool, len(V)), make([]float64, len(V))
		}
		n.peak[m] = max(n.peak[m], math.Abs(x))
		if x < -negative*n.peak[m] && !n.dropped[m] {
			n.dropped[m], changed = true, true
		}
	}
	if n.p > 2 && n.smoothing == 0 {
		n.smoothing = firstDelta * s / float64(len(V))
		n.least = leastDelta * s / float64(len(V))
	}
	return changed
}

// Dropped tells whether kernel m is out because it turned out indefinite.
func (n *BlockNorm) Dropped(m int) bool { return n.dropped != nil && n.dropped[m] }

// out tells whether a kernel has no part in the norm for this V_m.
func (n *BlockNorm) out(m int, v float64) bool { return n.Dropped(m) || v < 0 && n.mayBeNegative(m) }

// Sharpen takes the next step of the ladder.
func (n *BlockNorm) Sharpen(near bool) bool {
	factor := deltaFactor
	if near {
		factor = deltaFine
	}
	switch {
	case n.p == 1 && n.level < lastRung:
		n.level++
		n.q = conjugate(n.smoothP())
	case n.p > 2 && n.smoothing*factor > n.least:
		n.smoothing *= factor
	default:
		return false
	}
	return true
}

// Weights implements Norm: theta_m = (u_m / ||u||_{p*})^(p*-2), u_m = (V_m + delta^2)^(1/2). For V = 0 it gives the start
// theta_m = (1/M)^((2-p)/p).
func (n *BlockNorm) Weights(theta, V []float64) float64 {
	top := 0.0
	for m, x := range V {
		if !n.Dropped(m) {
			top = max(top, x)
		}
	}
	if n.q == 2 {
		s := 0.0
		for m, x := range V {
			theta[m] = 1
			if n.out(m, x) {
				theta[m], x = 0, 0
			}
			s += max(x, 0)
		}
		return n.weighed(theta, V, math.Sqrt(s))
	}
	if top == 0 {
		start := float64(len(V))
		if !math.IsInf(n.p, 1) {
			start = math.Pow(float64(len(V)), -(2-n.p)/n.p)
		}
		for m := range theta {
			theta[m] = start
			if n.Dropped(m) {
				theta[m] = 0
			}
		}
		return n.weighed(theta, V, 0)
	}
	// With r_m = u_m^2 / max: ||u||^2 = max (sum r^(q/2))^(2/q), theta_m = r_m^(q/2-1) (sum r^(q/2))^((2-q)/q).
	top += n.smoothing
	s := 0.0
	for m, x := range V {
		if n.out(m, x) {
			theta[m] = 0
			continue
		}
		r := (max(x, 0) + n.smoothing) / top
		theta[m] = 0
		if r > 0 {
			theta[m] = power(r, n.q/2-1)
			s += theta[m] * r
		}
	}
	scale := math.Pow(s, (2-n.q)/n.q)
	for m := range theta {
		theta[m] *= scale
	}
	return n.weighed(theta, V, math.Sqrt(top)*math.Pow(s, 1/n.q))
}

// weighed returns the length that Weights found.
func (n *BlockNorm) weighed(theta, V []float64, length float64) float64 {
	if invariant.Enabled {
		n.assertWeights(theta, V, length)
	}
	return length
}

// Delicate tells whether small V_m matter: for p > 2 their weights are the largest, and rounding of V_m to single precision
// shows in ||w||.
func (n *BlockNorm) Delicate() bool { return n.p > 2 }

func (n *BlockNorm) mayBeNegative(m int) bool { return n.indefinite != nil && n.indefinite[m] }

// power is r^e with the exponents of p = 4/3 and p = 2 taken directly.
func power(r, e float64) float64 {
	switch e {
	case 0:
		return 1
	case 1:
		return r
	}
	return math.Pow(r, e)
}

// Curvature implements Norm: with u_m^2 = V_m + delta^2 and ghat = sum_m theta_m g_m,
//
//	(p* - 2) [ sum_m theta_m g_m g_m' / u_m^2 - ghat ghat' / ||u||^2 ].
//
// For p > 2 the term is negative, and the sum with sum_m theta_m K_m still positive semi-definite.
func (n *BlockNorm) Curvature(rank, theta, V []float64) (float64, bool) {
	if n.q == 2 {
		return 0, false
	}
	factor := n.q - 2
	total := 0.0 // ||u||^2 = sum_m theta_m u_m^2
	for m, x := range V {
		rank[m] = 0
		if u := max(x, 0) + n.smoothing; u > 0 && theta[m] > 0 {
			rank[m] = factor * theta[m] / u
			total += theta[m] * u
		}
	}
	if total == 0 {
		return 0, false
	}
	return factor / total, true
}

// Primal implements Norm.
func (n *BlockNorm) Primal(w []float64) float64 { return vectorNorm(w, n.p) }

// Dual implements Norm.
func (n *BlockNorm) Dual(V []float64) float64 {
	v := make([]float64, len(V))
	for m, x := range V {
		if !n.Dropped(m) {
			v[m] = math.Sqrt(max(x, 0))
		}
	}
	return vectorNorm(v, conjugate(n.p))
}

func vectorNorm(v []float64, p float64) float64 {
	top := 0.0
	for _, x := range v {
		top = max(top, x)
	}
	if top == 0 || math.IsInf(p, 1) {
		return top
	}
	s := 0.0
	for _, x := range v {
		if x > 0 {
			s += math.Pow(x/top, p)
		}
	}
	return top * math.Pow(s, 1/p)
}
