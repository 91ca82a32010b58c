// Package toy has what the tests of the solver share: small problems with their kernel matrices,
// and the primal and dual values of a solution by their definitions.
package toy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Norms are the block norms that every fact is tested for.
var Norms = []float64{1, 1.01, 1.0667, 4.0 / 3, 2, 3, 8, math.Inf(1)}

// Random returns a generator whose seed is shown if the test fails.
func Random(t testing.TB, seed uint64) *rand.Rand {
	t.Helper()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

// Near reports whether two numbers differ by no more than a share of the larger one.
func Near(a, b, relative float64) bool {
	return a == b || math.Abs(a-b) <= relative*max(math.Abs(a), math.Abs(b))
}

// Dot is a'b, without fused multiply-add, so results are the same on every classifier.
func Dot(a, b []float64) float64 {
	s := 0.0
	for i, x := range a {
		s += float64(x * b[i])
	}
	return s
}

// NormOf is ||v||_p by the definition.
func NormOf(v []float64, p float64) float64 {
	if math.IsInf(p, 1) {
		return slices.Max(v)
	}
	s := 0.0
	for _, x := range v {
		s += math.Pow(x, p)
	}
	return math.Pow(s, 1/p)
}

// ConjugateOf is the exponent of the dual norm.
func ConjugateOf(p float64) float64 {
	switch {
	case p == 1:
		return math.Inf(1)
	case math.IsInf(p, 1):
		return 1
	}
	return p / (p - 1)
}

// Problem is a two-class problem with its kernel matrices.
type Problem struct {
	Name       string
	Y, Cost    []float64   // of each point
	K          [][]float64 // of each kernel: n x n, row-major
	Indefinite []bool      // kernels that may be indefinite; nil: none
}

// Signs gives the labels as the hinge loss takes them.
func (p *Problem) Signs() []int8 {
	sign := make([]int8, len(p.Y))
	for i, v := range p.Y {
		sign[i] = int8(v)
	}
	return sign
}

// Energies gives V_m = alpha'K_m alpha.
func (p *Problem) Energies(alpha []float64) []float64 {
	n := len(alpha)
	v := make([]float64, len(p.K))
	for m, k := range p.K {
		for i, a := range alpha {
			v[m] += a * Dot(k[i*n:(i+1)*n], alpha)
		}
	}
	return v
}

// Dual is D(alpha) for the block norm, recomputed. Kernels that were left out have theta = 0.
func (p *Problem) Dual(norm float64, alpha, theta []float64) float64 {
	v := p.Energies(alpha)
	for m, x := range v {
		v[m] = math.Sqrt(max(x, 0))
		if p.Indefinite != nil && p.Indefinite[m] && theta[m] == 0 {
			v[m] = 0 // left out
		}
	}
	r := NormOf(v, ConjugateOf(norm))
	return Dot(p.Y, alpha) - r*r/2
}

// Primal is P(theta, alpha, b) for the block norm, recomputed.
func (p *Problem) Primal(norm float64, alpha, theta []float64, bias float64) float64 {
	n := len(alpha)
	w := p.Energies(alpha)
	for m, x := range w {
		w[m] = theta[m] * math.Sqrt(max(x, 0))
	}
	r := NormOf(w, norm)
	s := r * r / 2
	for i, y := range p.Y {
		f := bias
		for m, k := range p.K {
			f += theta[m] * Dot(k[i*n:(i+1)*n], alpha)
		}
		s += p.Cost[i] * max(0, 1-y*f)
	}
	return s
}

// Feasible complains where alpha is outside its box or does not sum to zero.
func (p *Problem) Feasible(t *testing.T, alpha []float64) {
	t.Helper()
	sum, total := 0.0, 0.0
	for i, a := range alpha {
		if b := p.Y[i] * a; !(b >= 0 && b <= p.Cost[i]) {
			t.Errorf("alpha[%d] = %g is outside its box: y = %g, C = %g", i, a, p.Y[i], p.Cost[i])
		}
		sum += a
		total += math.Abs(a)
	}
	if !(math.Abs(sum) <= 1e-10*total) {
		t.Errorf("alpha sums to %g, |alpha| to %g", sum, total)
	}
}

// Result is a solution as it is reported.
type Result struct {
	Alpha, Theta, WNorms            []float64
	Bias, Primal, Dual, RelativeGap float64
}

// Consistent checks a solution for the block norm: alpha is feasible, and the certificate belongs
// to just this alpha, theta and bias.
func (p *Problem) Consistent(t *testing.T, norm float64, r Result) {
	t.Helper()
	p.Feasible(t, r.Alpha)
	primal, dual := p.Primal(norm, r.Alpha, r.Theta, r.Bias), p.Dual(norm, r.Alpha, r.Theta)
	rounding := 1e-9
	if norm > 2 {
		rounding = 1e-8 // of V_m ~ 1e-15, of which the square root is taken
	}
	scale := rounding * max(math.Abs(primal), math.Abs(dual))
	if !(math.Abs(r.Primal-primal) <= scale && math.Abs(r.Dual-dual) <= scale) {
		t.Errorf("certificate P = %.12g, D = %.12g; recomputed %.12g, %.12g", r.Primal, r.Dual, primal, dual)
	}
	want := 0.0
	if r.Primal != r.Dual {
		want = math.Abs(r.Primal-r.Dual) / max(math.Abs(r.Primal), math.Abs(r.Dual))
	}
	if r.RelativeGap != want {
		t.Errorf("relative gap %v of P = %v, D = %v", r.RelativeGap, r.Primal, r.Dual)
	}
}

// Weighs checks the weights of a solution for the block norm: they solve the problem in theta for
// its alpha up to the gap, have norm 1, and belong to ||w_m||.
func (p *Problem) Weighs(t *testing.T, norm float64, r Result) {
	t.Helper()
	v := p.Energies(r.Alpha)
	share := 0.0
	for m, th := range r.Theta {
		if !(th >= 0) || math.IsInf(th, 1) {
			t.Errorf("theta[%d] = %v", m, th)
		}
		// V itself is a sum that cancels: all that is known of it is its absolute error.
		size := 0.0
		for i, a := range r.Alpha {
			size += math.Abs(a) * math.Sqrt(p.K[m][i*len(p.Y)+i])
		}
		if got, want := r.WNorms[m]*r.WNorms[m], th*th*max(v[m], 0); !(math.Abs(got-want) <= 1e-12*want+1e-14*th*th*size*size) {
			t.Errorf("||w[%d]||^2 = %v, theta^2 V = %v", m, got, want)
		}
		if th > 0 && norm < 2 {
			share += math.Pow(th, norm/(2-norm))
		}
	}
	if norm < 2 && !Near(share, 1, 1e-6) {
		t.Errorf("sum theta^(p/(2-p)) = %v: theta = %v", share, r.Theta)
	}
}

// Optimum finds the largest dual value by nested golden sections over n - 1 of the variables: D is
// concave on every line. It is for two to four points.
func (p *Problem) Optimum(dual func(alpha []float64) float64) float64 {
	n := len(p.Y)
	alpha := make([]float64, n)
	low, high := make([]float64, n), make([]float64, n)
	for i, y := range p.Y {
		low[i], high[i] = min(0, y*p.Cost[i]), max(0, y*p.Cost[i])
	}
	var best func(at int, sum float64) float64
	best = func(at int, sum float64) float64 {
		if at == n-1 {
			alpha[at] = -sum
			return dual(alpha)
		}
		// What the variables behind can still balance.
		from, to := -sum, -sum
		for j := at + 1; j < n; j++ {
			from, to = from-high[j], to-low[j]
		}
		from, to = max(from, low[at]), min(to, high[at])
		value := func(a float64) float64 {
			alpha[at] = a
			return best(at+1, sum+a)
		}
		ratio := (math.Sqrt(5) - 1) / 2
		a, b := to-ratio*(to-from), from+ratio*(to-from)
		fa, fb := value(a), value(b)
		for range 36 {
			if fa >= fb {
				to, b, fb = b, a, fa
				a = to - ratio*(to-from)
				fa = value(a)
			} else {
				from, a, fa = a, b, fb
				b = from + ratio*(to-from)
				fb = value(b)
			}
		}
		return max(fa, fb, value(from), value(to))
	}
	return best(0, 0)
}
