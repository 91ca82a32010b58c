package chunking

import "math"

// Regularizer is a norm with all that the norms of this package can do.
type Regularizer interface {
	Norm
	Coupled
	Ladder
	Adaptive
	sieve
}

// sieve is what a norm tells of its kernels and weights.
type sieve interface {
	// Dropped tells whether kernel m is out because it turned out indefinite.
	Dropped(m int) bool
	// Delicate tells whether small V_m matter.
	Delicate() bool
	out(m int, v float64) bool
	indefiniteAmong() bool
}

// Weighted is a norm of kernels of unequal importance: with e_m, each ||w_m|| is divided by e_m^(1/2) before the norm is taken of them.
// So it is another norm of the kernels e_m K_m, whatever the norm:
//
//	||w||   = || (||w_m|| / e_m^(1/2))_m ||
//	||v||   = || (e_m^(1/2) ||v_m||)_m ||       the dual norm
//	theta_m = e_m theta'_m,                     theta' the weights of the other norm for e_m V_m
//
// For p = 2 that is the non-isotropic norm of a diagonal E (Kloft 2011, section 2.3.6), with theta = e: weights that are fixed. A
// kernel of importance 0 is left out.
type Weighted struct {
	Regularizer
	e []float64
	v []float64 // scratch: e_m V_m
}

// NewWeighted returns the norm for importances e, none below 0.
func NewWeighted(norm Regularizer, e []float64) *Weighted {
	return &Weighted{Regularizer: norm, e: e, v: make([]float64, len(e))}
}

func (n *Weighted) scaled(V []float64) []float64 {
	for m, x := range V {
		n.v[m] = n.e[m] * x
	}
	return n.v
}

// plain gives theta' in a new slice.
func (n *Weighted) plain(theta []float64) []float64 {
	t := make([]float64, len(theta))
	for m, x := range theta {
		if n.e[m] > 0 {
			t[m] = x / n.e[m]
		}
	}
	return t
}

// Weights implements Norm.
func (n *Weighted) Weights(theta, V []float64) float64 {
	length := n.Regularizer.Weights(theta, n.scaled(V))
	for m, e := range n.e {
		theta[m] *= e
	}
	return length
}

// Curvature implements Norm: the other norm's in terms of e_m K_m, of which the gradients are e_m g_m.
func (n *Weighted) Curvature(rank, theta, V []float64) (float64, bool) {
	back, ok := n.Regularizer.Curvature(rank, n.plain(theta), n.scaled(V))
	for m, e := range n.e {
		rank[m] *= e * e
	}
	return back, ok
}

// Coupling implements Coupled.
func (n *Weighted) Coupling(theta, V []float64) *Coupling {
	c := n.Regularizer.Coupling(n.plain(theta), n.scaled(V))
	if c != nil {
		factor := make([]float64, len(n.e))
		for m, e := range n.e {
			factor[m] = e * c.Factor[m]
		}
		c.Factor = factor
	}
	return c
}

// Primal implements Norm.
func (n *Weighted) Primal(w []float64) float64 {
	x := make([]float64, len(w))
	for m, e := range n.e {
		if e > 0 {
			x[m] = w[m] / math.Sqrt(e)
		}
	}
	return n.Regularizer.Primal(x)
}

// Dual implements Norm.
func (n *Weighted) Dual(V []float64) float64 { return n.Regularizer.Dual(n.scaled(V)) }

// Calibrate implements Ladder.
func (n *Weighted) Calibrate(V []float64) bool { return n.Regularizer.Calibrate(n.scaled(V)) }

// Scale brings weights onto the norm that is reported.
func (n *Weighted) Scale(theta, V []float64) float64 {
	return scaleOf(n.Regularizer, n.plain(theta), n.scaled(V))
}

// held is the other norm if it holds its weights: those then are of the kernels e_m K_m.
func (n *Weighted) held() *Held {
	h, _ := n.Regularizer.(*Held)
	return h
}
