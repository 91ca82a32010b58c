package kernelspec

import (
	"fmt"
	"slices"
)

// Kind says which function a kernel is.
type Kind uint8

// The kinds of kernels; the package comment gives their formulas.
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
)

var kindNames = [...]string{"gauss", "laplace", "linear", "poly", "sigmoid", "chi2", "intersection", "precomputed", "spectrum", "wd", "prod", "user"}

// String gives the name used in specifications.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// kindOf finds a kind by its name, synonyms included.
func kindOf(name string) (Kind, bool) {
	if name == "hist" {
		return Intersection, true
	}
	i := slices.Index(kindNames[:], name)
	return Kind(max(i, 0)), i >= 0
}

// OfStrings tells kernels of sequences.
func (k Kind) OfStrings() bool { return k == Spectrum || k == WeightedDegree }

// AllFeatures is the Set of a kernel over all features.
const AllFeatures = -1

// Kernel is one kernel of a bank. Fields that its kind does not use are 0.
type Kernel struct {
	Kind        Kind
	Mismatches  uint8 // Spectrum
	Normalizer  Normalizer
	Shift       uint16 // WeightedDegree
	Gamma, Coef float64
	Degree      int   // and the length of the words that string kernels compare
	Set         int32 // index into Bank.Sets, or AllFeatures
	Index       int32 // Precomputed: into Bank.Files; Product: into Bank.Products; User: into Bank.Users
}

// Factor is one factor of a product of kernels: the power of a kernel.
type Factor struct {
	Kernel Kernel
	Power  int
}

// Attribute holds for the kernels from First up to the next Attribute: those of one specification.
type Attribute struct {
	Importance float64
	First      int32
	Group      int32 // index into Bank.Groups, -1 for a group of its own to each kernel
}

const (
	maxShift = 1000
	// maxNeighbours bounds the words that a word with mismatches counts for.
	maxNeighbours = 300
	wordBits      = 64 // of a word
)
