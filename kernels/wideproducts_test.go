package kernels

import (
	"math"
	"math/big"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// less is (gamma s + c)^d - c^d to 200 digits.
func less(m *Member, s float64) float64 {
	const digits = 660
	x := new(big.Float).SetPrec(digits).SetFloat64(m.Gamma)
	x.Mul(x, new(big.Float).SetPrec(digits).SetFloat64(s))
	c := new(big.Float).SetPrec(digits).SetFloat64(m.Coef)
	x.Add(x, c)
	power := func(b *big.Float) *big.Float {
		y := new(big.Float).SetPrec(digits).SetInt64(1)
		for range m.Degree {
			y.Mul(y, b)
		}
		return y
	}
	v, _ := power(x).Sub(power(x), power(c)).Float64()
	return v
}

// TestPowerLess: what sums have of a wide polynomial has the digits of the arithmetic relative to itself.
func TestPowerLess(t *testing.T) {
	t.Parallel()
	t.Run("float32", testPowerLess[float32])
	t.Run("float64", testPowerLess[float64])
}

func testPowerLess[T simd.Real](t *testing.T) {
	rng, eps := random(t, 51), 0x1p-53
	if precision[T]() == 0 {
		eps = 0x1p-24
	}
	for _, d := range []int{1, 2, 3, 5, 17, mostWideDegree} {
		for range 40 {
			// Both numbers are those that single precision has.
			m := &Member{Kind: kernelspec.Poly, Degree: d, Gamma: float64(float32(math.Exp(rng.NormFloat64()))),
				Coef: float64(float32(math.Exp(rng.NormFloat64() / 4))), Wide: true}
			base, dst := make([]T, 64), make([]T, 64)
			for i := range base {
				base[i] = T(rng.NormFloat64() * math.Pow(10, -3-9*rng.Float64()) * m.Coef / m.Gamma)
			}
			powerLess(dst, base, m)
			for i, s := range base {
				want := less(m, float64(s))
				if diff := math.Abs(float64(dst[i]) - want); !(diff <= 8*float64(d)*eps*math.Abs(want)) {
					t.Fatalf("(%g %g + %g)^%d less its constant is %g, want %g", m.Gamma, float64(s), m.Coef, d, float64(dst[i]), want)
				}
			}
		}
	}
}

// TestWideProducts: polynomials of small features are wide, polynomials of others and without a constant are not, and the factor
// that the normalisation gives them agrees with the definition.
func TestWideProducts(t *testing.T) {
	t.Parallel()
	p := points(random(t, 52), 90, 4)
	for i := range p.x {
		p.x[i][1] *= 1e-4
		p.x[i][2] *= 3e-6
	}
	specs := []string{"poly:1..3@each-feature", "poly:2:1:0@2", "poly:2:0.5:1e-9@2", "sigmoid:1:1@2", "poly:65@3"}
	wide := []bool{}
	for j := range 4 {
		for range 3 {
			wide = append(wide, j == 1 || j == 2)
		}
	}
	wide = append(wide, false, false, false, false)
	list, b := expanded(t, specs, p)
	reach, err := b.Reaches(t.Context(), p, 2)
	if err != nil {
		t.Fatal(err)
	}
	b.FindWide(reach)
	norm, err := b.normalize(t.Context(), p, p.survey(t), nil, false, 2, 1, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for g := range b.Groups {
		for i := range b.Groups[g].Members {
			m := &b.Groups[g].Members[i]
			if m.Wide != wide[m.ID] {
				t.Errorf("%s is wide: %t", list.Describe(int(m.ID)), m.Wide)
			}
			if !m.Wide {
				continue
			}
			j := b.Groups[g].Features[0]
			own, all := 0.0, 0.0
			n := float64(len(p.x))
			for _, x := range p.x {
				own += less(m, float64(x[j])*float64(x[j])) / n
				for _, z := range p.x {
					all += less(m, float64(x[j])*float64(z[j])) / (n * n)
				}
			}
			if want := 1 / (own - all); !(math.Abs(norm.Scale[m.ID]-want) <= 1e-5*want) {
				t.Errorf("%s: factor %g, want %g", list.Describe(int(m.ID)), norm.Scale[m.ID], want)
			}
		}
	}
	if bank := b.Plainly(); !bank.Groups[0].polynomials() {
		t.Error("a group of polynomials is none")
	}
}
