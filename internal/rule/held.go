// Package rule has norms whose weights move by steps of their own while a solver optimises alpha:
// the analytical wrapper, cutting planes, and rules of the caller's own. Joint trains several
// classifiers that share one set of weights by such a rule.
package rule

import (
	"context"
	"math"
	"slices"

	"bigmkl/chunking"
	"bigmkl/chunking/norm"
)

// Held is a block norm whose weights stay where they are while alpha is optimised and are moved by
// a rule. What the solver does between two moves is a support vector machine with the sum of
// kernels sum_m theta_m K_m, warm-started. All else is as ever: the certificate is the block
// norm's, for the alpha and theta in hand. With
//
//	J(theta) = max over alpha of lin(alpha) - 1/2 sum_m theta_m V_m,
//
// which is convex in theta, a rule for p <= 2 minimises J over weights of norm 1 in the exponent
// p/(2-p).
type Held struct {
	*norm.Block
	rule  chunking.Rule
	theta []float64
	renew bool // the weights are to come from the block norm for the next V
}

var (
	_ chunking.Norm     = (*Held)(nil)
	_ chunking.Adaptive = (*Held)(nil)
	_ chunking.Mover    = (*Held)(nil)
)

// NewHeld returns the block norm n, with p >= 1, over the given number of kernels, whose weights a
// rule moves.
func NewHeld(n *norm.Block, rule chunking.Rule, kernels int) *Held {
	h := &Held{Block: n, rule: rule, theta: make([]float64, kernels)}
	n.Weights(h.theta, make([]float64, kernels)) // the weights that a run starts with
	return h
}

// Weights implements chunking.Norm: it gives the weights that are held. A kernel that is excluded
// has none. Above p = 2 the others then have the weights of the block norm; below it Scale brings
// what is held to norm 1.
func (n *Held) Weights(theta, V []float64) float64 {
	if n.renew {
		n.renew = false
		n.Block.Weights(n.theta, V)
	}
	energy := 0.0
	for m, t := range n.theta {
		if t > 0 && n.Excludes(m, V[m]) {
			if n.P() > 2 {
				return n.Block.Weights(theta, V)
			}
			t = 0
		}
		theta[m] = t
		energy += t * max(V[m], 0)
	}
	return math.Sqrt(energy)
}

// Curvature implements chunking.Norm: weights that stay add none.
func (n *Held) Curvature(rank, _, _ []float64) (float64, bool) {
	clear(rank)
	return 0, false
}

// Scale implements chunking.Scaled: it brings the weights to norm 1, of those kernels that report
// one.
func (n *Held) Scale(theta, V []float64) float64 {
	if n.P() == 2 {
		return 1
	}
	used, all := slices.Clone(theta), true
	for m, x := range V {
		if x == 0 {
			used[m], all = 0, false
		}
	}
	// Above p = 2 the weights of all kernels have norm 1 as they are held.
	if n.P() > 2 && all {
		return 1
	}
	if s := norm.WeightNorm(used, n.P()); s > 0 {
		return s
	}
	return 1
}

// Calibrate implements chunking.Adaptive.
func (n *Held) Calibrate(V []float64) bool {
	changed := n.Block.Calibrate(V)
	n.renew = changed && n.P() > 2
	return changed
}

// Sharpen implements chunking.Adaptive: it takes a smaller delta where the norm has one. The ladder
// of p = 1 is not needed, as weights that are held have no kink to go through.
func (n *Held) Sharpen(near bool) bool {
	if !n.Delicate() || !n.Block.Sharpen(near) {
		return false
	}
	n.renew = true
	return true
}

// Held implements chunking.Mover.
func (n *Held) Held(V []float64) (theta, energies, factor []float64) { return n.theta, V, nil }

// Ready implements chunking.Mover.
func (n *Held) Ready(at *chunking.Point) bool { return n.rule.Ready(at) }

// Move implements chunking.Mover. A rule that fails leaves the weights as they are.
func (n *Held) Move(ctx context.Context, at *chunking.Point) (bool, error) {
	next := slices.Clone(n.theta)
	moved, err := n.rule.Move(ctx, at, next)
	if err != nil || !moved {
		return false, err
	}
	n.theta = next
	return true, nil
}
