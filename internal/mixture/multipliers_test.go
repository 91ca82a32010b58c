package mixture

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// drawn is a state of a random problem with random l, q and e.
func drawn(seed uint64, drop bool) *state {
	rng := rand.New(rand.NewPCG(seed, 32))
	p, d := random(12, []int{0, 1, 2, 0, 1}, 2+int(seed%2), 1, 1e-6, drop)
	s := newState(p)
	for t := range s.Positive {
		p.Cost[t] = 0.5 + rng.Float64()
		draw(rng, s.q.of(t))
		for j := range s.l.of(t) {
			s.l.of(t)[j] = rng.Float64() / 4
		}
	}
	for c := range s.e {
		s.e[c] = rng.NormFloat64()
	}
	s.q.settle()
	s.weigh(s.q, s.l)
	if err := d.Rebuild(context.Background(), s.w, s.f); err != nil {
		panic(err)
	}
	return s
}

// TestBarrierDerivatives: gradient and Hessian of the hinges with a barrier agree with differences, and the
// value is close to the value of the hinges where the barrier is low.
func TestBarrierDerivatives(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		drop := seed%4 < 2
		s := drawn(seed, drop)
		k, mu := len(s.e), math.Pow(10, -float64(seed%3))
		gradient, hessian := make([]float64, k), mat.NewSymDense(k, nil)
		smooth := barrier{s.hinges, mu}
		smooth.at(s.e, gradient, hessian)
		low, high, rest := make([]float64, k), make([]float64, k), mat.NewSymDense(k, nil)
		for c := range k {
			const h = 1e-5
			at := func(by float64, g []float64) float64 {
				e := append([]float64(nil), s.e...)
				e[c] += by
				return smooth.at(e, g, rest)
			}
			up, down := at(h, high), at(-h, low)
			if slope := (up - down) / (2 * h); math.Abs(slope-gradient[c]) > 1e-6*(1+math.Abs(slope)) {
				t.Errorf("seed %d, drop %v: slope %d is %.9g, differences give %.9g", seed, drop, c, gradient[c], slope)
			}
			for d := range k {
				if bend := (high[d] - low[d]) / (2 * h); math.Abs(bend-hessian.At(c, d)) > 1e-5*(1+math.Abs(bend)) {
					t.Errorf("seed %d, drop %v: second derivative %d %d is %.9g, differences give %.9g", seed, drop, c, d, hessian.At(c, d), bend)
				}
			}
		}
		terms := float64(len(s.Cost) * (1 + s.width()))
		if off := (barrier{s.hinges, 1e-9}).at(s.e, nil, nil) - s.hinges.losses(s.e); math.Abs(off) > 1e-9*terms*40 {
			t.Errorf("seed %d, drop %v: a low barrier is off by %g", seed, drop, off)
		}
	}
}

// TestBestMultipliers: no multipliers near the best give a lower P.
func TestBestMultipliers(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		s := drawn(seed, seed%4 < 2)
		s.e.improve(s.hinges, nil, math.Inf(1))
		best := s.hinges.losses(s.e)
		rng := rand.New(rand.NewPCG(seed, 33))
		slack := s.Gap * (s.norm()/2 + best)
		for range 20000 {
			e, far := append([]float64(nil), s.e...), math.Pow(10, 1-5*rng.Float64())
			for c := range e {
				if rng.IntN(2) == 0 {
					e[c] += far * rng.NormFloat64()
				}
			}
			if loss := s.hinges.losses(e); loss < best-slack {
				t.Errorf("seed %d: %.12g at the best multipliers, %.12g at others", seed, best, loss)
				break
			}
		}
	}
}
