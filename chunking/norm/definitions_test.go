package norm

import (
	"bigmkl/chunking"
	"bigmkl/internal/toy"
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
	make         func(indefinite []bool) chunking.Norm
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
		lengths = append(lengths, toy.NormOf(g, q))
	}
	return toy.NormOf(lengths, p)
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
			s := toy.Dot(b[i*m:(i+1)*m], b[j*m:(j+1)*m]) / float64(m)
			if i == j {
				s += 0.1
			}
			e[i*m+j], e[j*m+i] = s, s
		}
	}
	return e
}

// quadraticNorm gives (x'Ex)^(1/2), and (x'E^-1 x)^(1/2) where E^-1 x >= 0; else the minimum over
// larger vectors, by coordinates.
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
		d.make = func(x []bool) chunking.Norm { return NewWeighted(inner.make(x), e) }
		d.primal = func(w []float64) float64 { return inner.primal(divided(w, e, -0.5)) }
		d.dual = func(v []float64) float64 { return inner.dual(divided(v, e, 0.5)) }
		all = append(all, d)
	}
	for _, p := range []float64{1, 4.0 / 3, 2, 3, math.Inf(1)} {
		for _, q := range []float64{1, 4.0 / 3, 2, 3, math.Inf(1)} {
			g := groups(m)
			add(defined{
				name:   fmt.Sprintf("p=%.3g over q=%.3g", p, q),
				make:   func(x []bool) chunking.Norm { return NewHierarchical(p, q, g, x) },
				primal: func(w []float64) float64 { return nestedNorm(w, g, p, q) },
				dual:   func(v []float64) float64 { return nestedNorm(v, g, toy.ConjugateOf(p), toy.ConjugateOf(q)) },
			})
		}
	}
	for _, mix := range []float64{0.999, 0.5, 0.01} {
		add(defined{
			name: fmt.Sprintf("elastic net %g", mix),
			make: func(x []bool) chunking.Norm { return NewElasticNet(mix, x) },
			primal: func(w []float64) float64 {
				return math.Hypot(math.Sqrt(1-mix)*toy.NormOf(w, 1), math.Sqrt(mix)*toy.NormOf(w, 2))
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
			make: func(x []bool) chunking.Norm { return NewSquared(p, lambda, x) },
			primal: func(w []float64) float64 { // the least over the length s of theta, by golden sections
				n := toy.NormOf(w, p)
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
				n := toy.NormOf(v, toy.ConjugateOf(p))
				return n * n / math.Sqrt(4*lambda)
			},
		})
	}
	e := interactions(rng, m)
	primal, dual := quadraticNorm(e)
	add(defined{name: "interactions", make: func(x []bool) chunking.Norm { return NewInteraction(e, x) }, primal: primal, dual: dual})
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
func sharpened(n chunking.Norm, V []float64) chunking.Norm {
	a := n.(chunking.Adaptive)
	a.Calibrate(V)
	for a.Sharpen(true) {
	}
	return n
}

// scaleOf is what the weights of a norm are divided by.
func scaleOf(n chunking.Norm, theta, V []float64) float64 {
	if n, ok := n.(chunking.Scaled); ok {
		return n.Scale(theta, V)
	}
	return 1
}

// TestDefinitions: the values of both sides agree with the definitions, w'v <= ||w|| ||v||, and
// equality for the weights.
func TestDefinitions(t *testing.T) {
	rng := toy.Random(t, 20)
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
				if !toy.Near(n.Dual(V), d.dual(v), 1e-11) || !toy.Near(r, d.dual(v), 1e-6) {
					t.Errorf("%s, v = %v: ||v|| = %v and %v, by definition %v", d.name, v, r, n.Dual(V), d.dual(v))
				}
				if !toy.Near(n.Primal(w), d.primal(w), 1e-9) {
					t.Errorf("%s, w = %v: ||w|| = %v, by definition %v", d.name, w, n.Primal(w), d.primal(w))
				}
				if a, b, c := toy.Dot(w, v), n.Primal(w), n.Dual(V); a > (b*b+c*c)/2*(1+1e-12) {
					t.Errorf("%s: w'v = %v above 1/2 ||w||^2 + 1/2 ||v||^2 = %v", d.name, a, (b*b+c*c)/2)
				}
				s := scaleOf(n, theta, V)
				for i := range w {
					w[i] = theta[i] / s * v[i]
				}
				if a, b, c := toy.Dot(w, v), n.Primal(w), n.Dual(V); !toy.Near(a, (b*b+c*c)/2, 1e-5) {
					t.Errorf("%s, v = %v: theta %v, w'v = %v, ||w|| = %v, ||v|| = %v", d.name, v, theta, a, b, c)
				}
			}
		}
	}
}

// TestNotANumber: numbers that overflow show in the dual value, and nothing goes on for ever.
func TestNotANumber(t *testing.T) {
	rng := toy.Random(t, 25)
	for _, d := range defineds(rng, 4) {
		for _, v := range [][]float64{{0, math.NaN(), 0, 0}, {1, math.NaN(), 2, 0}, {1, math.Inf(1), 2, 0}, {math.Inf(1), math.Inf(1), math.NaN(), 1}} {
			n := d.make(nil)
			theta := make([]float64, 4)
			n.Weights(theta, v)
			n.Curvature(make([]float64, 4), theta, v)
			n.(chunking.Coupled).Coupling(theta, v)
			n.(chunking.Adaptive).Calibrate(v)
			n.Primal(v)
			if x := n.Dual(v); x-x == 0 {
				t.Errorf("%s, V = %v: ||v|| = %v", d.name, v, x)
			}
		}
	}
}
