package mixture

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// dense are spaces of matrices in memory, by kernel.
type dense struct {
	kernels [][]float64
	of      []int // kernel of each component
	n       int
}

func (d *dense) Rebuild(_ context.Context, w, f []float64) error {
	for c, k := range d.of {
		for t := range d.n {
			sum := 0.0
			for u := range d.n {
				sum += d.kernels[k][t*d.n+u] * w[c*d.n+u]
			}
			f[c*d.n+t] = sum
		}
	}
	return nil
}

func (d *dense) Move(ctx context.Context, rows []int, delta, w, f []float64) error {
	for c, k := range d.of {
		for i, u := range rows {
			for t := range d.n {
				f[c*d.n+t] += d.kernels[k][t*d.n+u] * delta[c*len(rows)+i]
			}
		}
	}
	return nil
}

func (d *dense) Block(_ context.Context, kernel int, rows []int, h []float64) error {
	for i, t := range rows {
		for j, u := range rows {
			h[i*len(rows)+j] = d.kernels[kernel][t*d.n+u]
		}
	}
	return nil
}

// random is a problem of n rows on the plane with Gaussian and linear kernels.
func random(n int, kernels []int, first int, cost, gap float64, drop bool) (*Problem, *dense) {
	r := rand.New(rand.NewPCG(7, 1))
	x, y := make([]float64, n), make([]float64, n)
	p := &Problem{Kernels: kernels, First: first, Drop: drop, Gap: gap}
	for t := range n {
		p.Positive = append(p.Positive, t%2 == 0)
		x[t], y[t] = r.NormFloat64(), r.NormFloat64()
		if p.Positive[t] {
			x[t]++
		}
		p.Cost = append(p.Cost, cost)
	}
	d := &dense{of: kernels, n: n, kernels: make([][]float64, 3)}
	for t := range n {
		for u := range n {
			s := (x[t]-x[u])*(x[t]-x[u]) + (y[t]-y[u])*(y[t]-y[u])
			dot := x[t]*x[u] + y[t]*y[u]
			d.kernels[0] = append(d.kernels[0], math.Exp(-s))
			d.kernels[1] = append(d.kernels[1], dot)
			d.kernels[2] = append(d.kernels[2], (1+dot)*(1+dot))
		}
	}
	for _, k := range kernels {
		for t := range n {
			p.Diagonal = append(p.Diagonal, d.kernels[k][t*n+t])
		}
	}
	return p, d
}

func solve(t *testing.T, p *Problem, d *dense, restarts int) *Solution {
	t.Helper()
	s, err := NewSolver(p, d, Options{
		Restarts: restarts, Rounds: 50, Seed: 3,
		Along: func(r *rand.Rand, to []float64) {
			for i := range to {
				to[i] = r.Float64()
			}
		},
		Tell: func(q Progress) error {
			t.Logf("%+v", q)
			return nil
		},
	}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTwoRows(t *testing.T) {
	// One component a side and two rows at a squared distance of 2(1-k): l = min(C, 2/(1-k)) solves
	// max 4 l - l^2 (2 - 2k).
	p := &Problem{Kernels: []int{0, 0}, First: 1, Positive: []bool{true, false}, Cost: []float64{100, 100},
		Diagonal: []float64{1, 1, 1, 1}, Gap: 1e-9}
	k := 0.25
	d := &dense{of: p.Kernels, n: 2, kernels: [][]float64{{1, k, k, 1}}}
	s := solve(t, p, d, 1)
	l := 1 / (1 - k)
	if want := 4*l - l*l*(2-2*k); math.Abs(s.Dual-want) > 1e-6 || math.Abs(s.Totals[0]-l) > 1e-4 {
		t.Fatalf("dual %v, want %v; l = %v, want %v", s.Dual, want, s.Totals, l)
	}
}

func TestProjectionsReachTheirGap(t *testing.T) {
	for _, drop := range []bool{false, true} {
		for _, cost := range []float64{1, 10, 1000} {
			for _, n := range []int{40, 400} {
				p, d := random(n, []int{0, 1, 2, 0, 1, 2}, 3, cost, 1e-5, drop)
				for i := range n {
					p.Observed = append(p.Observed, int32(i%3+1))
				}
				s := solve(t, p, d, 1)
				if !s.Reached {
					t.Errorf("drop %v C %v n %d: primal %v dual %v", drop, cost, n, s.Primal, s.Dual)
				}
			}
		}
	}
}

func TestHidden(t *testing.T) {
	p, d := random(120, []int{0, 1, 2, 0, 1, 2}, 3, 10, 1e-4, false)
	s := solve(t, p, d, 3)
	if !s.Reached {
		t.Errorf("primal %v dual %v", s.Primal, s.Dual)
	}
}
