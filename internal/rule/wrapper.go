package rule

import (
	"context"
	"math"
	"slices"

	"bigmkl/chunking"
	"bigmkl/chunking/norm"
)

// wrapper is the analytical wrapper (Kloft 2011, Algorithm 3.1): a support vector machine, then the
// weights of Proposition 3.1.
//
//	p < 2:  theta_m = (||w_m|| / ||w||_p)^(2-p),   ||w_m|| = theta_m ||v_m|| with the weights before
//	p > 2:  theta_m = (||v_m|| / ||v||_{p*})^(p*-2)
//
// Below 2 the step minimises 1/2 sum_m ||w_m||^2 / theta_m + loss over theta. This value falls from
// step to step if it has fallen over the optimisation of alpha, too. Where it has not, alpha was
// optimised too loosely.
//
// At p = 1 the step is theta_m ||v_m|| / sum, by which the weight of a kernel that the optimum does
// without fades by the factor ||v_m|| / max ||v||. Where that is near 1, no number of steps is
// enough. There the steps are over-relaxed (Salakhutdinov and Roweis 2003): theta_m ||v_m||^s /
// sum, with s growing from 1 for as long as the primal value falls. Where it has not fallen, the
// weights go back to those of s = 1, for which it does.
type wrapper struct {
	norm    *norm.Block
	share   float64   // of the distance that the gap at fixed weights may be
	last    float64   // primal value at the last move
	doubles int       // solvers in double precision at the last move
	power   float64   // s of the last move
	plain   []float64 // weights that s = 1 would have given then
}

const (
	wrapperShare = 0.1
	tighter      = 0.1
	tightest     = 1e-8
	powerGrowth  = 1.5
	finestValue  = 1e-11 // of the value: a gap at fixed weights below that is rounding
	leastWeight  = 1e-30 // of a kernel whose weight is multiplied: from 0 it could not come back
)

// NewWrapper returns the block norm p >= 1 over the given number of kernels, with the weights that
// the analytical wrapper gives it. indefinite marks kernels that may be indefinite; nil means none.
func NewWrapper(p float64, kernels int, indefinite []bool) *Held {
	n := norm.NewBlock(p, indefinite)
	return NewHeld(n, &wrapper{norm: n, share: wrapperShare, last: math.Inf(1), power: 1}, kernels)
}

// Ready implements chunking.Rule.
func (r *wrapper) Ready(at *chunking.Point) bool {
	// Values of single precision do not show whether values of double precision have fallen.
	if at.Doubles != r.doubles {
		r.doubles, r.last, r.power = at.Doubles, math.Inf(1), 1
	}
	// Alpha is optimised to a share of how far the whole problem is from its optimum: more would be
	// wasted on weights that will move, and with less the direction of the weights is unknown.
	near := func() bool { return at.Gap <= max(r.share*max(at.Distance, at.Goal), finestValue*math.Abs(at.Value)) }
	switch {
	case at.Stuck:
		return true
	case !near():
		return false
	case r.overshot(at):
		return true
	}
	if r.norm.P() < 2 && at.Value+at.Gap >= r.last {
		for near() && r.share > tightest {
			r.share *= tighter
		}
	}
	return near()
}

// overshot reports whether the last move was over-relaxed and the primal value has not fallen
// since.
func (r *wrapper) overshot(at *chunking.Point) bool { return r.power > 1 && at.Value+at.Gap >= r.last }

// Move implements chunking.Rule.
func (r *wrapper) Move(_ context.Context, at *chunking.Point, theta []float64) (bool, error) {
	if r.overshot(at) {
		r.power = 1
		copy(theta, r.plain)
		return !slices.Equal(theta, at.Theta), nil
	}
	r.last = at.Value + at.Gap
	if r.norm.P() >= 2 {
		r.norm.Weights(theta, at.V)
		return !slices.Equal(theta, at.Theta), nil
	}
	for m, t := range at.Theta {
		theta[m] = t * math.Sqrt(max(at.V[m], 0))
		if r.norm.Excludes(m, at.V[m]) {
			theta[m] = 0
		}
	}
	length := norm.VectorNorm(theta, r.norm.P())
	// Without w there is nothing to go by.
	if length == 0 {
		return false, nil // w vanishes: any weights are as good
	}
	for m, w := range theta {
		theta[m] = math.Pow(w/length, 2-r.norm.P())
	}
	if r.norm.P() == 1 {
		r.relax(theta, at.Theta)
	}
	return !slices.Equal(theta, at.Theta), nil
}

// relax takes the weights of s = 1, which follow on the weights before, to the weights of the
// next s.
func (r *wrapper) relax(theta, before []float64) {
	if r.plain == nil {
		r.plain = slices.Clone(theta) // the first step
		return
	}
	copy(r.plain, theta)
	// The weights are taken further along the way that they went.
	r.power *= powerGrowth
	sum := 0.0
	for m, t := range theta {
		if t > 0 {
			theta[m] = max(before[m]*math.Pow(t/before[m], r.power), leastWeight)
		}
		sum += theta[m]
	}
	for m := range theta {
		theta[m] /= sum
	}
}
