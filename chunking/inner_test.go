package chunking

import (
	"bigmkl/internal/toy"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// quadratic is a working-set problem: max G'd - 1/2 d'Hd, low <= d <= high, sum d = 0.
type quadratic struct {
	h, gradient, low, high []float64
}

func (p *quadratic) value(d []float64) float64 {
	q := len(d)
	s := toy.Dot(p.gradient, d)
	for i, x := range d {
		s -= x * toy.Dot(p.h[i*q:(i+1)*q], d) / 2
	}
	return s
}

// violation is the most that a pair violates the optimality conditions by, recomputed from d.
func (p *quadratic) violation(d []float64) float64 {
	q := len(d)
	rise, fall := math.Inf(-1), math.Inf(1)
	for i := range d {
		g := p.gradient[i] - toy.Dot(p.h[i*q:(i+1)*q], d)
		if d[i] < p.high[i] {
			rise = max(rise, g)
		}
		if d[i] > p.low[i] {
			fall = min(fall, g)
		}
	}
	return max(rise-fall, 0)
}

// spectrum makes a random q x q matrix with the given eigenvalues.
func spectrum(rng *rand.Rand, values []float64) []float64 {
	q := len(values)
	a := mat.NewDense(q, q, nil)
	for i := range q {
		for j := range q {
			a.Set(i, j, rng.NormFloat64())
		}
	}
	var qr mat.QR
	var u mat.Dense
	qr.Factorize(a)
	qr.QTo(&u)
	h := make([]float64, q*q)
	for i := range q {
		for j := range i + 1 {
			for k, v := range values {
				h[i*q+j] += u.At(i, k) * v * u.At(j, k)
			}
			h[j*q+i] = h[i*q+j]
		}
	}
	return h
}

// spectra are the kinds of matrices that the inner solver meets.
var spectra = map[string]func(rng *rand.Rand, q int) []float64{
	"well conditioned": func(rng *rand.Rand, q int) []float64 {
		return spectrum(rng, values(q, func(int) float64 { return 1 + rng.Float64() }))
	},
	"half rank": func(rng *rand.Rand, q int) []float64 {
		return spectrum(rng, values(q, func(i int) float64 { return float64(i % 2) }))
	},
	"rank one": func(rng *rand.Rand, q int) []float64 {
		return spectrum(rng, values(q, func(i int) float64 { return float64(1 - min(i, 1)) }))
	},
	"zero": func(_ *rand.Rand, q int) []float64 { return make([]float64, q*q) },
	"condition 1e10": func(rng *rand.Rand, q int) []float64 {
		return spectrum(rng, values(q, func(i int) float64 { return math.Pow(10, -10*float64(i)/float64(max(q-1, 1))) }))
	},
	"one large": func(rng *rand.Rand, q int) []float64 {
		return spectrum(rng, values(q, func(i int) float64 { return 1 + 1e6*float64(1-min(i, 1)) }))
	},
	"duplicates": func(rng *rand.Rand, q int) []float64 {
		half := (q + 1) / 2
		h := spectrum(rng, values(half, func(int) float64 { return 0.1 + rng.Float64() }))
		r := make([]float64, q*q)
		for i := range q {
			for j := range q {
				r[i*q+j] = h[i%half*half+j%half]
			}
		}
		return r
	},
}

func values(q int, f func(i int) float64) []float64 {
	v := make([]float64, q)
	for i := range v {
		v[i] = f(i)
	}
	return v
}

// boxed draws boxes around 0: points at either bound, points of no width, and free ones.
func boxed(rng *rand.Rand, h []float64, q int, scale float64) *quadratic {
	p := &quadratic{h: h}
	for range q {
		low, high := 0.0, 0.0
		switch rng.IntN(5) {
		case 0:
			high = rng.Float64()
		case 1:
			low = -rng.Float64()
		case 2:
		default:
			low, high = -rng.Float64(), rng.Float64()
		}
		p.low, p.high = append(p.low, low), append(p.high, high)
		p.gradient = append(p.gradient, scale*rng.NormFloat64())
	}
	return p
}

// hessian returns H for a subproblem.
func (p *quadratic) hessian() *hessian { return denseHessian(p.h, len(p.gradient)) }

// solved runs the solver and checks that the result is feasible and its violation within the
// tolerance.
func (p *quadratic) solved(t *testing.T, tol float64) []float64 {
	t.Helper()
	s := subproblem{coordinates: coordinates{low: p.low, high: p.high}}
	s.solve(p.gradient, p.hessian(), tol, tol)
	sum, size := 0.0, 0.0
	for i, x := range s.d {
		if !(x >= p.low[i] && x <= p.high[i]) {
			t.Fatalf("d[%d] = %v is outside [%v, %v]", i, x, p.low[i], p.high[i])
		}
		sum += x
		size += math.Abs(x)
	}
	if !(math.Abs(sum) <= 1e-12*max(size, 1)) {
		t.Fatalf("d sums to %v, |d| to %v", sum, size)
	}
	if v := p.value(s.d); !(v >= -1e-12*max(size, 1)) {
		t.Fatalf("the objective fell to %v", v)
	}
	largest := 0.0
	for i := range s.d {
		largest = max(largest, p.h[i*len(s.d)+i])
	}
	if v := p.violation(s.d); !(v <= tol+1e-13+2e-15*largest) { // the gradient is updated, here it is recomputed
		t.Fatalf("violation %v, tolerance %v\n%+v\nd = %v", v, tol, *p, s.d)
	}
	return s.d
}

func TestSubproblem(t *testing.T) {
	for name, spectrum := range spectra {
		t.Run(name, func(t *testing.T) {
			rng := toy.Random(t, 1)
			for _, q := range []int{1, 2, 3, 10, 60} {
				for range 8 {
					for _, scale := range []float64{0.1, 10} {
						p := boxed(rng, spectrum(rng, q), q, scale)
						p.solved(t, 1e-9*scale)
					}
				}
			}
		})
	}
}

// TestSubproblemNearlySingular: few directions have curvature and the gradient lies in them or
// nearly so: many coordinates stay free, and Newton steps solve a system that its ridge alone keeps
// regular. d sums to zero even so.
func TestSubproblemNearlySingular(t *testing.T) {
	rng := toy.Random(t, 4)
	for _, q := range []int{10, 60} {
		for _, rank := range []int{2, 5} {
			for _, outside := range []float64{0, 0, 1e-9, 1e-9, 1e-4, 1e-4, 1, 1} {
				h := spectrum(rng, values(q, func(i int) float64 { return max(1-float64(i/rank), 0) * (1 + float64(i)) }))
				p := &quadratic{h: h}
				inside := values(q, func(int) float64 { return rng.NormFloat64() })
				for i := range q {
					p.gradient = append(p.gradient, toy.Dot(h[i*q:(i+1)*q], inside)+3+outside*rng.NormFloat64())
					p.low, p.high = append(p.low, -20-rng.Float64()), append(p.high, 20+rng.Float64())
				}
				p.solved(t, 1e-8) // rounding of steps that the ridge alone bounds
			}
		}
	}
}

// TestSubproblemEnumerated compares with all active sets.
func TestSubproblemEnumerated(t *testing.T) {
	for name, spectrum := range spectra {
		t.Run(name, func(t *testing.T) {
			rng := toy.Random(t, 2)
			for _, q := range []int{2, 3, 4, 5, 6} {
				for trial := range 5 {
					p := boxed(rng, spectrum(rng, q), q, 1)
					got, want := p.value(p.solved(t, 1e-10)), p.enumerate()
					if !(math.Abs(got-want) <= 1e-8*max(1, math.Abs(want))) {
						t.Fatalf("q = %d, trial %d: objective %v, by enumeration %v\n%+v", q, trial, got, want, *p)
					}
				}
			}
		})
	}
}

// TestSubproblemWithoutConstant: H - c 1 1' has the same solution as H, as sum d = 0, and Newton steps
// reach it although that matrix is indefinite. So it is with k - 1 in place of a wide kernel.
func TestSubproblemWithoutConstant(t *testing.T) {
	rng := toy.Random(t, 5)
	for _, q := range []int{2, 3, 10, 60} {
		p := boxed(rng, spectrum(rng, values(q, func(i int) float64 { return math.Pow(10, -6*float64(i)/float64(q)) })), q, 1)
		for i := range q { // no bound is in the way
			p.low[i], p.high[i] = -1e9, 1e9
		}
		less := *p
		less.h = values(q*q, func(i int) float64 { return p.h[i] - 5 })
		s := subproblem{coordinates: coordinates{low: p.low, high: p.high, d: make([]float64, q)}, gain: slices.Clone(p.gradient)}
		s.diagonal = values(q, func(i int) float64 { return less.h[i*q+i] })
		s.newton(less.hessian())
		if v, most := p.violation(s.d), 1e-6*mat.Norm(mat.NewVecDense(q, p.gradient), math.Inf(1)); !(v <= most) {
			t.Errorf("q = %d: one step leaves a violation of %v, at most %v is fine", q, v, most)
		}
		less.solved(t, 1e-7)
	}
}

// TestSubproblemReused: nothing of the last problem is left in the next.
func TestSubproblemReused(t *testing.T) {
	rng := toy.Random(t, 3)
	var s subproblem
	for _, q := range []int{9, 4, 12, 1, 7} {
		p := boxed(rng, spectra["well conditioned"](rng, q), q, 1)
		s.low, s.high = p.low, p.high
		s.solve(p.gradient, p.hessian(), 1e-1, 1e-10)
		fresh := subproblem{coordinates: coordinates{low: p.low, high: p.high}}
		fresh.solve(p.gradient, p.hessian(), 1e-1, 1e-10)
		if len(s.d) != q {
			t.Fatalf("%d coordinates, want %d", len(s.d), q)
		}
		for i, x := range s.d {
			if x != fresh.d[i] {
				t.Errorf("q = %d: d[%d] = %v, from a fresh solver %v", q, i, x, fresh.d[i])
			}
		}
	}
}

// TestSubproblemCoarse: with a coarse tolerance the step is feasible, as good as without the
// refinement or better, and what has moved is optimal to the fine tolerance; few coordinates move.
func TestSubproblemCoarse(t *testing.T) {
	const q, fine = 60, 1e-8
	few := 0
	for name, spectrum := range spectra {
		t.Run(name, func(t *testing.T) {
			rng := toy.Random(t, 5)
			for range 20 {
				p := boxed(rng, spectrum(rng, q), q, 1)
				coarse := 0.5 * p.violation(make([]float64, q))
				s, rough := subproblem{coordinates: coordinates{low: p.low, high: p.high}}, subproblem{coordinates: coordinates{low: p.low, high: p.high}}
				s.solve(p.gradient, p.hessian(), coarse, fine)
				rough.least = int(joining * q)
				rough.gain, rough.d = slices.Clone(p.gradient), make([]float64, len(p.gradient))
				rough.ascend(p.gradient, p.hessian(), coarse, fine)
				sum := 0.0
				moved := quadratic{h: p.h, gradient: p.gradient}
				for i, x := range s.d {
					if !(x >= p.low[i] && x <= p.high[i]) {
						t.Fatalf("d[%d] = %v is outside [%v, %v]", i, x, p.low[i], p.high[i])
					}
					sum += x
					low, high := p.low[i], p.high[i]
					if x == 0 {
						low, high = 0, 0
						few++
					}
					moved.low, moved.high = append(moved.low, low), append(moved.high, high)
				}
				if math.Abs(sum) > 1e-12 {
					t.Fatalf("d sums to %v", sum)
				}
				if a, b := p.value(s.d), p.value(rough.d); !(a >= b-1e-12) {
					t.Fatalf("the refinement lowers the objective from %v to %v", b, a)
				}
				if v := moved.violation(s.d); v > 2*fine {
					t.Fatalf("what has moved violates by %v", v)
				}
			}
		})
	}
	if few == 0 {
		t.Error("all coordinates moved every time")
	}
}

// TestDeleteFromFactor deletes rows and columns of a positive definite matrix one after the other:
// the rest of its factor is the factor of the rest of the matrix.
func TestDeleteFromFactor(t *testing.T) {
	const seed, n = 11, 40
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	h := spectrum(rng, values(n, func(i int) float64 { return math.Pow(10, float64(-i)/10) }))
	u, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: n, Data: slices.Clone(h)})
	if !ok {
		t.Fatal("the matrix is not positive definite")
	}
	left := make([]int, n)
	for i := range left {
		left[i] = i
	}
	for u.N > 0 {
		for i, a := range left {
			for j, b := range left[i:] {
				sum := 0.0
				for k := range i + 1 {
					sum += u.Data[k*n+i] * u.Data[k*n+i+j]
				}
				if want := h[a*n+b]; !(math.Abs(sum-want) <= 1e-13) {
					t.Fatalf("%d left: entry (%d, %d) is %g, want %g", u.N, a, b, sum, want)
				}
			}
			if !(u.Data[i*n+i] > 0) {
				t.Fatalf("%d left: the diagonal has %g", u.N, u.Data[i*n+i])
			}
		}
		k := rng.IntN(u.N)
		if u.N%5 == 0 {
			k = u.N - 1
		}
		deleteFromFactor(u, k)
		u.N--
		left = slices.Delete(left, k, k+1)
	}
}

// TestSubproblemLarge: a large set of badly conditioned free coordinates is left before the optimum, and its
// step is feasible and rises all the same. One that pairs can solve is solved.
func TestSubproblemLarge(t *testing.T) {
	const q, tol = mostFree + 300, 1e-6
	rng := toy.Random(t, 9)
	for _, hard := range []bool{false, true} {
		// A matrix of low rank and a diagonal, whose conditioning follows from their sizes.
		h := make([]float64, q*q)
		rank := 1
		if hard {
			rank = 200
		}
		for range rank {
			v := values(q, func(int) float64 { return rng.NormFloat64() })
			for i, x := range v {
				for j, y := range v {
					h[i*q+j] += x * y
				}
			}
		}
		for i := range q {
			if h[i*q+i] += 1e-6; !hard {
				h[i*q+i] += 1e3
			}
		}
		p := &quadratic{h: h, gradient: values(q, func(int) float64 { return rng.NormFloat64() })}
		p.low, p.high = slices.Repeat([]float64{-1e3}, q), slices.Repeat([]float64{1e3}, q)
		s := subproblem{coordinates: coordinates{low: p.low, high: p.high}, large: true}
		s.solve(p.gradient, p.hessian(), tol, tol)
		sum, size := 0.0, 0.0
		for i, x := range s.d {
			if !(x >= p.low[i] && x <= p.high[i]) {
				t.Fatalf("d[%d] = %v is outside the box", i, x)
			}
			sum, size = sum+x, size+math.Abs(x)
		}
		if !(math.Abs(sum) <= 1e-12*max(size, 1)) || !(p.value(s.d) > 0) {
			t.Errorf("hard %t: d sums to %v, the objective is %v", hard, sum, p.value(s.d))
		}
		if v := p.violation(s.d); hard != (v > 2*tol) {
			t.Errorf("hard %t: violation %v", hard, v)
		}
	}
}
