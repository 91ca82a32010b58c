package chunking

import (
	"context"
	"fmt"
	"math"
	"testing"
)

// alternating are the solvers other than chunking, by the norms they give.
func alternating(p float64, kernels int) map[string]*Held {
	return map[string]*Held{
		"wrapper":     NewWrapper(p, kernels, nil),
		"cpm":         NewCuttingPlane(p, kernels, false, nil),
		"cpm-wrapper": NewCuttingPlane(p, kernels, true, nil),
	}
}

// TestSolversAgree: every solver ends in the same optimum as chunking, with a certificate that is that of its solution.
func TestSolversAgree(t *testing.T) {
	for _, p := range problems(random(t, 21)) {
		for _, norm := range norms {
			s, _, _ := p.solver(norm, 1e-6)
			if status, err := NewDriver(s, Limits{}).Run(t.Context()); err != nil || status != Converged {
				t.Fatal(status, err)
			}
			want := s.Solution().Certificate
			for name, n := range alternating(norm, len(p.k)) {
				if norm > 2 && name != "wrapper" {
					continue // saddle points are for p <= 2
				}
				t.Run(fmt.Sprintf("%s/p=%.5g/%s", p.name, norm, name), func(t *testing.T) {
					s := New(len(p.y), len(p.k), hinge(p.y, p.cost), n, newDense(len(p.y), p.k), 1e-6, Tuning{})
					status, err := NewDriver(s, Limits{Iterations: 3000}).Run(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					r := s.Solution()
					if status != Converged {
						t.Errorf("%s after %d iterations and %d moves, gap %.2g", status, r.Iterations, r.Moves, r.Certificate.RelativeGap)
					}
					t.Logf("%s: %d iterations, %d moves, gap %.2g", status, r.Iterations, r.Moves, r.Certificate.RelativeGap)
					if c := r.Certificate; !near(c.Dual, want.Dual, 1e-5) || !near(c.Primal, want.Primal, 1e-5) {
						t.Errorf("P = %.10g, D = %.10g; chunking %.10g, %.10g", c.Primal, c.Dual, want.Primal, want.Dual)
					}
					p.consistent(t, norm, &iterate{alpha: r.Alpha, theta: r.Theta, cert: r.Certificate})
					p.weights(t, norm, &r)
				})
			}
		}
	}
}

// followed notes the primal value at held weights whenever a wrapper moves them.
type followed struct {
	*wrapper
	values []float64
}

func (r *followed) Move(ctx context.Context, at *Point, theta []float64) (bool, error) {
	r.values = append(r.values, at.Value+at.Gap)
	return r.wrapper.Move(ctx, at, theta)
}

// TestWrapperIsMonotone: below p = 2 the primal value falls from move to move, however loosely alpha may be optimised at first. At
// p = 1 a move that was over-relaxed may raise it; the next goes back, to where it is below the value before the rise.
func TestWrapperIsMonotone(t *testing.T) {
	for _, p := range problems(random(t, 22)) {
		for _, norm := range []float64{1, 1.0667, 4.0 / 3, 1.9} {
			n := NewBlockNorm(norm, nil)
			r := &followed{wrapper: &wrapper{norm: n, share: 0.9, last: math.Inf(1), power: 1}}
			s := New(len(p.y), len(p.k), hinge(p.y, p.cost), NewHeld(n, r, len(p.k)), newDense(len(p.y), p.k), 1e-6, Tuning{})
			status, err := NewDriver(s, Limits{Iterations: 3000}).Run(t.Context())
			if err != nil || status != Converged {
				t.Errorf("%s, p = %g: %s, %v", p.name, norm, status, err)
			}
			last, risen := math.Inf(1), false
			for k, x := range r.values {
				rises := x > last*(1+1e-12)
				if rises && (norm > 1 || risen) && r.share > tightest {
					t.Errorf("%s, p = %g: the primal value rises from %.15g to %.15g at move %d of %d", p.name, norm, last, x, k, len(r.values))
				}
				if risen = rises; !rises {
					last = x
				}
			}
		}
	}
}
