package chunking

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// defined is a norm with both of its sides by their definitions.
type defined struct {
	name         string
	make         func(indefinite []bool) Regularizer
	primal, dual func(x []float64) float64 // of the vectors of ||w_m|| and ||v_m||
}

// nestedNorm is the p-norm over groups of q-norms.
func nestedNorm(x []float64, group []int32, p, q float64) float64 {
	by := make([][]float64, slices.Max(group)+1)
	for m, j := range group {
		by[j] = append(by[j], x[m])
	}
	var lengths []float64
	for _, g := range by {
		lengths = append(lengths, normOf(g, q))
	}
	return normOf(lengths, p)
}

// groups puts m kernels in as many groups as there are kernels by three.
func groups(m int) []int32 {
	g := make([]int32, m)
	for i := range g {
		g[i] = int32(i % ((m + 2) / 3))
	}
	return g
}

// interactions draws a matrix that gives a norm.
func interactions(rng *rand.Rand, m int) []float64 {
	e := make([]float64, m*m)
	b := make([]float64, m*m)
	for i := range b {
		b[i] = rng.Float64()
	}
	for i := range m {
		for j := range i + 1 {
			s := dot(b[i*m:(i+1)*m], b[j*m:(j+1)*m]) / float64(m)
			if i == j {
				s += 0.1
			}
			e[i*m+j], e[j*m+i] = s, s
		}
	}
	return e
}

// quadraticNorm gives (x'Ex)^(1/2), and (x'E^-1 x)^(1/2) where E^-1 x >= 0; else the minimum over larger vectors, by coordinates.
func quadraticNorm(e []float64) (primal, dual func(x []float64) float64) {
	n := order(e)
	sym := mat.NewSymDense(n, slices.Clone(e))
	var inverse mat.Dense
	if err := inverse.Inverse(sym); err != nil {
		panic(err)
	}
	form := func(a mat.Matrix, x []float64) float64 {
		return mat.Inner(mat.NewVecDense(n, x), a, mat.NewVecDense(n, x))
	}
	dual = func(x []float64) float64 { return math.Sqrt(form(sym, x)) }
	primal = func(w []float64) float64 {
		s := slices.Clone(w)
		for range 20000 {
			most := 0.0
			for m := range s {
				rest := 0.0
				for l := range s {
					if l != m {
						rest += inverse.At(m, l) * s[l]
					}
				}
				best := max(w[m], -rest/inverse.At(m, m))
				most = max(most, math.Abs(best-s[m]))
				s[m] = best
			}
			if most <= 1e-15*slices.Max(s) {
				break
			}
		}
		return math.Sqrt(form(&inverse, s))
	}
	return primal, dual
}

// defineds lists norms for m kernels.
func defineds(rng *rand.Rand, m int) []defined {
	var all []defined
	add := func(d defined) {
		all = append(all, d)
		e := make([]float64, m)
		for i := range e {
			e[i] = math.Exp(rng.NormFloat64())
		}
		inner := d
		d.name += " weighted"
		d.make = func(x []bool) Regularizer { return NewWeighted(inner.make(x), e) }
		d.primal = func(w []float64) float64 { return inner.primal(divided(w, e, -0.5)) }
		d.dual = func(v []float64) float64 { return inner.dual(divided(v, e, 0.5)) }
		all = append(all, d)
	}
	for _, p := range []float64{1, 4.0 / 3, 2, 3, math.Inf(1)} {
		for _, q := range []float64{1, 4.0 / 3, 2, 3, math.Inf(1)} {
			g := groups(m)
			add(defined{
				name:   fmt.Sprintf("p=%.3g over q=%.3g", p, q),
				make:   func(x []bool) Regularizer { return NewHierarchical(p, q, g, x) },
				primal: func(w []float64) float64 { return nestedNorm(w, g, p, q) },
				dual:   func(v []float64) float64 { return nestedNorm(v, g, conjugateOf(p), conjugateOf(q)) },
			})
		}
	}
	for _, mix := range []float64{0.999, 0.5, 0.01} {
		add(defined{
			name: fmt.Sprintf("elastic net %g", mix),
			make: func(x []bool) Regularizer { return NewElasticNet(mix, x) },
			primal: func(w []float64) float64 {
				return math.Hypot(math.Sqrt(1-mix)*normOf(w, 1), math.Sqrt(mix)*normOf(w, 2))
			},
			dual: func(v []float64) float64 { // the support function, by the best k kernels
				sorted := slices.Clone(v)
				slices.Sort(sorted)
				slices.Reverse(sorted)
				best, one, two := 0.0, 0.0, 0.0
				for k, x := range sorted {
					one += x
					two += x * x
					// v'(lambda I + (1 - lambda) 11')^-1 v, if no part of the solution is below 0
					tau := (1 - mix) * one / (mix + float64(k+1)*(1-mix))
					if x >= tau {
						best = (two - tau*one) / mix
					}
				}
				return math.Sqrt(best)
			},
		})
	}
	for _, p := range []float64{1, 4.0 / 3, 2, 4} {
		const lambda = 0.3
		add(defined{
			name: fmt.Sprintf("squared p=%.3g", p),
			make: func(x []bool) Regularizer { return NewSquared(p, lambda, x) },
			primal: func(w []float64) float64 { // the least over the length s of theta, by golden sections
				n := normOf(w, p)
				value := func(x float64) float64 { s := math.Exp(x); return n*n/s + lambda*s*s }
				low, high := -60.0, 60.0
				for range 200 {
					a, b := high-0.6*(high-low), low+0.6*(high-low)
					if value(a) < value(b) {
						high = b
					} else {
						low = a
					}
				}
				return math.Sqrt(value(low))
			},
			dual: func(v []float64) float64 {
				n := normOf(v, conjugateOf(p))
				return n * n / math.Sqrt(4*lambda)
			},
		})
	}
	e := interactions(rng, m)
	primal, dual := quadraticNorm(e)
	add(defined{name: "interactions", make: func(x []bool) Regularizer { return NewInteraction(e, x) }, primal: primal, dual: dual})
	return all
}

// divided multiplies by e^power.
func divided(x, e []float64, power float64) []float64 {
	r := make([]float64, len(x))
	for m := range x {
		r[m] = x[m] * math.Pow(e[m], power)
	}
	return r
}

func roots(v []float64) []float64 {
	r := make([]float64, len(v))
	for m, x := range v {
		r[m] = math.Sqrt(max(x, 0))
	}
	return r
}

// sharpened takes a norm to the end of its ladder.
func sharpened(n Regularizer, V []float64) Regularizer {
	n.Calibrate(V)
	for n.Sharpen(true) {
	}
	return n
}

// TestDefinitions: the values of both sides are those of the definitions, w'v <= ||w|| ||v||, and equality for the weights.
func TestDefinitions(t *testing.T) {
	rng := random(t, 20)
	for _, m := range []int{1, 2, 5, 9} {
		for _, d := range defineds(rng, m) {
			for range 3 {
				v, w := make([]float64, m), make([]float64, m)
				for i := range v {
					v[i], w[i] = math.Exp(2*rng.NormFloat64()), math.Exp(2*rng.NormFloat64())
				}
				V := divided(v, v, 1)
				n := sharpened(d.make(nil), V)
				theta := make([]float64, m)
				r := n.Weights(theta, V)
				if !near(n.Dual(V), d.dual(v), 1e-11) || !near(r, d.dual(v), 1e-6) {
					t.Errorf("%s, v = %v: ||v|| = %v and %v, by definition %v", d.name, v, r, n.Dual(V), d.dual(v))
				}
				if !near(n.Primal(w), d.primal(w), 1e-9) {
					t.Errorf("%s, w = %v: ||w|| = %v, by definition %v", d.name, w, n.Primal(w), d.primal(w))
				}
				if a, b, c := dot(w, v), n.Primal(w), n.Dual(V); a > (b*b+c*c)/2*(1+1e-12) {
					t.Errorf("%s: w'v = %v above 1/2 ||w||^2 + 1/2 ||v||^2 = %v", d.name, a, (b*b+c*c)/2)
				}
				s := scaleOf(n, theta, V)
				for i := range w {
					w[i] = theta[i] / s * v[i]
				}
				if a, b, c := dot(w, v), n.Primal(w), n.Dual(V); !near(a, (b*b+c*c)/2, 1e-5) {
					t.Errorf("%s, v = %v: theta %v, w'v = %v, ||w|| = %v, ||v|| = %v", d.name, v, theta, a, b, c)
				}
			}
		}
	}
}

// TestHessians: weights are the derivatives of the smoothed norm, and the Hessian its second derivative along any direction.
func TestHessians(t *testing.T) {
	rng := random(t, 21)
	const n, kernels = 6, 7
	p := &problem{}
	for range kernels {
		x := make([][]float64, n)
		for i := range x {
			x[i] = []float64{rng.NormFloat64(), rng.NormFloat64()}
		}
		p.k = append(p.k, linear(x, 0, 2))
	}
	alpha, dir := make([]float64, n), make([]float64, n)
	for i := range alpha {
		alpha[i], dir[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	V := p.energies(alpha)
	for _, d := range defineds(rng, kernels) {
		norm := d.make(nil)
		norm.Calibrate(V)
		g := newDense(n, p.k)
		s := &Solver{norm: norm, grad: g, loss: hinge(slices.Repeat([]float64{1}, n), slices.Repeat([]float64{9}, n)), alpha: alpha, V: V}
		s.theta, s.rank, s.combined = make([]float64, kernels), make([]float64, kernels), make([]float64, n)
		s.set = []int{0, 1, 2, 3, 4, 5}
		if err := g.Rebuild(t.Context(), alpha, true); err != nil {
			t.Fatal(err)
		}
		norm.Weights(s.theta, V)
		for m := range g.g {
			for i, x := range g.g[m] {
				s.combined[i] += s.theta[m] * x
			}
		}
		if err := s.model(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := 0.0
		for i := range n {
			got += dir[i] * dot(s.hessian[i*n:(i+1)*n], dir)
		}
		theta := make([]float64, kernels)
		half := func(step float64) (value, slope float64) {
			moved := slices.Clone(alpha)
			for i := range moved {
				moved[i] += step * dir[i]
			}
			r := norm.Weights(theta, p.energies(moved))
			for m, k := range p.k {
				for i := range n {
					slope += theta[m] * dir[i] * dot(k[i*n:(i+1)*n], moved)
				}
			}
			return r * r / 2, slope
		}
		const h = 1e-5
		difference := func(f func(x float64) float64) float64 {
			return (8*(f(h)-f(-h)) - (f(2*h) - f(-2*h))) / (12 * h)
		}
		_, slope := half(0)
		if want := difference(func(x float64) float64 { v, _ := half(x); return v }); !near(slope, want, 1e-6) {
			t.Errorf("%s: slope %v, by differences %v", d.name, slope, want)
		}
		if want := difference(func(x float64) float64 { _, s := half(x); return s }); !near(got, want, 1e-5) {
			t.Errorf("%s: d'Hd = %v, by differences %v", d.name, got, want)
		}
	}
}

// values recomputes the certificate of a solution by the definitions.
func (p *problem) values(d *defined, r *Solution) (primal, dual float64) {
	n := len(p.y)
	v := roots(p.energies(r.Alpha))
	w := divided(v, r.Theta, 1)
	if d.make(nil).Delicate() { // V_m ~ 1e-15 is rounding, and weights are as large
		w = r.WNorms
	}
	a, b := d.primal(w), d.dual(v)
	primal, dual = a*a/2, dot(p.y, r.Alpha)-b*b/2
	for i, y := range p.y {
		f := r.Certificate.Bias
		for m, k := range p.k {
			f += r.Theta[m] * dot(k[i*n:(i+1)*n], r.Alpha)
		}
		primal += p.cost[i] * max(0, 1-y*f)
	}
	return primal, dual
}

func (p *problem) regularized(t *testing.T, norm Regularizer, gap float64) (Status, Solution) {
	t.Helper()
	s := New(len(p.y), len(p.k), hinge(p.y, p.cost), norm, newDense(len(p.y), p.k), gap, Tuning{})
	status, err := NewDriver(s, Limits{Iterations: 1000}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return status, s.Solution()
}

// TestRegularizersConverge: every norm on every small problem reaches its gap, and its values are those of the
// definitions.
func TestRegularizersConverge(t *testing.T) {
	rng := random(t, 33)
	for _, p := range problems(rng) {
		for _, d := range defineds(rng, len(p.k)) {
			t.Run(p.name+"/"+d.name, func(t *testing.T) {
				gap := 1e-6
				if p.name == "one kernel a feature" && d.make(nil).Delicate() {
					gap = 1e-5 // V_m ~ 1e-15 come of a sum that cancels
				}
				status, r := p.regularized(t, d.make(nil), gap)
				if status != Converged {
					t.Fatalf("%s after %d iterations with gap %.3g", status, r.Iterations, r.Certificate.RelativeGap)
				}
				if r.Iterations > 300 {
					t.Errorf("%d iterations", r.Iterations)
				}
				p.feasible(t, r.Alpha)
				primal, dual := p.values(&d, &r)
				if !near(r.Certificate.Primal, primal, 1e-7) || !near(r.Certificate.Dual, dual, 1e-7) {
					t.Errorf("certificate P = %.12g, D = %.12g; by definition %.12g, %.12g", r.Certificate.Primal, r.Certificate.Dual, primal, dual)
				}
			})
		}
	}
}

// TestRegularizedOptima compares with an exhaustive search on the definition of the dual.
func TestRegularizedOptima(t *testing.T) {
	rng := random(t, 23)
	for _, n := range []int{3, 4} {
		p, x := cloud("tiny", rng, n, 2)
		p.k = [][]float64{gauss(x, 0.5), times(linear(x, 0, 1), 2), linear(x, 1, 2), gauss(x, 3)}
		for _, d := range defineds(rng, len(p.k)) {
			status, r := p.regularized(t, d.make(nil), 1e-7)
			want := p.optimum(func(alpha []float64) float64 {
				r := d.dual(roots(p.energies(alpha)))
				return dot(p.y, alpha) - r*r/2
			})
			if c := r.Certificate; status != Converged || !near(c.Dual, want, 1e-5) || c.Dual > want*(1+1e-6) || c.Primal < want*(1-1e-6) {
				t.Errorf("n = %d, %s: %s, D = %.10g, P = %.10g, the optimum is %.10g", n, d.name, status, c.Dual, c.Primal, want)
			}
		}
	}
}

// TestIdentities: norms that are others in disguise have their optimum to 1e-6.
func TestIdentities(t *testing.T) {
	rng := random(t, 24)
	p, x := cloud("identities", rng, 40, 3)
	p.k = [][]float64{gauss(x, 0.1), gauss(x, 1), linear(x, 0, 3), poly(x, 2), linear(x, 1, 2)}
	m := len(p.k)
	each, one := make([]int32, m), make([]int32, m)
	identity := make([]float64, m*m)
	for i := range m {
		each[i] = int32(i)
		identity[i*m+i] = 1
	}
	value := func(n Regularizer) float64 {
		status, r := p.regularized(t, n, 1e-7)
		if status != Converged {
			t.Fatal(status, r.Certificate.RelativeGap)
		}
		return (r.Certificate.Primal + r.Certificate.Dual) / 2
	}
	same := func(name string, a, b Regularizer) {
		if x, y := value(a), value(b); !near(x, y, 3e-7) {
			t.Errorf("%s: %.10g and %.10g", name, x, y)
		}
	}
	for _, e := range norms {
		for _, other := range []float64{1, 1.5, 2, 5, math.Inf(1)} {
			same(fmt.Sprintf("p = %g over single kernels, q = %g", e, other), NewHierarchical(e, other, each, nil), NewBlockNorm(e, nil))
			same(fmt.Sprintf("one group of q = %g, p = %g", e, other), NewHierarchical(other, e, one, nil), NewBlockNorm(e, nil))
		}
		same(fmt.Sprintf("p = q = %g", e), NewHierarchical(e, e, groups(m), nil), NewBlockNorm(e, nil))
		same(fmt.Sprintf("p = %g of equal importances", e), NewWeighted(NewBlockNorm(e, nil), slices.Repeat([]float64{1}, m)), NewBlockNorm(e, nil))
	}
	same("E = I", NewInteraction(identity, nil), NewBlockNorm(2, nil))
	importance := []float64{1, 2, 0.5, 3, 0.1}
	diagonal := make([]float64, m*m)
	for i, x := range importance {
		diagonal[i*m+i] = x
	}
	same("E diagonal", NewInteraction(diagonal, nil), NewWeighted(NewBlockNorm(2, nil), importance))
	same("elastic net near p = 1", NewElasticNet(1e-8, nil), NewBlockNorm(1, nil))
	for _, e := range []float64{1, 4.0 / 3, 1.9, 2, 4} {
		const lambda = 0.2
		_, r := p.regularized(t, NewSquared(e, lambda, nil), 1e-8)
		n := NewBlockNorm(e, nil).Dual(p.energies(r.Alpha))
		other := *p
		other.cost = divided(p.cost, slices.Repeat([]float64{n * n / (2 * lambda)}, len(p.cost)), 1)
		status, block := other.regularized(t, NewBlockNorm(e, nil), 1e-8)
		if w, b := slices.Max(r.WNorms), slices.Max(block.WNorms); status != Converged || !near(w, b, 1e-3) || !near(r.Certificate.Bias, block.Certificate.Bias, 1e-3) {
			t.Errorf("p = %g, squared: ||w|| = %v, bias %v; with C s %v and %v", e, r.WNorms, r.Certificate.Bias, block.WNorms, block.Certificate.Bias)
		}
	}
	same("elastic net near the sum", NewElasticNet(1-1e-9, nil), NewBlockNorm(2, nil))
}

// TestNotANumber: numbers that overflow show in the dual value, and nothing goes on for ever.
func TestNotANumber(t *testing.T) {
	rng := random(t, 25)
	for _, d := range defineds(rng, 4) {
		for _, v := range [][]float64{{0, math.NaN(), 0, 0}, {1, math.NaN(), 2, 0}, {1, math.Inf(1), 2, 0}, {math.Inf(1), math.Inf(1), math.NaN(), 1}} {
			n := d.make(nil)
			theta := make([]float64, 4)
			n.Weights(theta, v)
			n.Curvature(make([]float64, 4), theta, v)
			n.Coupling(theta, v)
			n.Calibrate(v)
			n.Primal(v)
			if x := n.Dual(v); x-x == 0 {
				t.Errorf("%s, V = %v: ||v|| = %v", d.name, v, x)
			}
		}
	}
}

// TestRegularizersIndefinite: with a kernel that is not positive semi-definite the run ends, alpha stays in its box, and a kernel of
// a negative V_m has no weight.
func TestRegularizersIndefinite(t *testing.T) {
	rng := random(t, 26)
	p, x := cloud("indefinite", rng, 40, 3)
	noise := make([]float64, 40*40)
	for i := range 40 {
		for j := range i + 1 {
			noise[i*40+j] = rng.NormFloat64()
			noise[j*40+i] = noise[i*40+j]
		}
	}
	p.k = [][]float64{gauss(x, 0.5), sigmoid(x), noise, linear(x, 0, 3)}
	for _, d := range defineds(rng, len(p.k)) {
		s := New(len(p.y), len(p.k), hinge(p.y, p.cost), d.make([]bool{false, true, true, false}), newDense(len(p.y), p.k), 1e-3, Tuning{})
		if _, err := NewDriver(s, Limits{Iterations: 100}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := s.Solution()
		p.feasible(t, r.Alpha)
		for m, v := range p.energies(r.Alpha) {
			if v < -1e-9 && r.Theta[m] != 0 {
				t.Errorf("%s: V = %v has weight %v", d.name, v, r.Theta[m])
			}
		}
		if c := r.Certificate; c.Primal-c.Primal != 0 || c.Dual-c.Dual != 0 {
			t.Errorf("%s: certificate %+v", d.name, c)
		}
	}
}
