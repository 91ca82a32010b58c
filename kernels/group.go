package kernels

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

// Group is a set of kernels that share a base.
type Group struct {
	Base Base
	features
	First   int // place of the first member in storage order
	Members Members
	Direct  [2]bool // squared distances are sums of differences, in float32 and in float64
	layers
	pointwise

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

// centred reports whether the base is made from centred features where these are dense.
func (g *Group) centred() bool { return g.Base == CentredProduct || g.Base == SquaredDistance }
