package chunking

import (
	"context"
	"math"
	"slices"
)

// Held is a block norm whose weights stay where they are while alpha is optimised, and move by steps of their own: what the solver
// does between two of those is a support vector machine with the sum of kernels sum_m theta_m K_m, warm-started. So wrappers and
// cutting planes are rules for the next weights, and all else is as ever: the certificate is that of the block norm, for the alpha
// and theta in hand.
//
//	J(theta) = max over alpha of lin(alpha) - 1/2 sum_m theta_m V_m
//
// is convex in theta and, for p <= 2, to be minimised over weights of norm 1 in the exponent p/(2-p).
type Held struct {
	*BlockNorm
	rule  Rule
	theta []float64
	renew bool // the weights are to be those of the block norm for the next V
}

// Rule gives the next weights.
type Rule interface {
	// Ready tells whether the weights may move. Otherwise alpha is optimised further.
	Ready(at *Point) bool
	// Move gives the next weights in theta, of norm 1. false: they stay.
	Move(ctx context.Context, at *Point, theta []float64) (bool, error)
}

// Point is where a run with held weights is. The slices are the solver's own.
type Point struct {
	Theta, V []float64
	Linear   float64 // lin(alpha)
	Value    float64 // lin(alpha) - 1/2 sum_m theta_m V_m, a lower bound of J(theta)
	Gap      float64 // by which J(theta) may be above Value
	Distance float64 // P - D of the problem itself
	Goal     float64 // what that is to be
	Stuck    bool    // the last step moved nothing: alpha is as good as rounding lets it be
	Doubles  int     // solvers in double precision: values with other numbers of them are not to be compared

	solver *Solver
	factor []float64 // of kernels of unequal importance, nil for 1
}

// NewHeld returns the norm for p >= 1 over some number of kernels with weights that move by a rule.
func NewHeld(n *BlockNorm, rule Rule, kernels int) *Held {
	h := &Held{BlockNorm: n, rule: rule, theta: make([]float64, kernels)}
	n.Weights(h.theta, make([]float64, kernels)) // the start
	return h
}

// Weights implements Norm: the weights that are held. A kernel that is out has none; above p = 2 the others then have those of the
// block norm, as their norm would not be 1, and no factor makes it so. Below, see Scale.
func (n *Held) Weights(theta, V []float64) float64 {
	if n.renew {
		n.renew = false
		n.BlockNorm.Weights(n.theta, V)
	}
	energy := 0.0
	for m, t := range n.theta {
		if t > 0 && n.out(m, V[m]) {
			if n.p > 2 {
				return n.BlockNorm.Weights(theta, V)
			}
			t = 0
		}
		theta[m] = t
		energy += t * max(V[m], 0)
	}
	return math.Sqrt(energy)
}

// Calibrate implements Ladder.
func (n *Held) Calibrate(V []float64) bool {
	changed := n.BlockNorm.Calibrate(V)
	n.renew = changed && n.p > 2
	return changed
}

// Curvature implements Norm: weights that stay add none.
func (n *Held) Curvature(rank, _, _ []float64) (float64, bool) {
	clear(rank)
	return 0, false
}

// Scale brings the weights to norm 1, of those kernels that report one.
func (n *Held) Scale(theta, V []float64) float64 {
	if n.p >= 2 {
		return 1
	}
	used := slices.Clone(theta)
	for m, x := range V {
		if x == 0 {
			used[m] = 0
		}
	}
	if s := weightNorm(used, n.p); s > 0 {
		return s
	}
	return 1
}

// Sharpen implements Ladder: a smaller delta where the norm has one. The ladder of p = 1 is not needed: weights that are held
// have no kink to go through.
func (n *Held) Sharpen(near bool) bool {
	if !n.unbounded || !n.BlockNorm.Sharpen(near) {
		return false
	}
	n.renew = true
	return true
}

func (n *Held) held() *Held { return n }

// turn lets held weights move if alpha is where their rule wants it. With points asleep alpha is not: what is known of them holds for
// the weights that were. It reports whether the weights are new.
func (s *Solver) turn(ctx context.Context) (bool, error) {
	h, ok := s.norm.(interface{ held() *Held })
	if !ok {
		return true, nil
	}
	n := h.held()
	if n == nil {
		return true, nil
	}
	at := s.where(n)
	if !n.rule.Ready(at) {
		return false, nil
	}
	if s.active != nil {
		if err := s.Wake(ctx); err != nil {
			return false, err
		}
		if at = s.where(n); !n.rule.Ready(at) {
			return false, nil
		}
	}
	s.awakeUntil = math.MaxInt // from here on weights move every few steps, and would wake all points again
	next := slices.Clone(n.theta)
	moved, err := n.rule.Move(ctx, at, next)
	if err != nil || !moved {
		return false, err
	}
	n.theta = next
	s.moves++
	s.stuck, s.held = 0, math.Inf(1)
	s.norm.Weights(s.theta, s.V)
	return true, s.recombine(ctx)
}

func (s *Solver) where(n *Held) *Point {
	at := &Point{
		Theta: n.theta, V: s.V, Linear: s.loss.Linear(s.alpha), Gap: s.cert.smooth * math.Abs(s.cert.Primal), Distance: s.cert.gap(),
		Goal: s.gap * max(math.Abs(s.cert.Primal), math.Abs(s.cert.Dual)), Stuck: s.stuck > 0, solver: s,
	}
	if s.double {
		at.Doubles = 1
	}
	if w, ok := s.norm.(*Weighted); ok {
		at.V, at.factor = slices.Clone(w.scaled(s.V)), w.e
	}
	at.Value = at.Linear
	for m, t := range at.Theta {
		at.Value -= t * max(at.V[m], 0) / 2
	}
	return at
}

// nearer tells whether the gap at held weights has become lower since they moved: of that the problem's own gap may show nothing.
func (s *Solver) nearer() bool {
	gap := s.cert.smooth * math.Abs(s.cert.Primal)
	if s.moves == 0 || !(gap < enough*s.held) {
		return false
	}
	s.held = gap
	return true
}
