package gradienttest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Run checks that a gradient keeps the contract of chunking.Gradient, and the contracts of the
// optional interfaces that it implements, against Dense. It goes through what a solver does:
// passes over working sets, one of them cut and called again, models and directions, points that
// sleep and wake, a factor for all, and double precision. Each part begins with a new gradient.
func Run(t *testing.T, c Case) {
	var size []float64
	for _, k := range c.Kernels {
		size = append(size, max(slices.Max(k), -slices.Min(k)))
	}
	for name, part := range map[string]func(r *runner){
		"passes": passes, "cut": cut, "model": model, "rebuild": rebuild, "mixer": optional(mixer),
		"scaler": optional(scaler), "shrinker": optional(shrinker), "looker": optional(looker),
		"checker": optional(checker), "far": optional(far),
	} {
		t.Run(name, func(t *testing.T) {
			// The draws are the same in every run, so a failure can be repeated.
			const seed = 1
			t.Logf("seed %d", seed)
			r := &runner{
				rounding: &rounding{T: t, tolerance: c.Single, size: size},
				Case:     c, grad: c.New(t), want: NewDense(c.N, c.Kernels),
				rng: rand.New(rand.NewPCG(seed, 2)), alpha: make([]float64, c.N),
			}
			for range c.Kernels {
				r.theta = append(r.theta, r.rng.Float64())
			}
			part(r)
		})
	}
}

// passes: changes on working sets in any order, none at all, and other weights.
func passes(r *runner) {
	r.pass(r.Context(), nil, nil)
	for range 6 {
		for m := range r.theta {
			r.theta[m] = r.rng.Float64()
		}
		set, delta := r.change(nil)
		r.pass(r.Context(), set, delta)
		r.pass(r.Context(), nil, nil)
	}
}

// cut: a pass that its context ends goes on when it is called again, and adds nothing twice.
func cut(r *runner) {
	r.advance()
	set, delta := r.change(nil)
	ended, end := context.WithCancel(r.Context())
	end()
	combined, v := make([]float64, r.N), make([]float64, len(r.Kernels))
	err := r.grad.Pass(ended, set, delta, r.alpha, r.theta, combined, v)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			r.Fatalf("a pass whose context has ended: %v", err)
		}
		r.must(r.grad.Pass(r.Context(), set, delta, r.alpha, r.theta, combined, v))
	}
	r.compareWith(combined, v, set, delta)
}

// model: the Hessian with and without ranks, and directions.
func model(r *runner) {
	r.advance()
	for _, ranked := range []bool{false, true} {
		set, d := r.change(nil)
		r.pass(r.Context(), set, d)
		q := len(set)
		var rank []float64
		entry := 0.0
		for m := range r.theta {
			entry += r.theta[m] * r.size[m]
		}
		if ranked {
			for m := range r.theta {
				rank = append(rank, r.rng.NormFloat64()/(1+r.size[m]*r.moved))
				entry += math.Abs(rank[m]) * r.size[m] * r.moved * r.size[m] * r.moved
			}
		}
		got, want := make([]float64, q*q), make([]float64, q*q)
		r.must(r.grad.Hessian(r.Context(), set, r.theta, rank, got))
		r.must(r.want.Hessian(r.Context(), set, r.theta, rank, want))
		r.compare("Hessian", got, want, func(int) float64 { return entry })
		b, c, wantB, wantC := r.perKernel(), r.perKernel(), r.perKernel(), r.perKernel()
		r.must(r.grad.Directions(r.Context(), set, d, b, c))
		r.must(r.want.Directions(r.Context(), set, d, wantB, wantC))
		r.compare("d'g", b, wantB, r.energyScale)
		r.compare("d'Kd", c, wantC, r.energyScale)
	}
}

// rebuild: gradients again, in either precision, from another alpha than the passes have led to.
func rebuild(r *runner) {
	r.advance()
	for _, double := range []bool{false, true} {
		r.change(nil)
		r.must(r.grad.Rebuild(r.Context(), r.alpha, double))
		r.must(r.want.Rebuild(r.Context(), r.alpha, double))
		if double {
			r.tolerance = r.Double
		}
		r.advance()
	}
}
