package kernels

import (
	"slices"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// Base is the quantity that the kernels of a group are functions of.
type Base uint8

// The bases. From wordCounts on the base is the kernel itself. Linear kernels are functions of centred
// products, unless they are normalised spherically or the dual variables do not sum to zero;
// polynomials and sigmoids are functions of plain products.
const (
	CentredProduct    Base = iota // <x - shift, z - shift>
	plainProduct                  // <x, z>
	SquaredDistance               // |x - z|^2
	absoluteDistance              // sum_j |x_j - z_j|
	chiSquareDistance             // sum_j (x_j - z_j)^2 / (x_j + z_j)
	minimumSum                    // sum_j min(x_j, z_j)
	MatrixRow                     // an entry of a matrix from a file
	wordCounts                    // the product of word counts
	letterMatches                 // the weighted number of common words at the same places
	Factored                      // the product of other kernels
	userValue                     // the value that the user's code gives
	Looked                        // a value that is looked up by the objects of the points
)

// Member is one kernel of a group: its number in the bank and the transform from the base.
type Member struct {
	ID          int32
	Kind        kernelspec.Kind
	Gamma, Coef float64
	Degree      int
	Layer       int // which of the group's bases the kernel is a function of
	Normalizer  kernelspec.Normalizer

	// Squarings states how the value of an exponential kernel is made: exp(-gamma t) is
	// exp(-gamma/2^Squarings t), squared so many times. The value has the same bits whether the
	// kernel is computed alone or in a chain of squares (see Group.plan).
	Squarings int

	// Wide means that sums take k - 1 in place of k, and Constant what they leave out; see
	// Bank.FindWide.
	Wide     bool
	Constant float64
}

// Group is a set of kernels that share a base.
type Group struct {
	Base Base
	features
	First   int // place of the first member in storage order
	Members []Member
	Direct  [2]bool // squared distances are sums of differences, in float32 and in float64
	Layers  int     // number of bases, which are made together; above 1 for string kernels alone
	Key     int     // number of the first of these bases among the bases of all groups

	// Spherical means that the kernels are divided by the roots of k(x,x) and k(z,z) (Kloft 2011,
	// eq. 3.7) when they are added up. Such kernels have groups of their own.
	Spherical bool

	gated bool // kernels are multiplied by gates when they are added up; see Bank.Gated

	// Sparse means that products come from the non-zeros of the points, unless distances are
	// direct. The group looks at all features or at a long range of them.
	Sparse bool

	tabulated            // of MatrixRow
	Factors   []Factor   // of Factored
	User      UserKernel // of userValue
	looked               // of Looked

	lacking           // of Factored, for a kernel of a view that rows may lack
	centre  *centring // of Factored, for a kernel that is centred; nil for others

	chaining         // of exponentials
	origin   float64 // |shift|^2 over the features, if centred products are sparse
	name     string  // of the user's kernel
	text     *text   // of string kernels
}

// Factor is one factor of a product: the power of a kernel that has a group to itself.
type Factor struct {
	Group    *Group
	Power    int
	definite bool
}

// Strings reports whether the kernels are kernels of sequences.
func (g *Group) Strings() bool { return g.text != nil }

// Alone reports whether the time for a base reports nothing about other groups with the same kind
// of base and as many features.
//
// The time for such a base depends on the text, the factors or the user's code.
func (g *Group) Alone() bool {
	return g.text != nil || g.Base == Factored || g.Base == userValue || g.Base == Looked
}

// PointFactors reports whether the kernels of the group have a factor for each point, by which
// values are multiplied when they are added up: under the spherical normalisation or under gates.
// RowFactors and ColumnFactors give these factors.
func (g *Group) PointFactors() bool { return g.Spherical || g.gated }

// Gated reports whether the kernels of the group have gates.
func (g *Group) Gated() bool { return g.gated }

// UnitDiagonal reports whether k(x,x) = 1 for every member.
func (g *Group) UnitDiagonal() bool {
	return !slices.ContainsFunc(g.Members, func(m Member) bool { return !unitDiagonal(m.Kind) })
}

// isExponential reports whether kernels of the kind are exp(-gamma t) of their base t, a distance.
func isExponential(k kernelspec.Kind) bool {
	return k == kernelspec.Gauss || k == kernelspec.Laplace || k == kernelspec.ChiSquare
}

// unitDiagonal reports whether k(x,x) = 1 for every kernel of the kind: for functions of a distance that are 1
// at 0 it is so.
func unitDiagonal(k kernelspec.Kind) bool { return k.HasWidth() }

// TileSize is the number of elements that the bases of q points against one panel take.
func (g *Group) TileSize(q int) int { return g.Layers * BaseSize(q) }

// Used is the number of those elements that count, from the first on: layer by layer, 32 for each
// point. The rest of TileSize is written as well, but holds no values.
func (g *Group) Used(q int) int { return g.Layers * q * simd.Width }

// Parts visits the groups that look at points: the factors of a product, or else the group itself.
//
// Factors of a product are not products themselves.
func (g *Group) Parts(visit func(part *Group)) {
	for i := range g.Factors {
		visit(g.Factors[i].Group)
	}
	if g.Factors == nil {
		visit(g)
	}
}

// multiplied reports whether a member is normalised multiplicatively.
func (g *Group) multiplied() bool {
	return slices.ContainsFunc(g.Members,
		func(m Member) bool { return m.Normalizer == kernelspec.Multiplicative })
}

// centred reports whether the base is made from centred features where these are dense.
func (g *Group) centred() bool { return g.Base == CentredProduct || g.Base == SquaredDistance }
