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

// Coupling is a part of the Hessian of 1/2 ||v||^2 that ties kernels to each other: sum_rs form_rs z_r z_s', with one z_r =
// sum_m factor_m g_m over the kernels of each row r.
type Coupling struct {
	Rows     int
	Row      []int32   // of each kernel, -1 for none
	Factor   []float64 // of each kernel
	Diagonal []float64 // the form, if it has no other entries
	Full     []float64 // else all of it, Rows x Rows and symmetric
}

// Coupled is a norm whose curvature is more than Curvature says.
type Coupled interface {
	// Coupling gives what is to be added for the weights of this V, nil for nothing.
	Coupling(theta, V []float64) *Coupling
}

// Ladder is a norm that adapts: Calibrate is shown V after each pass and reports whether weights have to be renewed; Sharpen
// makes a smoothed norm sharper, in small steps where the gap is near its goal, and reports whether there was a step left.
type Ladder interface {
	Calibrate(V []float64) bool
	Sharpen(near bool) bool
}

// BlockNorm is the l_p block norm, p in [1, inf].
type BlockNorm struct {
	adapting
	p float64
}

// NewBlockNorm returns the norm for p >= 1. indefinite marks kernels that may be indefinite; nil means none.
func NewBlockNorm(p float64, indefinite []bool) *BlockNorm {
	return &BlockNorm{adapting{one: p == 1, unbounded: p > 2, indefinite: indefinite}, p}
}

// conjugate is the conjugate exponent in use.
func (n *BlockNorm) conjugate() float64 { return conjugate(n.smooth(n.p)) }

// Weights implements Norm: theta_m = (u_m / ||u||_{p*})^(p*-2), u_m = (V_m + delta^2)^(1/2). For V = 0 it gives the start
// theta_m = (1/M)^((2-p)/p).
func (n *BlockNorm) Weights(theta, V []float64) float64 {
	q, length := n.conjugate(), 0.0
	if some := n.squares(theta, V); some || q == 2 {
		length = weigh(theta, q)
	} else {
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
	}
	if invariant.Enabled {
		n.assertWeights(theta, V, length)
	}
	return length
}

// Curvature implements Norm: with u_m^2 = V_m + delta^2 and ghat = sum_m theta_m g_m,
//
//	(p* - 2) [ sum_m theta_m g_m g_m' / u_m^2 - ghat ghat' / ||u||^2 ].
//
// For p > 2 the term is negative, and the sum with sum_m theta_m K_m still positive semi-definite.
func (n *BlockNorm) Curvature(rank, theta, V []float64) (float64, bool) {
	factor := n.conjugate() - 2
	if factor == 0 {
		return 0, false
	}
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

// Coupling implements Coupled: there is none.
func (n *BlockNorm) Coupling(_, _ []float64) *Coupling { return nil }

// Primal implements Norm.
func (n *BlockNorm) Primal(w []float64) float64 { return vectorNorm(w, n.p) }

// Dual implements Norm.
func (n *BlockNorm) Dual(V []float64) float64 { return vectorNorm(n.lengths(V), conjugate(n.p)) }
