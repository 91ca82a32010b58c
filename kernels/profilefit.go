package kernels

import "math"

// A profile is interpolated octave by octave at Chebyshev's points, and the polynomial of an octave
// is then cut into pieces of lower degree. Only the first step looks at every kernel.
//
// On an octave z = z_0 (3/2 + v/2), -1 <= v <= 1, whose middle is s_c = 3/2 z_0 - a, a kernel is
//
//	exp(-gamma s) = exp(-gamma s_c) exp(-x v),    x = gamma z_0 / 2.
//
// Its coefficients for Chebyshev's polynomials T_k(v) are 2 I_k(x) exp(-gamma s_c) in magnitude,
// with Bessel's I_k(x) <= (x/2)^k / k! exp(x^2 / (4 (k+1))). Interpolation at N points is off by at
// most twice the sum of those from N on, which is below twice the first of them where x < N. For a
// larger x the kernel is nearly 0 on the whole octave, and interpolation makes at most 5 times what
// it has been of it.
//
// On a piece that polynomial has other coefficients b_k, of which those from the degree of the
// piece on are left out: sum |b_k| of these bounds what that adds to the error.

// These constants are N, and the errors that are allowed relative to what the kernels change by
// between a base of 0 and the base in hand or a typical one. The errors are below the rounding of
// either type.
const (
	nodesSingle, nodesDouble     = 12, 20
	profileSingle, profileDouble = 1e-8, 1e-14
)

const (
	// leastProfiled is the number of kernels from which on a profile takes less time than they do.
	leastProfiled = 8
	// mostOctaves bounds the octaves of a profile, and with them its memory.
	mostOctaves = 192
	// vanished is the gamma s from which on a kernel is 0: exp(-vanished) is below the rounding of 1.
	vanished = 40
	// besideTypical is the part of a typical base that a is at most, as a binary logarithm: the sum
	// s + a is rounded, which must not cost kernels that are much wider than all distances more
	// than the rounding of s does. widerThan bounds the number of octaves that this adds.
	besideTypical, widerThan = 4, 40
)

// negligible is the gamma s from which on a kernel counts for nothing beside the 1 that it has at
// 0.
const negligible = 100

// fit is what the pieces of a profile are made from.
type fit struct {
	gamma, weight []float64
	// atTypical holds the value of each kernel at the typical base.
	atTypical []float64
	typical   float64
	// shift is a, and the pieces cover octaves from there on.
	shift   float64
	octaves int
	// constant is kappa at the typical base, change what it loses until there, and end its value
	// where all kernels are 0, less the constant.
	constant, change, end float64
	points                *chebyshev
	allowed               float64
}

// newFit returns nil if the kernels have no profile.
func newFit(g *Group, weight []float64, typical float64, double bool) *fit {
	f := &fit{typical: typical, allowed: profileSingle}
	// These limits keep all powers of 2 well within the range of the type.
	limit, nodes := 100, nodesSingle
	if double {
		f.allowed, limit, nodes = profileDouble, 900, nodesDouble
	}
	low, high := math.Inf(1), 0.0
	for i, m := range g.Members {
		if weight[i] != 0 && m.Gamma > 0 {
			low, high = min(low, m.Gamma), max(high, m.Gamma)
		}
	}
	if low < 1e-290 || high > 1e290 {
		return nil
	}
	if typical == 0 {
		f.typical = 1 / high
	}
	for i, m := range g.Members {
		w := weight[i]
		switch {
		case !(w >= 0 && m.Gamma >= 0) || math.IsInf(w, 1) || math.IsInf(m.Gamma, 1):
			return nil
		case w == 0:
			continue
		case m.Gamma == 0:
			f.constant += w
			continue
		}
		value := math.Exp(-m.Gamma * f.typical)
		f.gamma, f.weight = append(f.gamma, m.Gamma), append(f.weight, w)
		f.atTypical = append(f.atTypical, value)
		f.constant += float64(w * value)
		f.end -= float64(w * value)
		f.change -= float64(w * math.Expm1(-m.Gamma*f.typical))
	}
	if len(f.gamma) < leastProfiled {
		return nil
	}
	least, most := math.Ilogb(1/high), math.Ilogb((vanished+1)/low)+1
	least = max(min(least, math.Ilogb(f.typical)-besideTypical), least-widerThan)
	f.octaves, f.shift = most-least, math.Ldexp(1, least)
	if f.octaves > mostOctaves || least < -limit || most > limit || f.shift > f.typical {
		return nil
	}
	f.points = newChebyshev(nodes)
	return f
}

// interpolate returns the coefficients of kappa less the constant on an octave, for Chebyshev's
// polynomials, and a bound of their error.
func (f *fit) interpolate(octave int) (coef []float64, off float64) {
	start := math.Ldexp(f.shift, octave)
	middle, n := 1.5*start-f.shift, float64(len(f.points.node))
	factorial, _ := math.Lgamma(n + 1)
	// Kernels that are negligible on the octave are all that they lose, everywhere.
	var gone compensated
	var live []int
	for m, gamma := range f.gamma {
		if gamma*(start-f.shift) > negligible {
			gone.add(float64(-f.weight[m] * f.atTypical[m]))
			continue
		}
		live = append(live, m)
		if x := gamma * start / 2; x < n {
			off += 8 * f.weight[m] * math.Exp(n*math.Log(x/2)-factorial+x*x/(4*(n+1))-gamma*middle)
		} else {
			off += 5 * f.weight[m] * math.Exp(-gamma*(start-f.shift))
		}
	}
	var values [nodesDouble]float64
	for i, v := range f.points.node {
		at := middle + v*start/2
		sum := gone
		for _, m := range live {
			sum.add(float64(f.weight[m] * f.difference(m, at)))
		}
		values[i] = sum.value()
	}
	coef = make([]float64, len(f.points.node))
	f.points.transform(coef, values[:len(coef)])
	return coef, off
}

// difference returns kernel m at a base less at the typical one. Where both are nearly the same the
// difference of their values would lose its digits.
func (f *fit) difference(m int, base float64) float64 {
	gamma := f.gamma[m]
	switch far := gamma * (base - f.typical); {
	case far > 0.5 || far < -0.5:
		return math.Exp(-gamma*base) - f.atTypical[m]
	case far > 0:
		return f.atTypical[m] * math.Expm1(-far)
	default:
		return -math.Exp(-gamma*base) * math.Expm1(far)
	}
}

// cutPiece returns the coefficients of one of the pieces of an octave by powers of u, which is -1
// and 1 at the ends of the piece, and a bound of what the powers from terms on would add.
func (f *fit) cutPiece(whole []float64, piece, pieces, terms int) (coef [mostTerms]float64,
	off float64) {
	middle, half := float64(2*piece+1)/float64(pieces)-1, 1/float64(pieces)
	var values, b [nodesDouble]float64
	n := len(whole)
	for i, v := range f.points.node {
		values[i] = chebyshevSum(whole, middle+half*v)
	}
	f.points.transform(b[:n], values[:n])
	for k, c := range b[:terms] {
		for i, t := range chebyshevPowers[k] {
			coef[i] += float64(c * t)
		}
	}
	for _, c := range b[terms:n] {
		off += math.Abs(c)
	}
	return coef, off
}

// allow returns the error that a piece may have. value is that in its middle.
func (f *fit) allow(value float64) float64 {
	// The kernels change by change - value between 0 and there.
	return f.allowed * (f.change + (f.change - value))
}

// chebyshev is the points cos(pi (i + 1/2) / n) of Chebyshev for i = 0 .. n-1, and what goes over
// from values there to coefficients.
type chebyshev struct {
	node []float64
	// cosine holds cos(pi j / (2 n)) for j = 0 .. 4n-1, which is all that occurs.
	cosine []float64
}

func newChebyshev(n int) *chebyshev {
	c := &chebyshev{node: make([]float64, n), cosine: make([]float64, 4*n)}
	for j := range c.cosine {
		c.cosine[j] = math.Cos(math.Pi * float64(j) / float64(2*n))
	}
	for i := range c.node {
		c.node[i] = c.cosine[2*i+1]
	}
	return c
}

// transform sets coef to the coefficients of the polynomial that has these values at the points.
func (c *chebyshev) transform(coef, values []float64) {
	n := len(c.node)
	for k := range coef {
		sum := 0.0
		for i, v := range values {
			sum += float64(v * c.cosine[(2*i+1)*k%(4*n)])
		}
		coef[k] = 2 * sum / float64(n)
	}
	coef[0] /= 2
}

// mostTerms is the number of coefficients of a piece in float64.
const mostTerms = 8

// chebyshevPowers holds the coefficients of T_0 .. T_(mostTerms-1) by powers:
// T_0 = 1, T_1 = u, T_k = 2 u T_(k-1) - T_(k-2).
var chebyshevPowers = func() (t [mostTerms][mostTerms]float64) {
	t[0][0], t[1][1] = 1, 1
	for k := 2; k < mostTerms; k++ {
		for i := range k {
			t[k][i+1] += 2 * t[k-1][i]
			t[k][i] -= t[k-2][i]
		}
	}
	return t
}()

// chebyshevSum returns the sum of Chebyshev's polynomials at v, by Clenshaw's recurrence.
func chebyshevSum(coef []float64, v float64) float64 {
	a, b := 0.0, 0.0
	for k := len(coef) - 1; k > 0; k-- {
		a, b = float64(2*v*a)-b+coef[k], a
	}
	return float64(v*a) - b + coef[0]
}
