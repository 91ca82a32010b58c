package mixture

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"bigmkl/internal/testlevel"
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

// TestTwoRows has a closed form.
func TestTwoRows(t *testing.T) {
	t.Parallel()
	// One component a side and two rows at a squared distance of 2(1-k): l = 1/(1-k) solves
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

// TestProjectionsReachTheirGap: problems of one chunk and of several, with and without the entropy.
func TestProjectionsReachTheirGap(t *testing.T) {
	t.Parallel()
	for i, drop := range []bool{false, true} {
		for j, cost := range []float64{1, 100} {
			for _, n := range []int{40, 210} {
				if n > 40 && !testlevel.Diagonal(t, 2*i, j, 8, 4) {
					continue
				}
				p, d := random(n, []int{0, 1, 2, 0, 1, 2}, 3, cost, 1e-5, drop)
				for i := range n {
					p.Observed = append(p.Observed, int32(i%3+1))
				}
				s := solve(t, p, d, 8)
				if !s.Reached || s.Start != 1 || s.Rounds != 1 || s.Change != 0 {
					t.Errorf("drop %v C %v n %d: primal %v dual %v", drop, cost, n, s.Primal, s.Dual)
				}
				sums(t, p, s)
			}
		}
	}
}

// sums checks that l and w are feasible.
func sums(t *testing.T, p *Problem, s *Solution) {
	t.Helper()
	n := p.rows()
	for c := range p.Kernels {
		sum, size := 0.0, 0.0
		for _, w := range s.Weights[c*n : (c+1)*n] {
			sum += w
			size += math.Abs(w)
		}
		if math.Abs(sum) > 1e-10*size {
			t.Errorf("w of component %d sums to %g of %g", c, sum, size)
		}
	}
	for i, l := range s.Totals {
		if !(l >= 0 && l <= p.Cost[i]*(1+1e-12)) {
			t.Errorf("l of row %d is %g of %g", i, l, p.Cost[i])
		}
	}
}

// TestPrimalNeverRises: P after a softmax is not above P before it, and neither is P of the next
// projection above P after the softmax, beyond the gap.
func TestPrimalNeverRises(t *testing.T) {
	t.Parallel()
	for _, drop := range testlevel.Some(t, "", 1, []bool{false, true}) {
		n := 40
		if testlevel.Reached(testlevel.EveryKind) {
			n = 60
		}
		p, d := random(n, []int{0, 1, 2, 0, 1, 2}, 3, 10, 1e-4, drop)
		before, round, restart := 0.0, 0, -1
		var last Progress
		s, err := NewSolver(p, d, Options{
			Restarts: 3, Rounds: 30, Seed: 3,
			Along: func(r *rand.Rand, to []float64) {
				for i := range to {
					to[i] = r.Float64()
				}
			},
			Tell: func(q Progress) error {
				if q.Restart != restart {
					restart, round, before = q.Restart, q.Round, math.Inf(1)
				}
				if q.Round != round {
					if last.Primal > before*(1+2*p.Gap) {
						t.Errorf("P rises from %g to %g in round %d", before, last.Primal, round)
					}
					round, before = q.Round, last.Primal
				}
				last = q
				return nil
			},
		}).Run(t.Context())
		if err != nil || !s.Reached || s.Objective > s.Primal {
			t.Errorf("%v, primal %v, objective %v", err, s.Primal, s.Objective)
		}
		sums(t, p, s)
	}
}

// TestOneComponent: one component a side is a support vector machine of twice the dual value, for which
// the totals sum to the same on both sides and nothing is hidden.
func TestOneComponent(t *testing.T) {
	t.Parallel()
	p, d := random(30, []int{0, 0}, 1, 5, 1e-7, false)
	if !p.AllObserved() {
		t.Error("a component that is the only one is hidden")
	}
	s := solve(t, p, d, 8)
	// The dual value of the classifier at alpha = l is 1/2 of D: sum alpha - 1/2 (y alpha)'K (y
	// alpha).
	dual := 0.0
	for i, a := range s.Totals {
		dual += a
		for j, b := range s.Totals {
			sign := 1.0
			if p.Positive[i] != p.Positive[j] {
				sign = -1
			}
			dual -= sign * a * b * d.kernels[0][i*30+j] / 2
		}
	}
	if math.Abs(s.Dual-2*dual) > 1e-9*s.Dual {
		t.Errorf("dual %v, twice that of the classifier %v", s.Dual, 2*dual)
	}
}
