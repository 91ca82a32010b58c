package mixture

import (
	"math"
	"math/rand/v2"
	"testing"
)

// plane is a problem of mixtures of maximum likelihood on points of the plane, in the space of the linear
// kernel, which is the plane itself.
func plane(points [][2]float64, positive []bool, components int, gap float64) (*Problem, *dense) {
	n := len(points)
	p := &Problem{Positive: positive, First: components, Kernels: make([]int, 2*components), Likelihood: true, Gap: gap}
	d := &dense{of: p.Kernels, n: n, kernels: make([][]float64, 1)}
	for _, x := range points {
		p.Cost = append(p.Cost, 1)
		for _, z := range points {
			d.kernels[0] = append(d.kernels[0], x[0]*z[0]+x[1]*z[1])
		}
	}
	for range p.Kernels {
		for t := range n {
			p.Diagonal = append(p.Diagonal, d.kernels[0][t*n+t])
		}
	}
	return p, d
}

// TestLikelihoodOfPoints: values of the solver for mixtures in the space of a kernel agree with formulas
// with means and distances, EM never lowers the likelihood, and clusters that are separate are the
// components.
func TestLikelihoodOfPoints(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(29, 1))
	var points [][2]float64
	var positive []bool
	for i := range 80 {
		at := [][2]float64{{0, 0}, {8, 1}, {-3, 9}, {4, -7}}[i%4]
		points = append(points, [2]float64{at[0] + rng.NormFloat64(), at[1] + rng.NormFloat64()})
		positive = append(positive, i%4 < 2)
	}
	p, d := plane(points, positive, 2, 1e-10)
	p.Cost[0], p.Cost[1] = 3, 0.5
	s := solve(t, p, d, 6)
	if !s.Reached {
		t.Fatalf("a gap of %g after %d rounds", (s.Primal-s.Dual)/s.Dual, s.Rounds)
	}
	objective := 0.0
	for _, class := range []bool{true, false} {
		var shares [2]float64
		var means [2][2]float64
		total := 0.0
		for i, x := range points {
			if positive[i] != class {
				continue
			}
			total += p.Cost[i]
			for c := range 2 {
				q := p.Cost[i] * s.Q[2*i+c]
				shares[c] += q
				means[c][0] += q * x[0]
				means[c][1] += q * x[1]
			}
		}
		for i, x := range points {
			if positive[i] != class {
				continue
			}
			sum := 0.0
			for c := range 2 {
				a, b := x[0]-means[c][0]/shares[c], x[1]-means[c][1]/shares[c]
				sum += shares[c] / total * math.Exp(-(a*a+b*b)/2)
			}
			objective -= p.Cost[i] * math.Log(sum)
		}
		// Ten rows of a cluster are of one component.
		for i := range points {
			if positive[i] == class && math.Abs(s.Q[2*i]-0.5) < 0.4 {
				t.Errorf("row %d is of both components: %v", i+1, s.Q[2*i:2*i+2])
			}
		}
	}
	if math.Abs(objective-s.Objective) > 1e-9*objective {
		t.Errorf("objective %.12g, points give %.12g", s.Objective, objective)
	}
}

// TestLikelihoodFalls: F is never below J, and no step raises either, with several kernels, rows that count
// more and own components that are known in part.
func TestLikelihoodFalls(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 30))
		p, d := random(60, []int{0, 1, 2, 0, 1}, 3, 1, 1e-9, false)
		p.Likelihood = true
		for i := range p.Cost {
			p.Cost[i] = 0.2 + rng.Float64()
		}
		if seed%2 == 0 {
			p.Observed = make([]int32, 60)
			for i := range 20 {
				p.Observed[i] = int32(1 + rng.IntN(2))
			}
		}
		last := math.Inf(1)
		s, err := NewSolver(p, d, Options{Restarts: 1, Rounds: 30, Seed: seed, Tell: func(q Progress) error {
			slack := 1e-10 * (math.Abs(q.Dual) + 60)
			if q.Dual > q.Primal+slack || q.Primal > last+slack {
				t.Errorf("seed %d, step %d: F %.12g, J %.12g, J before %.12g", seed, q.Round, q.Primal, q.Dual, last)
			}
			last = q.Dual
			return nil
		}}).Run(t.Context())
		if err != nil || s.Rounds > 30 || s.Objective != s.Dual {
			t.Errorf("seed %d: %+v %v", seed, s, err)
		}
	}
}

// TestLikelihoodOfKnownComponents has a closed form: means of the rows of each component.
func TestLikelihoodOfKnownComponents(t *testing.T) {
	t.Parallel()
	points := [][2]float64{{0, 0}, {2, 0}, {5, 5}, {1, 1}, {3, 1}, {7, 7}}
	p, d := plane(points, []bool{true, true, true, false, false, false}, 2, 1e-9)
	p.Observed = []int32{1, 1, 2, 1, 1, 2}
	s := solve(t, p, d, 8)
	// Two rows of three lie at a distance of 1 from the mean of their component.
	want := 2 * (2*(0.5-math.Log(2.0/3)) - math.Log(1.0/3))
	if math.Abs(s.Primal-want) > 1e-12 || s.Dual != s.Primal || s.Rounds != 1 || s.Start != 1 || !s.Reached {
		t.Errorf("%+v, want %.15g in one step", s, want)
	}
}
