// Package norm has the norms that a solver can train with: the l_p block norm, block norms of
// groups, the elastic net, the squared norm of the weights, interactions of kernels, and kernels of
// unequal importance for any of them. Each is a chunking.Norm.
//
// All of them work on the vectors of V_m = ||v_m||^2, of ||w_m|| and of the weights theta_m, which
// have a number for each kernel. A norm has scratch memory and a state: every solver needs one of
// its own.
package norm

import (
	"math"

	"bigmkl/internal/invariant"

	"bigmkl/chunking"
)

var (
	_ chunking.Norm       = (*Block)(nil)
	_ chunking.Coupled    = (*Block)(nil)
	_ chunking.Adaptive   = (*Block)(nil)
	_ chunking.Scaled     = (*Block)(nil)
	_ chunking.Smoothed   = (*Block)(nil)
	_ chunking.Invertible = (*Block)(nil)
	_ chunking.Delicate   = (*Block)(nil)
	_ chunking.Excluder   = (*Block)(nil)
)

// Block is the l_p block norm of Kloft (2011), p in [1, inf]:
//
//	||w|| = ( sum_m ||w_m||^p )^(1/p)
//	||v|| = ( sum_m ||v_m||^{p*} )^(1/p*)       the dual norm, 1/p + 1/p* = 1
//
// Its weights have norm 1 in the exponent p/(2-p). p = 1 selects kernels, p = 2 is the plain sum of
// them, and p = inf gives all ||w_m|| the same bound.
type Block struct {
	adapting
	p float64
}

// NewBlock returns the norm for p in [1, inf]. indefinite marks kernels that may be indefinite; nil
// means none.
func NewBlock(p float64, indefinite []bool) *Block {
	return &Block{adapting{one: p == 1, unbounded: p > 2, indefinite: indefinite}, p}
}

// P is the exponent that the norm was made for.
func (n *Block) P() float64 { return n.p }

// conjugate is the conjugate exponent in use, which for p = 1 is the exponent of the rung.
func (n *Block) conjugate() float64 { return conjugate(n.smooth(n.p)) }

// Weights implements chunking.Norm (Kloft 2011, Proposition 3.1): with u_m = (V_m + delta^2)^(1/2),
//
//	theta_m = (u_m / ||u||_{p*})^(p*-2).
//
// For V = 0 it gives the start theta_m = (1/M)^((2-p)/p), which has norm 1.
func (n *Block) Weights(theta, V []float64) float64 {
	q, length := n.conjugate(), 0.0
	if some := n.squares(theta, V, n.smoothing); some || q == 2 {
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
		n.assertWeights(n.p, q, theta, V, length)
	}
	return length
}

// Curvature implements chunking.Norm: with u_m^2 = V_m + delta^2 and ghat = sum_m theta_m g_m, it
// is
//
//	(p* - 2) [ sum_m theta_m g_m g_m' / u_m^2 - ghat ghat' / ||u||^2 ].
//
// For p > 2 the term is negative, and its sum with sum_m theta_m K_m is still positive
// semi-definite.
func (n *Block) Curvature(rank, theta, V []float64) (float64, bool) {
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

// Energies implements chunking.Invertible, on the ladder to p = 1.
func (n *Block) Energies(V, theta []float64) bool {
	if !n.one {
		return false
	}
	e := n.conjugate()/2 - 1
	for m, t := range theta {
		V[m] = math.Pow(t, 1/e)
	}
	return true
}

// Coupling implements chunking.Coupled: there is none.
func (n *Block) Coupling(_, _ []float64) *chunking.Coupling { return nil }

// Primal implements chunking.Norm.
func (n *Block) Primal(w []float64) float64 { return VectorNorm(w, n.p) }

// SmoothPrimal implements chunking.Smoothed.
func (n *Block) SmoothPrimal(w []float64) float64 { return VectorNorm(w, n.smooth(n.p)) }

// Dual implements chunking.Norm.
func (n *Block) Dual(V []float64) float64 { return VectorNorm(n.lengths(V), conjugate(n.p)) }

// Scale implements chunking.Scaled. For p = 1 it is sum theta, because the ladder's weights have
// norm 1 in another exponent only.
func (n *Block) Scale(theta, _ []float64) float64 {
	if n.p != 1 {
		return 1
	}
	s := 0.0
	for _, x := range theta {
		s += x
	}
	return s
}
