package kernelspec

import (
	"fmt"
	"strings"
)

// Kind is the function of a kernel.
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
	Matern
)

// Base is the number of two points x and z that kernels of a kind are functions of.
type Base uint8

// These are the bases of kernels.
const (
	InnerProduct      Base = iota // <x,z>
	SquaredDistance               // |x-z|^2
	AbsoluteDistance              // sum_j |x_j - z_j|
	ChiSquareDistance             // sum_j (x_j - z_j)^2 / (x_j + z_j)
	MinimumSum                    // sum_j min(x_j, z_j)
	OwnValue                      // the value of the kernel itself
)

// kinds has a row for each kind: its name and its base. A new kind has its formula in kernels/functions.go, in
// verify/kernel.go and, if other programs can compute it, in internal/export/onnx.go.
var kinds = [...]struct {
	name string
	base Base
}{
	Gauss:   {"gauss", SquaredDistance},
	Matern:  {"matern", SquaredDistance},
	Laplace: {"laplace", AbsoluteDistance},

	ChiSquare:    {"chi2", ChiSquareDistance},
	Intersection: {"intersection", MinimumSum},

	Linear:  {"linear", InnerProduct},
	Poly:    {"poly", InnerProduct},
	Sigmoid: {"sigmoid", InnerProduct},

	Precomputed:    {"precomputed", OwnValue},
	Spectrum:       {"spectrum", OwnValue},
	WeightedDegree: {"wd", OwnValue},
	Product:        {"prod", OwnValue},
	User:           {"user", OwnValue},
	Pairwise:       {"pair", OwnValue},
}

// Forms lists how specifications name the kernels of rows of numbers that need no file, for help
// texts, in two lines. V is a width, a range of widths, or auto or mean with a number of widths.
const Forms = "gauss:V laplace:V chi2:V matern:1.5:V matern:2.5:V\n" +
	"linear poly:D[:GAMMA:COEF] sigmoid:V[:COEF] intersection"

// Examples are beginnings of specifications with usual parameters, for completions.
var Examples = []string{"gauss:auto", "gauss:auto/10", "gauss:auto/10@each-view", "laplace:auto", "chi2:auto", "matern:1.5:auto", "matern:2.5:auto", "linear", "poly:2",
	"sigmoid:0.1", "intersection", "spectrum:3", "wd:5", "precomputed:", "prod(", "pow(", "pair(", "antipair(", "proj("}

// String returns the name used in specifications.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k].name
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Base returns the number that kernels of the kind are functions of.
func (k Kind) Base() Base {
	if int(k) < len(kinds) {
		return kinds[k].base
	}
	return OwnValue
}

// HasWidth reports whether kernels of the kind are functions of a distance that Gamma scales. They are 1 for a point
// with itself.
func (k Kind) HasWidth() bool {
	b := k.Base()
	return b == SquaredDistance || b == AbsoluteDistance || b == ChiSquareDistance
}

// HasConstant reports whether kernels of the kind have a constant beside what depends on the base: the value where
// Gamma is 0. Polynomials have one if Coef is above 0.
func (k Kind) HasConstant() bool { return k.HasWidth() || k == Sigmoid }

// Stem returns the text in front of the width in a specification, such as gauss or matern:1.5.
func (k *Kernel) Stem() string {
	if k.Kind == Matern {
		return fmt.Sprintf("%s:%d.5", k.Kind, k.Degree)
	}
	return k.Kind.String()
}

// CutStem cuts a specification of kernels with a width behind their stem and its colon.
func CutStem(spec string) (stem, rest string, found bool) {
	for i := range kinds {
		k := Kernel{Kind: Kind(i)}
		for k.Degree = 1; k.Kind.HasWidth() && k.Degree <= mostSmooth; k.Degree++ {
			if rest, found := strings.CutPrefix(spec, k.Stem()+":"); found {
				return k.Stem(), rest, true
			}
		}
	}
	return "", "", false
}

// mostSmooth is the largest Degree of a Matern kernel.
const mostSmooth = 2

// kindOf finds a kind by its name or a synonym.
func kindOf(name string) (Kind, bool) {
	if name == "hist" {
		return Intersection, true
	}
	for i := range kinds {
		if kinds[i].name == name {
			return Kind(i), true
		}
	}
	return 0, false
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
	// Missing selects the replacement of values at rows that lack the view that Set is.
	Missing Missing
	// Shift belongs to WeightedDegree.
	Shift       uint16
	Gamma, Coef float64
	// Degree is the degree of a polynomial, or the length of the words that a string kernel compares. A Matern
	// kernel has the smoothness Degree + 1/2.
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
	// Cost is what a kernel costs, 1 if its specification has no cost.
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
