package rule

import (
	"math"
	"slices"

	"bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/game"
)

// cuts is the master problem of cutting planes. A cut r is the inequality J(theta) >= L^r - 1/2
// sum_m theta_m V_m^r, where L^r = lin(alpha^r) and V^r belong to one alpha^r. The least maximum
// of all cuts is, with one multiplier for each cut, the maximum of
//
//	F(lambda) = sum_r lambda_r L^r - 1/2 ||v||^2,   V_m = sum_r lambda_r V_m^r,   lambda >= 0, sum lambda = 1,
//
// where ||v|| is the dual norm and theta its weights for this V. So there are as many variables as
// cuts, however many the kernels. For p > 1, F is smooth, and its gradient are the values of the
// cuts at theta. It is climbed by a sequence of second-order Taylor expansions: each is a quadratic
// program over lambda, and the next is made at the maximum along its solution. The thesis expands
// the constraint on theta instead, and projects; ascending ends at the optimum from anywhere. For p
// = 1 it is a matrix game.
//
// Cuts that have not contributed to the optimum for some rounds are dropped, and of more than a
// bound the cuts of the least part.
type cuts struct {
	norm   *norm.Block
	smooth norm.Block  // the same without kernels that are out, which have no energy in cuts
	linear []float64   // L^r
	energy [][]float64 // V^r
	idle   []int       // rounds without a part
	lambda []float64
	eta    float64 // the least maximum
}

const (
	idleRounds = 8
	mostCuts   = 256
	expansions = 100   // at most; three or four are usual
	masterTo   = 1e-15 // of eta, by which the largest cut may be above it
	progress   = 0.5   // of how far the largest cut is above eta, or less, is nearer to it
	// P above which the curvature has no bound as V_m tends to 0: then V_m + delta^2 represents
	// V_m.
	steep       = 4.0 / 3
	masterDelta = 1e-14 // delta^2, of the largest V_m
	slopeTo     = 0.1   // of the slope along a solution that is left at its end
)

// CutBytes is what cutting planes take at most for each kernel: the cuts, and the matrix of a game
// and its tableau.
const CutBytes = 3 * 8 * (mostCuts + idleRounds + 2)

// clear forgets all cuts.
func (c *cuts) clear() {
	c.linear, c.energy, c.idle, c.lambda, c.eta = nil, nil, nil, nil, math.Inf(-1)
}

// add takes the cut of an alpha. Not all V_m may be 0: F has no derivative there. A kernel that is
// left out has no energy in it.
func (c *cuts) add(linear float64, V []float64) {
	v := slices.Clone(V)
	for m, x := range v {
		if x < 0 || c.norm.Dropped(m) {
			v[m] = 0
		}
	}
	c.linear, c.energy = append(c.linear, linear), append(c.energy, v)
	c.idle, c.lambda = append(c.idle, 0), append(c.lambda, 0)
}

// solve gives the weights of the least maximum, and drops cuts.
func (c *cuts) solve(theta []float64) {
	for m := range theta {
		// The kernel was left out after some cuts had been taken.
		if c.norm.Dropped(m) {
			for _, v := range c.energy {
				v[m] = 0
			}
		}
	}
	if c.norm.P() == 1 {
		c.play(theta)
	} else {
		c.climb(theta)
	}
	c.drop()
}

// drop leaves out cuts that do not matter.
func (c *cuts) drop() {
	// Of more than mostCuts, the cuts of the smallest multipliers go.
	least := 0.0 // of the shares that stay
	if n := len(c.lambda); n > mostCuts {
		least = slices.Sorted(slices.Values(c.lambda))[n-mostCuts]
	}
	keep := 0
	// A cut with a multiplier above 0 has a part in the optimum: its rounds without one start
	// again.
	for r, x := range c.lambda {
		if c.idle[r]++; x > 0 {
			c.idle[r] = 0
		}
		if c.idle[r] > idleRounds || x < least {
			continue
		}
		c.linear[keep], c.energy[keep], c.idle[keep], c.lambda[keep] = c.linear[r], c.energy[r], c.idle[r], x
		keep++
	}
	clear(c.energy[keep:])
	c.linear, c.energy, c.idle, c.lambda = c.linear[:keep], c.energy[:keep], c.idle[:keep], c.lambda[:keep]
}

// play solves the master problem of p = 1 as a matrix game: the rows are cuts, the columns kernels.
func (c *cuts) play(theta []float64) {
	payoffs := make([]float64, 0, len(c.linear)*len(theta))
	for r, v := range c.energy {
		for _, x := range v {
			payoffs = append(payoffs, c.linear[r]-x/2)
		}
	}
	s := game.Solve(payoffs, len(c.linear), len(theta))
	copy(theta, s.Columns)
	copy(c.lambda, s.Rows)
	c.eta = s.Low
}

// climb solves the master problem for p > 1. It starts from the multipliers of the last solution; a
// new cut has none.
func (c *cuts) climb(theta []float64) {
	if c.eta == math.Inf(-1) {
		c.lambda[0] = 1
	}
	n := len(c.lambda)
	c.smooth = *norm.NewBlock(c.norm.P(), nil)
	if c.norm.P() > steep {
		smoothing := 0.0
		for _, v := range c.energy {
			smoothing = max(smoothing, masterDelta*slices.Max(v))
		}
		c.smooth.Resume(chunking.NormState{Smoothing: smoothing})
	}
	hessian, value, next := make([]float64, n*n), make([]float64, n), make([]float64, n)
	rank := make([]float64, len(theta))
	c.eta = c.at(c.lambda, theta, value)
	for range expansions {
		top := slices.Max(value)
		if top-c.eta <= masterTo*math.Abs(top) {
			return
		}
		c.curvature(theta, rank, hessian)
		low, high := make([]float64, n), make([]float64, n)
		for r, x := range c.lambda {
			low[r], high[r] = -x, 1-x
		}
		// The expansion is solved to a share of what is left: it is only a model of F.
		tolerance := max(1e-3*(top-c.eta), masterTo*math.Abs(top))
		d := chunking.Quadratic(value, hessian, low, high, tolerance)
		before := c.eta
		// Near the optimum F rises by less than its rounding while its slopes still fall.
		if !c.along(d, next, theta, value) || c.eta <= before && slices.Max(value)-c.eta > progress*(top-before) {
			c.eta = c.at(c.lambda, theta, value)
			return
		}
		copy(c.lambda, next)
	}
}

// at gives theta and the values of the cuts there for multipliers lambda, and returns F(lambda).
func (c *cuts) at(lambda, theta, value []float64) float64 {
	V := make([]float64, len(theta))
	f := 0.0
	for r, x := range lambda {
		if x == 0 {
			continue
		}
		f += x * c.linear[r]
		// V is linear in the multipliers.
		for m, v := range c.energy[r] {
			V[m] += x * v
		}
	}
	length := c.smooth.Weights(theta, V)
	for r, v := range c.energy {
		value[r] = c.linear[r] - dotProduct(theta, v)/2
	}
	return f - length*length/2
}

// dotProduct is a'b.
func dotProduct(a, b []float64) float64 {
	s := 0.0
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// curvature gives minus the second derivatives of F. With the curvature of the norm, which is the
// curvature of 1/2 ||v||^2 in alpha, they are
//
//	1/4 ( sum_m rank_m V_m^r V_m^s - back (sum_m theta_m V_m^r) (sum_m theta_m V_m^s) ).
func (c *cuts) curvature(theta, rank, h []float64) {
	n := len(c.lambda)
	V := make([]float64, len(theta))
	for r, x := range c.lambda {
		for m, v := range c.energy[r] {
			V[m] += x * v
		}
	}
	back, _ := c.smooth.Curvature(rank, theta, V)
	ghat, scaled := make([]float64, n), make([]float64, len(theta))
	for r, v := range c.energy {
		ghat[r] = dotProduct(theta, v)
	}
	for r, v := range c.energy {
		for m, x := range v {
			scaled[m] = rank[m] * x
		}
		for s := range r + 1 {
			x := (dotProduct(scaled, c.energy[s]) - back*ghat[r]*ghat[s]) / 4
			h[r*n+s], h[s*n+r] = x, x
		}
	}
}

// along goes from lambda to the maximum of F along d, not beyond it, and leaves that in next, with
// its theta and values. The search is loose: it ends once a share of the slope is left. It returns
// false where d does not ascend.
func (c *cuts) along(d, next, theta, value []float64) bool {
	slope := func(t float64) float64 {
		sum := 0.0
		for r, x := range c.lambda {
			next[r] = max(x+t*d[r], 0)
			sum += next[r]
		}
		for r := range next {
			next[r] /= sum
		}
		c.eta = c.at(next, theta, value)
		return dotProduct(d, value)
	}
	// Beyond 1 multipliers would become negative: d comes of bounds that keep lambda + d in [0, 1].
	low, high := 0.0, 1.0
	atLow := dotProduct(d, value)
	if !(atLow > 0) {
		return false
	}
	first, atHigh := atLow, slope(1)
	if atHigh >= -slopeTo*first {
		return true
	}
	for range 60 {
		t := low + (high-low)*atLow/(atLow-atHigh) // regula falsi, the stale end halved (Illinois)
		f := slope(t)
		if math.Abs(f) <= slopeTo*first {
			return true
		}
		if f > 0 {
			low, atLow, atHigh = t, f, atHigh/2
		} else {
			high, atHigh, atLow = t, f, atLow/2
		}
	}
	return true
}
