package chunking

import (
	"context"
	"math"
	"slices"
)

// wrapper is the analytical wrapper (Kloft 2011, Algorithm 3.1): a support vector machine, then the weights of Proposition 3.1.
//
//	p < 2:  theta_m = (||w_m|| / ||w||_p)^(2-p),   ||w_m|| = theta_m ||v_m|| with the weights before
//	p > 2:  theta_m = (||v_m|| / ||v||_{p*})^(p*-2)
//
// Below 2 that minimises 1/2 sum_m ||w_m||^2 / theta_m + loss over theta, which falls from step to step if it has fallen over the
// optimisation of alpha, too. Where it has not, alpha was optimised too loosely.
type wrapper struct {
	norm  *BlockNorm
	share float64 // of the distance that the gap at fixed weights may be
	last  float64 // primal value at the last move
}

const (
	wrapperShare = 0.1
	tighter      = 0.1
	tightest     = 1e-8
)

// NewWrapper returns the norm p >= 1 over some number of kernels, with the weights that the analytical wrapper gives it.
// indefinite marks kernels that may be indefinite; nil means none.
func NewWrapper(p float64, kernels int, indefinite []bool) *Held {
	n := NewBlockNorm(p, indefinite)
	return NewHeld(n, &wrapper{norm: n, share: wrapperShare, last: math.Inf(1)}, kernels)
}

// Ready implements Rule.
func (r *wrapper) Ready(at *Point) bool {
	switch {
	case at.Stuck:
		return true
	case at.Gap > r.share*max(at.Distance, at.Goal):
		return false
	case r.norm.p < 2 && at.Value+at.Gap >= r.last && r.share > tightest:
		r.share *= tighter
		return at.Gap <= r.share*max(at.Distance, at.Goal)
	}
	return true
}

// Move implements Rule.
func (r *wrapper) Move(_ context.Context, at *Point, theta []float64) (bool, error) {
	r.last = at.Value + at.Gap
	if r.norm.p >= 2 {
		r.norm.Weights(theta, at.V)
		return !slices.Equal(theta, at.Theta), nil
	}
	for m, t := range at.Theta {
		theta[m] = t * math.Sqrt(max(at.V[m], 0))
		if r.norm.out(m, at.V[m]) {
			theta[m] = 0
		}
	}
	length := vectorNorm(theta, r.norm.p)
	if length == 0 {
		return false, nil // w vanishes: any weights are as good
	}
	for m, w := range theta {
		theta[m] = math.Pow(w/length, 2-r.norm.p)
	}
	return !slices.Equal(theta, at.Theta), nil
}
