package kernels

import (
	"math"
	"slices"

	"bigmkl/internal/kernelspec"
)

// How a base is made depends on the data: products of points with many zeros are cheaper from
// their non-zeros, and squared distances from norms and products lose digits where points lie far
// from the origin. Both are decided once, from the data alone, and never from budgets or threads:
// which way is taken changes the last bits of every kernel value.

// Above these values of gamma |x|^2 eps a squared distance from norms and products has lost too
// many digits, and is summed over differences instead. eps is 2^-24 and 2^-53.
const (
	directAbove32 = 1e-4
	directAbove64 = 1e-9
)

// spread is the least share of |shift|^2 that the variance of the points must have for centred
// products to be taken from sparse ones. By that way digits are lost in proportion to 1 +
// 1/spread.
const spread = 1.0 / 16

// baseOf is the base of a kind of kernel; plain linear kernels take products that are not centred.
func baseOf(k kernelspec.Kind, plain bool) Base {
	switch k.Base() {
	case kernelspec.SquaredDistance:
		return SquaredDistance
	case kernelspec.AbsoluteDistance:
		return absoluteDistance
	case kernelspec.ChiSquareDistance:
		return chiSquareDistance
	case kernelspec.MinimumSum:
		return minimumSum
	case kernelspec.InnerProduct:
		if k == kernelspec.Linear && !plain {
			return CentredProduct
		}
		return plainProduct
	}
	switch k {
	case kernelspec.Precomputed:
		return MatrixRow
	case kernelspec.Spectrum:
		return wordCounts
	case kernelspec.WeightedDegree:
		return letterMatches
	case kernelspec.Product:
		return Factored
	}
	return userValue
}

// baseChoice decides how the base of a group is made for points of a shape.
type baseChoice struct {
	*Group
	shape *Shape
}

// settle decides how the base is made, once all members are in the group. It is called once.
func (c baseChoice) settle() {
	if !c.shape.Outline { // dense products take more, which is what an outline has to count
		c.chooseSparse()
		c.chooseDirect()
	}
	c.plan(c.Members)
}

// chooseSparse decides whether products come from non-zeros.
func (c baseChoice) chooseSparse() {
	g, s := c.Group, c.shape
	// Scattered features are laid out densely, because most non-zeros would have to be skipped.
	if !s.Sparse || !g.ranges() {
		return
	}
	switch g.Base {
	case plainProduct, SquaredDistance:
		g.Sparse = true
	// The mean must not be much larger than the spread, or centring sparse products would lose
	// digits.
	case CentredProduct:
		variance := 0.0
		g.Each(func(j int) {
			g.origin += float64(s.Shift[j]) * float64(s.Shift[j])
			variance += s.Variance[j]
		})
		g.Sparse = variance >= spread*g.origin
	}
}

// chooseDirect decides whether squared distances are summed over differences. The digits lost grow
// with the largest norm that a point can have: over the features of the group where these are
// centred, over all features where they are sparse.
func (c baseChoice) chooseDirect() {
	g, s := c.Group, c.shape
	if g.Base != SquaredDistance {
		return
	}
	norm := 0.0
	if g.Sparse {
		norm = slices.Max(append([]float64{0}, s.Square64...))
	} else {
		g.Each(func(j int) { norm += s.Deviation[j] })
	}
	widest := 0.0
	for i := range g.Members {
		widest = max(widest, g.Members[i].slope())
	}
	// A distance from norms is wrong by eps times the norms, and the kernel's value by its slope times
	// that.
	g.Direct[0] = norm*widest*math.Pow(2, -24) > directAbove32
	g.Direct[1] = norm*widest*math.Pow(2, -53) > directAbove64
}

// definite reports whether a kernel of the group is positive semi-definite whatever the points are, given the
// least value of every feature. A product of definite matrices, entry by entry, is definite (Schur
// 1911).
//
// Where nothing is known the function returns false: a kernel that is taken to be definite and is
// not would make the duality gap prove what is false.
func (c baseChoice) definite(k *kernelspec.Kernel) bool {
	switch k.Kind {
	case kernelspec.Product:
		return !slices.ContainsFunc(c.Factors, func(f Factor) bool { return !f.definite })
	case kernelspec.User, kernelspec.Pairwise:
		return c.User.Definite()
	// Nothing is known of a matrix from a file, and tanh kernels are indefinite for most
	// parameters.
	case kernelspec.Sigmoid, kernelspec.Precomputed:
		return false
	case kernelspec.Poly:
		return k.Gamma >= 0 && k.Coef >= 0
	case kernelspec.Intersection:
		_, negative := c.negative(c.shape.Minimum)
		return !negative
	}
	return true
}
