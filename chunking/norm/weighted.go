package norm

import (
	"context"
	"math"
	"slices"

	"bigmkl/chunking"
)

// weighted is a norm of kernels of unequal importance: with importances e_m, each ||w_m|| is
// divided by e_m^(1/2) before another norm is taken of them. So it is the other norm, whatever that
// is, of the kernels e_m K_m:
//
//	||w||   = || (||w_m|| / e_m^(1/2))_m ||
//	||v||   = || (e_m^(1/2) ||v_m||)_m ||       the dual norm
//	theta_m = e_m theta'_m,                     theta' the weights of the other norm for e_m V_m
//
// For p = 2 that is the non-isotropic norm of a diagonal E (Kloft 2011, section 2.3.6), with theta
// = e: weights that are fixed. A kernel of importance 0 is left out.
//
// What the other norm may do beside being one, such as to adapt, the weighted one does too.
type weighted struct {
	options
	importances
}

// weightedMover is a weighted norm of a norm that moves its own weights.
type weightedMover struct {
	*weighted
	mover chunking.Mover
}

var (
	_ chunking.Coupled    = (*weighted)(nil)
	_ chunking.Adaptive   = (*weighted)(nil)
	_ chunking.Scaled     = (*weighted)(nil)
	_ chunking.Invertible = (*weighted)(nil)
	_ chunking.Delicate   = (*weighted)(nil)
	_ chunking.Excluder   = (*weighted)(nil)
	_ chunking.Mover      = weightedMover{}
)

// NewWeighted returns the norm for importances e, one for each kernel and none below 0. It is a
// chunking.Mover if the other norm is. e may change between the calls of its methods.
func NewWeighted(norm chunking.Norm, e []float64) chunking.Norm {
	w := &weighted{options{norm}, importances{e, make([]float64, len(e))}}
	if m, ok := norm.(chunking.Mover); ok {
		return weightedMover{w, m}
	}
	return w
}

// Weights implements chunking.Norm.
func (n *weighted) Weights(theta, V []float64) float64 {
	length := n.norm.Weights(theta, n.scaled(V))
	for m, e := range n.e {
		theta[m] *= e
	}
	return length
}

// Curvature implements chunking.Norm: it is the other norm's in terms of e_m K_m, of which the
// gradients are e_m g_m.
func (n *weighted) Curvature(rank, theta, V []float64) (float64, bool) {
	back, ok := n.norm.Curvature(rank, n.plain(theta), n.scaled(V))
	for m, e := range n.e {
		rank[m] *= e * e
	}
	return back, ok
}

// Primal implements chunking.Norm.
func (n *weighted) Primal(w []float64) float64 {
	x := make([]float64, len(w))
	for m, e := range n.e {
		if e > 0 {
			x[m] = w[m] / math.Sqrt(e)
		}
	}
	return n.norm.Primal(x)
}

// Dual implements chunking.Norm.
func (n *weighted) Dual(V []float64) float64 { return n.norm.Dual(n.scaled(V)) }

// Coupling implements chunking.Coupled.
func (n *weighted) Coupling(theta, V []float64) *chunking.Coupling {
	other, ok := n.norm.(chunking.Coupled)
	if !ok {
		return nil
	}
	c := other.Coupling(n.plain(theta), n.scaled(V))
	if c != nil {
		factor := make([]float64, len(n.e))
		for m, e := range n.e {
			factor[m] = e * c.Factor[m]
		}
		c.Factor = factor
	}
	return c
}

// Energies implements chunking.Invertible.
func (n *weighted) Energies(V, theta []float64) bool {
	other, ok := n.norm.(chunking.Invertible)
	if !ok || !other.Energies(V, n.plain(theta)) {
		return false
	}
	for m, e := range n.e {
		if e > 0 {
			V[m] /= e
		}
	}
	return true
}

// Scale implements chunking.Scaled.
func (n *weighted) Scale(theta, V []float64) float64 {
	other, ok := n.norm.(chunking.Scaled)
	if !ok {
		return 1
	}
	return other.Scale(n.plain(theta), n.scaled(V))
}

// Calibrate implements chunking.Adaptive.
func (n *weighted) Calibrate(V []float64) bool {
	other, ok := n.norm.(chunking.Adaptive)
	return ok && other.Calibrate(n.scaled(V))
}

// Held implements chunking.Mover: the weights that are held are of the kernels e_m K_m.
func (n weightedMover) Held(V []float64) (theta, energies, factor []float64) {
	theta, energies, factor = n.mover.Held(slices.Clone(n.scaled(V)))
	if factor == nil {
		return theta, energies, n.e
	}
	factor = slices.Clone(factor)
	for m, e := range n.e {
		factor[m] *= e
	}
	return theta, energies, factor
}

// Ready implements chunking.Mover.
func (n weightedMover) Ready(at *chunking.Point) bool { return n.mover.Ready(at) }

// Move implements chunking.Mover.
func (n weightedMover) Move(ctx context.Context, at *chunking.Point) (bool, error) {
	return n.mover.Move(ctx, at)
}
