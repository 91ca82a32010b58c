package kernels

import (
	"math"
	"slices"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// An exponential kernel that is wide beside the points is nearly 1 for every pair of them: what
// distinguishes points is the small difference k(s) - 1 = exp(-gamma s) - 1, of which a value near
// 1 keeps few digits. The multiplicative normalisation then magnifies the rounding along with it.
// Where the dual variables sum to 0 a constant counts for nothing,
//
//	sum_i alpha_i (k(x_i, z) - 1) = sum_i alpha_i k(x_i, z),
//
// so that training takes k - 1 of wide kernels, which is rounded relative to itself. For gamma of
// 1e-9 of what it usually is that is nine digits more.
//
// A polynomial (gamma s + c)^d of products s that are small beside c/gamma is nearly c^d in the same
// way, as of single features that are small beside those that a global scale is made for. Training
// takes (gamma s + c)^d - c^d of these, a sum of powers of s that is a kernel itself.

// wideSpan is the largest gamma times base of any two points for which a kernel is wide. The
// polynomial of package simd is for arguments up to 1, and what a kernel with a larger span would
// gain is less than a digit.
const wideSpan = 1

// paddedSpan is the largest gamma times base of a point with the origin. The polynomial grows without bound
// there, and the squares of a chain grow faster: in single precision they stay below 2e17 up to this span, and
// are infinite at four times this span. Such values are multiplied by 0, and infinity times 0 would spread.
const paddedSpan = 64

// A polynomial is wide up to a smaller span, the largest gamma |s| / c, as its values less c^d take one
// operation for each degree: what a larger span gains is less than two digits. The coefficients of a
// power up to mostWideDegree are far from overflow in single precision.
const (
	wideProducts   = 1e-2
	mostWideDegree = 64
)

// FindWide marks the wide kernels of a bank, whose sums are sums of k - 1 from here on. reach is
// the largest base of each group between two of the points, see Reaches. It may be called only
// where the dual variables sum to 0, and before anything is computed: which kernels are wide is a
// function of the kernels and of reach, so all sums of a training agree on it.
//
// Values that are not sums (Transform, SelfValues) remain values of k. A wide polynomial has a
// Constant of 0, as it needs none to be positive semi-definite.
func (b *Bank) FindWide(reach []float64) {
	for i := range b.Groups {
		g := &b.Groups[i]
		if g.polynomials() {
			for j := range g.Members {
				g.Members[j].Wide = g.Members[j].isWideProduct(reach[i])
			}
		}
		if !g.constantsCancel() || !(reach[i] > 0) {
			continue
		}
		found, padded := false, fromOrigin(b.Shift, g, reach[i])
		for j := range g.Members {
			m := &g.Members[j]
			if span := m.Gamma * reach[i]; span > 0 && span <= wideSpan && m.Gamma*padded <= paddedSpan {
				m.Wide, m.Constant = true, -math.Expm1(-span)
				found = true
			}
		}
		if found {
			g.plan(g.Members)
		}
	}
}

// fromOrigin returns the largest base of a point with the origin, which fills the lanes of a panel that no point
// has. reach is the reach of two points, none of which is farther from the shift than half of it.
func fromOrigin(shift []float32, g *Group, reach float64) float64 {
	squares, sizes := 0.0, 0.0
	g.Each(func(j int) {
		x := float64(shift[j])
		squares, sizes = squares+float64(x*x), sizes+math.Abs(x)
	})
	switch g.Base {
	case SquaredDistance:
		r := math.Sqrt(squares) + math.Sqrt(reach)/2
		return float64(r * r)
	case absoluteDistance:
		return sizes + reach/2
	}
	return reach // of features that are not negative, the origin is as near
}

// Constants returns for each kernel by number what its sums leave out, times its normaliser, or nil
// if no kernel is wide: with it a wide kernel is k - exp(-gamma reach), which is not negative for
// any pair of the points and as large as k - 1 is. Whoever sums with dual variables that do not sum
// to 0 has to add it.
func (b *Bank) Constants() []float64 {
	var constants []float64
	for i := range b.Groups {
		for _, m := range b.Groups[i].Members {
			if m.Wide {
				if constants == nil {
					constants = make([]float64, b.Len())
				}
				constants[m.ID] = m.Constant * b.Factor(int(m.ID))
			}
		}
	}
	return constants
}

// atZero is an exponential kernel of a point with itself: 1, or k - exp(-gamma reach) if it is
// wide.
func (m *Member) atZero() float64 {
	if m.Wide {
		return m.Constant
	}
	return 1
}

// constantsCancel reports whether the kernels of the group are exponentials of a distance without
// factors of their points, of which a constant counts for nothing where dual variables sum to 0.
func (g *Group) constantsCancel() bool { return g.exponentials() && !g.PointFactors() }

// polynomials reports whether kernels of the group may be polynomials of which a constant counts for
// nothing.
func (g *Group) polynomials() bool {
	return g.Base == plainProduct && !g.PointFactors() &&
		slices.ContainsFunc(g.Members, func(m Member) bool { return m.Kind == kernelspec.Poly && m.Coef > 0 })
}

// isWideProduct reports whether the kernel is a wide polynomial where no two points have a product
// larger than reach.
func (m *Member) isWideProduct(reach float64) bool {
	return m.Kind == kernelspec.Poly && m.Coef > 0 && m.Degree <= mostWideDegree && reach > 0 &&
		m.Gamma*reach <= wideProducts*m.Coef
}

// LeaveConstants marks as wide the polynomials whose normaliser magnifies their constant, so sums
// leave it out. It is for predictions, whose bank has the factors of the training and may meet points
// that lie anywhere. The values of powerLess have the digits of its largest term wherever that is.
func (b *Bank) LeaveConstants() {
	for i := range b.Groups {
		g := &b.Groups[i]
		if !g.polynomials() {
			continue
		}
		for j := range g.Members {
			m := &g.Members[j]
			m.Wide = m.Kind == kernelspec.Poly && m.Coef > 0 && m.Degree <= mostWideDegree &&
				b.Factor(int(m.ID))*math.Pow(m.Coef, float64(m.Degree)) >= 1/wideProducts
		}
	}
}

// powerLess sets dst[i] to (gamma s + c)^d - c^d for s = base[i], by Horner's rule in u = gamma s / c:
//
//	c^d u (d + u (d(d-1)/2 + .. u)).
func powerLess[T simd.Real](dst, base []T, m *Member) {
	var terms [mostWideDegree]T // those of u, u^2 and so on
	term := math.Pow(m.Coef, float64(m.Degree))
	for i := range m.Degree {
		term *= float64(m.Degree-i) / float64(i+1)
		terms[i] = T(term)
	}
	ratio := T(m.Gamma / m.Coef)
	top, rest := terms[m.Degree-1], terms[:m.Degree-1]
	// Each step waits for the one before, so four numbers take their steps together. Tiles have
	// multiples of four, and diagonals any number.
	for i := len(base) &^ 3; i < len(base); i++ {
		u, x := base[i]*ratio, top
		for k := len(rest) - 1; k >= 0; k-- {
			x = T(x*u) + rest[k]
		}
		dst[i] = x * u
	}
	for i := 0; i+4 <= len(base); i += 4 {
		s := base[i : i+4 : i+4]
		a, b, c, d := s[0]*ratio, s[1]*ratio, s[2]*ratio, s[3]*ratio
		w, x, y, z := top, top, top, top
		for k := len(rest) - 1; k >= 0; k-- {
			// The conversions keep products from being fused with sums.
			t := rest[k]
			w, x, y, z = T(w*a)+t, T(x*b)+t, T(y*c)+t, T(z*d)+t
		}
		to := dst[i : i+4 : i+4]
		to[0], to[1], to[2], to[3] = w*a, x*b, y*c, z*d
	}
}

// asTheyAre makes the wide kernels of the group ordinary ones again. Other banks may share its
// members.
func (g *Group) asTheyAre() {
	if !slices.ContainsFunc(g.Members, func(m Member) bool { return m.Wide }) {
		return
	}
	g.Members = slices.Clone(g.Members)
	for j := range g.Members {
		g.Members[j].Wide, g.Members[j].Constant = false, 0
	}
	g.plan(g.Members)
}
