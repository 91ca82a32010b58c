package verify

import (
	"slices"

	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/kernelspec"
)

// This file defines groups: kernels whose values are computed from one and the same number.

// group is a list of kernels that are functions of the same base over the same features, so the
// base is computed once for all of them: a hundred Gaussian kernels cost one squared distance and
// a hundred exponentials. String kernels, products and kernels of the user are alone in their
// group.
type group struct {
	base     base
	features []int32 // nil for all
	dim      int     // number of features
	matrix   *npy.Matrix
	one      *kernelspec.Kernel // the kernel that the group was made for
	factors  []factor           // of a product
	filling                     // of a kernel of a view that rows may lack
	centre   *centring          // of a kernel that is centred; nil for others
	user     UserKernel         // of a kernel of the user
	kernels  []int32

	spherical bool // k(z,z) of support vectors is needed
	active    bool // some classifier gives a kernel of the group a weight, so all rows need it
}

// factor is one kernel of a product, as a group of its own, and the power that it is raised to.
type factor struct {
	group group
	power int
}

// length returns how much more the base of the group is rounded than a short sum is.
func (g *group) length() float64 { return 1 + float64(g.dim)/longSum }

// isAsymmetric reports whether k(x,z) and k(z,x) may differ in their last digits. That is so for
// matrices from files and for code of the user; every other base is computed symmetrically.
func isAsymmetric(g *group) bool {
	if g.base == matrixEntry || g.base == userKernel {
		return true
	}
	return slices.ContainsFunc(g.factors, func(f factor) bool { return isAsymmetric(&f.group) })
}

// base is the number that the kernels of a group are functions of.
type base uint8

const (
	innerProduct    base = iota // <x,z>
	squaredDistance             // |x-z|^2
	manhattan                   // sum_j |x_j - z_j|
	chiSquare                   // sum_j (x_j - z_j)^2 / (x_j + z_j)
	minimumSum                  // sum_j min(x_j, z_j)
	matrixEntry                 // an entry of a matrix from a file
	stringKernel                // the value of a string kernel itself
	productKernel               // the value of a product of kernels itself
	userKernel                  // the value that code of the user returns
	filledKernel                // the value of a kernel that is centred, or of a view that rows may lack
)

// baseOf returns the base of a kind of kernels.
func baseOf(k kernelspec.Kind) base {
	switch k.Base() {
	case kernelspec.InnerProduct:
		return innerProduct
	case kernelspec.SquaredDistance:
		return squaredDistance
	case kernelspec.AbsoluteDistance:
		return manhattan
	case kernelspec.ChiSquareDistance:
		return chiSquare
	case kernelspec.MinimumSum:
		return minimumSum
	}
	switch k {
	case kernelspec.Precomputed:
		return matrixEntry
	case kernelspec.Spectrum, kernelspec.WeightedDegree:
		return stringKernel
	case kernelspec.Product:
		return productKernel
	}
	return userKernel
}
