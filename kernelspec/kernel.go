package kernelspec

import (
	"fmt"
	"slices"
)

// Kind says which function a kernel is.
type Kind uint8

var _ fmt.Stringer = Kind(0)

// These are the kinds of kernels. The package comment gives their formulas.
const (
	Gauss Kind = iota
	Laplace
	Linear
	Poly
	Sigmoid
	ChiSquare
	Intersection
	Precomputed
	Spectrum
	WeightedDegree
	Product
	User
	Pairwise
)

var kindNames = [...]string{"gauss", "laplace", "linear", "poly", "sigmoid", "chi2", "intersection",
	"precomputed", "spectrum", "wd", "prod", "user", "pair"}

// Forms lists how specifications name the kernels of rows of numbers that need no file, for help
// texts. V is a width, a range of widths, or auto or mean with a number of widths.
const Forms = "gauss:V laplace:V chi2:V linear poly:D[:GAMMA:COEF] sigmoid:V[:COEF] intersection"

// String returns the name used in specifications.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// kindOf finds a kind by its name or a synonym.
func kindOf(name string) (Kind, bool) {
	if name == "hist" {
		return Intersection, true
	}
	i := slices.Index(kindNames[:], name)
	return Kind(max(i, 0)), i >= 0
}

// OfStrings reports whether the kernel compares sequences.
func (k Kind) OfStrings() bool { return k == Spectrum || k == WeightedDegree }

// AllFeatures is the Set of a kernel over all features.
const AllFeatures = -1

// Kernel is one kernel of a bank. Fields that its kind does not use are 0.
type Kernel struct {
	Kind Kind
	// Mismatches belongs to Spectrum.
	Mismatches uint8
	Normalizer Normalizer
	// Missing says what stands for values at rows that lack the view that Set is.
	Missing Missing
	// Shift belongs to WeightedDegree.
	Shift       uint16
	Gamma, Coef float64
	// Degree is that of a polynomial, or the length of the words that a string kernel compares.
	Degree int
	// Set is an index into Bank.Sets, or AllFeatures.
	Set int32
	// Index points into Bank.Files for Precomputed, into Bank.Products for Product, into Bank.Users
	// for User, and into Bank.Pairs for Pairwise. With Missing it is the feature that flags rows
	// which lack the view.
	Index int32
}

// Factor is one factor of a product of kernels: the power of a kernel.
type Factor struct {
	Kernel Kernel
	Power  int
}

// Attribute holds for the kernels from First up to the First of the next Attribute. These kernels
// come from one specification.
type Attribute struct {
	// Prior multiplies the importance of the kernels.
	Prior float64
	// Cost is what a kernel costs, 1 if its specification does not say so.
	Cost  float64
	First int32
	// Group is an index into Bank.Groups. It is -1 if each kernel is a group of its own.
	Group int32
}

const (
	maxShift = 1000
	// maxNeighbours is the largest number of words for which a word with mismatches may count.
	maxNeighbours = 300
	// wordBits is the number of bits of a word.
	wordBits = 64
)
