package chunking

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// norms are the block norms that every fact is tested for.
var norms = []float64{1, 1.01, 1.0667, 4.0 / 3, 2, 3, 8, math.Inf(1)}

// random returns a generator whose seed is shown if the test fails.
func random(t testing.TB, seed uint64) *rand.Rand {
	t.Helper()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

func near(a, b, relative float64) bool {
	return a == b || math.Abs(a-b) <= relative*max(math.Abs(a), math.Abs(b))
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, x := range a {
		s += float64(x * b[i]) // no fused multiply-add: the traces are the same on every machine
	}
	return s
}

// normOf is ||v||_p by the definition.
func normOf(v []float64, p float64) float64 {
	if math.IsInf(p, 1) {
		return slices.Max(v)
	}
	s := 0.0
	for _, x := range v {
		s += math.Pow(x, p)
	}
	return math.Pow(s, 1/p)
}

// dense is a Gradient made of kernel matrices, each method by its definition.
type dense struct {
	n int
	k [][]float64 // per kernel, n x n
	g [][]float64
	// What the solver asked for.
	sets   []int // sizes of the working sets of the passes
	double bool
}

func newDense(n int, k [][]float64) *dense {
	d := &dense{n: n, k: k}
	for range k {
		d.g = append(d.g, make([]float64, n))
	}
	return d
}

func (d *dense) Hessian(_ context.Context, set []int, theta, rank, h []float64) error {
	clear(h)
	q := len(set)
	for m, k := range d.k {
		for a, i := range set {
			for b, j := range set {
				h[a*q+b] += float64(theta[m] * k[i*d.n+j])
				if rank != nil {
					h[a*q+b] += float64(rank[m] * d.g[m][i] * d.g[m][j])
				}
			}
		}
	}
	return nil
}

func (d *dense) Directions(_ context.Context, set []int, dir, b, c []float64) error {
	for m, k := range d.k {
		b[m], c[m] = 0, 0
		for a, i := range set {
			b[m] += float64(dir[a] * d.g[m][i])
			for e, j := range set {
				c[m] += float64(dir[a] * k[i*d.n+j] * dir[e])
			}
		}
	}
	return nil
}

func (d *dense) Pass(_ context.Context, set []int, delta, alpha, theta, combined, v []float64) error {
	d.sets = append(d.sets, len(set))
	clear(combined)
	for m, k := range d.k {
		for a, i := range set {
			for j := range d.g[m] {
				d.g[m][j] += float64(delta[a] * k[i*d.n+j])
			}
		}
		for j, x := range d.g[m] {
			combined[j] += float64(theta[m] * x)
		}
		v[m] = dot(alpha, d.g[m])
	}
	return nil
}

func (d *dense) Rebuild(_ context.Context, alpha []float64, double bool) error {
	d.double = double
	for m, k := range d.k {
		for i := range d.n {
			d.g[m][i] = dot(k[i*d.n:(i+1)*d.n], alpha)
		}
	}
	return nil
}

func (d *dense) Scale(c float64) {
	for _, g := range d.g {
		for i := range g {
			g[i] *= c
		}
	}
}

// problem is a training problem with its kernel matrices.
type problem struct {
	name       string
	y, cost    []float64
	k          [][]float64
	indefinite []bool
}

func (p *problem) solver(norm, gap float64) (*Solver, *BlockNorm, *dense) {
	d := newDense(len(p.y), p.k)
	b := NewBlockNorm(norm, p.indefinite)
	return New(len(p.y), len(p.k), hinge(p.y, p.cost), b, d, gap, Tuning{}), b, d
}

// energies gives V_m = alpha'K_m alpha.
func (p *problem) energies(alpha []float64) []float64 {
	n := len(alpha)
	v := make([]float64, len(p.k))
	for m, k := range p.k {
		for i, a := range alpha {
			v[m] += a * dot(k[i*n:(i+1)*n], alpha)
		}
	}
	return v
}

// dual is D(alpha), recomputed.
func (p *problem) dual(norm float64, alpha, theta []float64) float64 {
	v := p.energies(alpha)
	for m, x := range v {
		v[m] = math.Sqrt(max(x, 0))
		if p.indefinite != nil && p.indefinite[m] && theta[m] == 0 {
			v[m] = 0 // left out
		}
	}
	r := normOf(v, conjugateOf(norm))
	return dot(p.y, alpha) - r*r/2
}

// primal is P(theta, alpha, b), recomputed.
func (p *problem) primal(norm float64, alpha, theta []float64, bias float64) float64 {
	n := len(alpha)
	w := p.energies(alpha)
	for m, x := range w {
		w[m] = theta[m] * math.Sqrt(max(x, 0))
	}
	r := normOf(w, norm)
	s := r * r / 2
	for i, y := range p.y {
		f := bias
		for m, k := range p.k {
			f += theta[m] * dot(k[i*n:(i+1)*n], alpha)
		}
		s += p.cost[i] * max(0, 1-y*f)
	}
	return s
}

func conjugateOf(p float64) float64 {
	switch {
	case p == 1:
		return math.Inf(1)
	case math.IsInf(p, 1):
		return 1
	}
	return p / (p - 1)
}

// feasible complains where alpha is outside its box or does not sum to zero.
func (p *problem) feasible(t *testing.T, alpha []float64) {
	t.Helper()
	sum, total := 0.0, 0.0
	for i, a := range alpha {
		if b := p.y[i] * a; !(b >= 0 && b <= p.cost[i]) {
			t.Errorf("alpha[%d] = %g is outside its box: y = %g, C = %g", i, a, p.y[i], p.cost[i])
		}
		sum += a
		total += math.Abs(a)
	}
	if !(math.Abs(sum) <= 1e-10*total) {
		t.Errorf("alpha sums to %g, |alpha| to %g", sum, total)
	}
}

// hinge is the loss for labels y and a cost of each point.
func hinge(y, cost []float64) *Hinge {
	sign := make([]int8, len(y))
	for i, v := range y {
		sign[i] = int8(v)
	}
	return NewHinge(sign, [2]float64{1, 1}, cost)
}

func (d *dense) Mix(_ context.Context, set []int, row []int32, factor, mixed []float64) error {
	clear(mixed)
	for m, r := range row {
		if r < 0 {
			continue
		}
		for a, i := range set {
			mixed[int(r)*len(set)+a] += float64(factor[m] * d.g[m][i])
		}
	}
	return nil
}
