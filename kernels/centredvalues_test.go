package kernels

import (
	"math"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// lessConstant is a kernel less its constant by formulas that lose no digits, for a base b.
func lessConstant(m *Member, b float64) float64 {
	if m.Kind == kernelspec.Sigmoid {
		u := m.Gamma * b
		return math.Sinh(u) / math.Cosh(u+m.Coef) / math.Cosh(m.Coef)
	}
	// exp(s) less the polynomial of the kernel is a sum of terms of one sign.
	s := math.Sqrt(float64(2*m.Degree+1) * m.Gamma * b)
	term, sum := s*s/2, s*s/2
	if m.Degree == 2 {
		sum = s * s / 6
	}
	for n := 3.0; n < 200; n++ {
		term *= s / n
		sum += term
	}
	return -math.Exp(-s) * sum
}

// compareLess compares evaluateLess with the formulas.
func compareLess[T simd.Real](t *testing.T, m *Member, bases []float64, most float64) {
	t.Helper()
	base, got := make([]T, len(bases)), make([]T, len(bases))
	for i, b := range bases {
		base[i] = T(b)
	}
	var e transformer[T]
	e.evaluateLess(got, base, m)
	for i, v := range got {
		want := lessConstant(m, float64(base[i]))
		if x := float64(v); !(math.Abs(x-want) <= most*math.Abs(want)) {
			t.Errorf("%v, degree %d, coef %g, base %g: %v, want %v", m.Kind, m.Degree, m.Coef, base[i], x, want)
		}
	}
}

// TestValuesWithoutConstants: Matern kernels less 1 and sigmoids less tanh(c) have nearly all digits at every base.
func TestValuesWithoutConstants(t *testing.T) {
	var bases []float64
	for x := -30.0; x <= 5; x += 0.25 {
		bases = append(bases, math.Exp2(x))
	}
	for _, m := range []Member{
		{Kind: kernelspec.Matern, Degree: 1, Gamma: 1.0 / 3}, {Kind: kernelspec.Matern, Degree: 2, Gamma: 0.2},
		{Kind: kernelspec.Sigmoid, Gamma: 0.25, Coef: 0.5}, {Kind: kernelspec.Sigmoid, Gamma: 0.25, Coef: -3},
	} {
		compareLess[float64](t, &m, bases, 1e-14)
		compareLess[float32](t, &m, bases, 2e-6)
	}
}
