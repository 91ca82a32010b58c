package barrier

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func random(t *testing.T, seed uint64) *rand.Rand {
	t.Helper()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 18))
}

// gram is A'A of a random matrix, with ridge on its diagonal.
func gram(rng *rand.Rand, n int, ridge float64) *mat.SymDense {
	a := mat.NewDense(n, n, nil)
	a.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, a)
	s := mat.NewSymDense(n, nil)
	s.SymOuterK(1, a)
	for i := range n {
		s.SetSym(i, i, s.At(i, i)+ridge)
	}
	return s
}

func diagonal(n int, x float64) *mat.DiagDense {
	d := mat.NewDiagDense(n, nil)
	for i := range n {
		d.SetDiag(i, x)
	}
	return d
}

func ones(n int, x float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = x
	}
	return v
}

func solved(t *testing.T, p *Program, start []float64) *Solution {
	t.Helper()
	s, err := p.Solve(context.Background(), start, 1e-9)
	if err != nil {
		t.Fatalf("%v: %+v", err, s)
	}
	return s
}

// TestClosedForms: programs of which the optimum is known.
func TestClosedForms(t *testing.T) {
	rng := random(t, 1)
	const n = 7
	a, b := gram(rng, n, 0.1), make([]float64, n)
	length, absolute, least := 0.0, 0.0, math.Inf(1)
	for j := range b {
		b[j] = rng.NormFloat64()
		length, absolute, least = length+b[j]*b[j], absolute+math.Abs(b[j]), min(least, b[j])
	}
	length = math.Sqrt(length)
	var eigen mat.EigenSym
	if !eigen.Factorize(a, false) {
		t.Fatal("no eigenvalues")
	}
	var root mat.Cholesky
	root.Factorize(a)
	y := mat.NewVecDense(n, nil)
	if err := root.SolveVecTo(y, mat.NewVecDense(n, b)); err != nil {
		t.Fatal(err)
	}
	inverse := mat.Dot(y, mat.NewVecDense(n, b))
	all := make([]int, n)
	for j := range all {
		all[j] = j
	}
	bordered := mat.NewSymDense(n+1, nil)
	for i := range n {
		bordered.SetSym(i, n, b[i])
		for j := range i + 1 {
			bordered.SetSym(i, j, a.At(i, j))
		}
	}
	outer, negative := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	outer.SymRankOne(outer, -1, mat.NewVecDense(n, b))
	negative.ScaleSym(-1, a)
	var each []Coefficient
	for j := range n {
		each = append(each, Coefficient{j, j, diagonal(1, 1)})
	}
	for _, c := range []struct {
		name  string
		p     Program
		start []float64
		want  float64
	}{
		{"the least of some numbers, as their mixture", Program{Variables: n, Objective: Quadratic{Linear: b}, NonNegative: all, Equalities: []Equality{{ones(n, 1), 1}}}, ones(n, 1.0/n), least},
		{"a linear function on a ball", Program{Variables: n, Objective: Quadratic{Linear: b}, Quadratics: []Quadratic{{Terms: []Term{{0, diagonal(n, 2)}}, Constant: -1}}}, ones(n, 0), -length},
		{"a quadratic function", Program{Variables: n, Objective: Quadratic{Terms: []Term{{0, a}}, Linear: b}, Quadratics: []Quadratic{{Terms: []Term{{0, diagonal(n, 1)}}, Constant: -1e4}}}, ones(n, 1), -inverse / 2},
		{"the largest eigenvalue", Program{Variables: 1, Objective: Quadratic{Linear: []float64{1}}, Matrices: []Matrix{{Size: n, Constant: negative, Coefficients: []Coefficient{{0, 0, diagonal(n, 1)}}}}}, []float64{100}, eigen.Values(nil)[n-1]},
		{"a Schur complement", Program{Variables: 1, Objective: Quadratic{Linear: []float64{1}}, Matrices: []Matrix{{Size: n + 1, Constant: bordered, Coefficients: []Coefficient{{0, n, diagonal(1, 1)}}}}}, []float64{2*inverse + 1}, inverse},
		{"a diagonal above a matrix of rank one", Program{Variables: n, Objective: Quadratic{Linear: ones(n, 1)}, Matrices: []Matrix{{Size: n, Constant: outer, Coefficients: each}}}, ones(n, 100), absolute * absolute},
	} {
		s := solved(t, &c.p, c.start)
		if math.Abs(s.Value-c.want) > 1e-7*math.Abs(c.want) || s.Bound > 1e-9*math.Abs(s.Value) {
			t.Errorf("%s: %.12g within %g after %d steps, want %.12g", c.name, s.Value, s.Bound, s.Steps, c.want)
		}
	}
}

// TestRandomPrograms: the multipliers prove that no point is better. The Lagrangian is convex with at least the curvature of the objective. So its
// least value is at most |gradient|^2 / (2 curvature) below the value at the solution; and it is at most the objective wherever the constraints hold.
func TestRandomPrograms(t *testing.T) {
	for seed := range uint64(60) {
		rng := random(t, seed)
		n := 2 + rng.IntN(9)
		start := make([]float64, n)
		for j := range start {
			start[j] = 0.2 + rng.Float64()
		}
		vector := func() []float64 {
			v := make([]float64, n)
			for j := range v {
				v[j] = rng.NormFloat64()
			}
			return v
		}
		const curvature = 0.1
		p := &Program{Variables: n, Objective: Quadratic{Terms: []Term{{0, gram(rng, n, curvature)}}, Linear: vector(), Constant: rng.NormFloat64()}}
		for j := range n {
			if rng.IntN(2) == 0 {
				p.NonNegative = append(p.NonNegative, j)
			}
		}
		for range rng.IntN(4) {
			at := rng.IntN(n)
			q := Quadratic{Terms: []Term{{at, gram(rng, n-at, 0)}}, Linear: vector()}
			q.Constant = -q.At(start) - 0.1 - rng.Float64()
			p.Quadratics = append(p.Quadratics, q)
		}
		for range rng.IntN(3) {
			size := 1 + rng.IntN(5)
			m := Matrix{Size: size, Constant: mat.NewSymDense(size, nil)}
			for range 1 + rng.IntN(2*n) {
				at := rng.IntN(size)
				f := gram(rng, size-at, 0)
				f.ScaleSym(1-2*float64(rng.IntN(2)), f)
				m.Coefficients = append(m.Coefficients, Coefficient{rng.IntN(n), at, f})
			}
			// The constant makes the matrix definite at the start.
			least, inside := m.At(start), gram(rng, size, 0.1)
			least.ScaleSym(-1, least)
			inside.AddSym(inside, least)
			m.Constant = inside
			p.Matrices = append(p.Matrices, m)
		}
		for range rng.IntN(min(3, n)) {
			e := Equality{Coefficients: vector()}
			e.Value, _ = e.left(start)
			p.Equalities = append(p.Equalities, e)
		}
		s, err := p.Solve(context.Background(), start, 1e-8)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if _, ok := p.barrier(s.X); !ok || !p.holds(s.X, 1e-9) {
			t.Errorf("seed %d: the solution fulfils not all constraints", seed)
		}
		gradient, bound := make([]float64, n), s.Value
		p.Objective.AddGradient(1, s.X, gradient)
		for i, j := range p.NonNegative {
			gradient[j] -= s.NonNegative[i]
			bound -= s.NonNegative[i] * s.X[j]
		}
		for i := range p.Quadratics {
			p.Quadratics[i].AddGradient(s.Quadratics[i], s.X, gradient)
			bound += s.Quadratics[i] * p.Quadratics[i].At(s.X)
		}
		for i := range p.Matrices {
			var c mat.Cholesky
			if !c.Factorize(s.Matrices[i]) {
				t.Errorf("seed %d: a multiplier is not positive definite", seed)
			}
			whole := Coefficient{F: p.Matrices[i].At(s.X)}
			bound -= whole.Inner(s.Matrices[i])
			for _, f := range p.Matrices[i].Coefficients {
				gradient[f.Variable] -= f.Inner(s.Matrices[i])
			}
		}
		for k, e := range p.Equalities {
			for j, a := range e.Coefficients {
				gradient[j] += s.Equalities[k] * a
			}
		}
		square := 0.0
		for _, g := range gradient {
			square += g * g
		}
		bound -= square / (2 * curvature)
		if !(s.Value-bound <= 1e-6*(1+math.Abs(s.Value))) {
			t.Errorf("seed %d: value %.12g, its multipliers prove %.12g", seed, s.Value, bound)
		}
	}
}

// TestNoInnerStart: a start on the boundary, outside of it, or off the equality is rejected, and a context that is done ends the method.
func TestNoInnerStart(t *testing.T) {
	p := &Program{Variables: 2, Objective: Quadratic{Linear: ones(2, 1)}, NonNegative: []int{0, 1}, Equalities: []Equality{{ones(2, 1), 1}}}
	for _, start := range [][]float64{{0, 1}, {-1, 2}, {0.5, 0.6}} {
		if s, err := p.Solve(context.Background(), start, 1e-6); !errors.Is(err, ErrStart) || s != nil {
			t.Errorf("start %v: %v, %v", start, s, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Solve(ctx, ones(2, 0.5), 1e-6); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done: %v", err)
	}
}
