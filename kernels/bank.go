package kernels

import (
	"cmp"
	"math"
	"slices"

	"bigmkl/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/simd"
	"bigmkl/kernelspec"
)

// Base is the quantity that the kernels of a group are functions of.
type Base uint8

// The bases. Centred products serve linear kernels, plain ones polynomials, sigmoids and spherical normalisation.
const (
	CentredProduct Base = iota
	Product
	SquaredDistance
	Distance
	ChiSquareDistance
	Overlap
	MatrixRow
	Words    // how often words occur; the base is the kernel
	Matches  // where words are the same; likewise
	Factored // a product of kernels; likewise
	Foreign  // code of the user; likewise
)

// Member is one kernel of a group: its number in the bank and the transform from the base.
type Member struct {
	ID          int32
	Kind        kernelspec.Kind
	Gamma, Coef float64
	Degree      int
	Layer       int // which of the group's bases the kernel is a function of
	Normalizer  kernelspec.Normalizer
	Squarings   int // exp(-gamma t) is the kernel with gamma/2^Squarings, squared as often; see Group.plan
}

// Group is a set of kernels that share a base.
type Group struct {
	Base     Base
	Features []int32 // 0-based, ascending; nil means all
	Dim      int     // number of features; 0 for a matrix
	First    int     // place of the first member in storage order
	Members  []Member
	Direct   [2]bool // squared distances by differences, in float32 and in float64
	// Spherical kernels are divided by the roots of k(x,x) and k(z,z) as they are added up, and form groups of their own.
	Spherical bool
	Sparse    bool    // products come from the non-zeros, where distances are not direct; all features, or a range
	origin    float64 // |shift|^2 over the features, if centred products are sparse
	scales    []float64
	chains    [][]int  // members, each the square of the one before
	runs      [][2]int // ranges of the others
	Matrix    *npy.Matrix
	numbers   []int32    // of the points in the matrix; nil: their own
	Factors   []Factor   // of Factored
	User      UserKernel // of Foreign
	name      string     // likewise
	Layers    int        // number of bases, which are made together; more than one of string kernels alone
	Key       int        // number of the first of them among those of all groups
	text      *text
}

// Strings tells whether the kernels are those of sequences.
func (g *Group) Strings() bool { return g.text != nil }

// Alone tells whether no other group has a base of the same sort, which would take as long.
func (g *Group) Alone() bool { return g.text != nil || g.Base == Factored || g.Base == Foreign }

// TileSize is the number of elements of the bases of q points against one panel, and Used those that count, from the first on:
// layer by layer, a row for each point.
func (g *Group) TileSize(q int) int { return g.Layers * BaseSize(q) }

// Used is the part of TileSize that is written.
func (g *Group) Used(q int) int { return g.Layers * q * simd.Width }

// Bank is the kernels of a problem, arranged in groups.
type Bank struct {
	Groups   []Group
	Scale    []float64 // factor of each kernel by number; nil means 1
	Shift    []float32 // per feature, subtracted before centred products and squared distances
	definite []bool
	places   []int32
	square32 []float32 // see Shape
	square64 []float64
}

// Above these values of gamma * |x|^2 * eps the squared distance loses too many digits to be taken from norms and
// products, and is summed over differences instead.
const (
	directAbove32 = 1e-4
	directAbove64 = 1e-9
)

// NewBank arranges the kernels of b in groups. Those that do not say how they are normalised take the normaliser given. matrices
// has one entry per precomputed file of b, users the code of the kernels that b names.
func NewBank(b *kernelspec.Bank, s Shape, normalizer kernelspec.Normalizer, matrices []*npy.Matrix, users map[string]UserKernel) (*Bank, error) {
	type key struct {
		base      Base
		spherical bool
		set       int32
		user      int32
		shift     uint16
	}
	at := make(map[key]int)
	bank := &Bank{Shift: s.Shift, square32: s.Square32, square64: s.Square64, definite: make([]bool, len(b.Kernels)), places: make([]int32, len(b.Kernels))}
	for id, k := range b.Kernels {
		own := k.Normalizer.Or(normalizer)
		spherical := own == kernelspec.Spherical && !unitDiagonal(k.Kind)
		base := baseOf(k.Kind, spherical || s.Uncentred)
		set, user := k.Set, int32(0)
		switch base {
		case MatrixRow, Factored:
			set = k.Index
		case Foreign:
			user = k.Index
		}
		i, ok := at[key{base, spherical, set, user, k.Shift}]
		if !ok {
			g, err := newGroup(b, &k, base, &s, matrices, users)
			if err != nil {
				return nil, err
			}
			if g.Spherical = spherical; base == Factored {
				if err := g.makeFactors(b, &k, &s, users); err != nil {
					return nil, err
				}
			}
			i = len(bank.Groups)
			at[key{base, spherical, set, user, k.Shift}] = i
			bank.Groups = append(bank.Groups, g)
		}
		g := &bank.Groups[i]
		bank.definite[id] = g.definite(&k, s.Minimum)
		g.add(int32(id), &k, own)
	}
	first, bases := 0, 0
	for i := range bank.Groups {
		g := &bank.Groups[i]
		g.First, g.Key = first, bases
		first += len(g.Members)
		bases += g.Layers
		g.settle(&s)
		for j, m := range g.Members {
			bank.places[m.ID] = int32(g.First + j)
		}
	}
	return bank, nil
}

// newGroup makes a group for a kernel, without members.
func newGroup(b *kernelspec.Bank, k *kernelspec.Kernel, base Base, s *Shape, matrices []*npy.Matrix, users map[string]UserKernel) (Group, error) {
	g := Group{Base: base, Dim: s.Features, Layers: 1}
	switch {
	case base == MatrixRow:
		g.Matrix, g.Dim = matrices[k.Index], 0
	case k.Set >= 0:
		g.Features = b.Sets[k.Set]
		g.Dim = len(g.Features)
	}
	if base == ChiSquareDistance {
		if j, bad := g.negative(s.Minimum); bad {
			return g, fail.New(fail.Input, "chi2 needs features that are not negative; feature %d goes down to %g", j+1, s.Minimum[j]).
				WithHint("--scale minmax moves features to [0,1]")
		}
	}
	if k.Kind.OfStrings() {
		g.text = newText(b, k)
	}
	if base == Foreign {
		var err error
		g.name = b.Users[k.Index]
		if g.User, err = userOf(b, k, users); err != nil {
			return g, err
		}
	}
	return g, nil
}

// add makes a kernel a member.
func (g *Group) add(id int32, k *kernelspec.Kernel, n kernelspec.Normalizer) {
	m := Member{ID: id, Kind: k.Kind, Gamma: k.Gamma, Coef: k.Coef, Degree: k.Degree, Normalizer: n}
	if g.text != nil {
		m.Layer = g.text.layer(k)
		g.Layers = len(g.text.layers)
	}
	g.Members = append(g.Members, m)
}

// settle decides how the base is made, once all members are there.
func (g *Group) settle(s *Shape) {
	if !s.Outline { // products of non-zeros take less
		g.chooseSparse(s)
		g.chooseDirect(s)
	}
	g.plan()
}

// Len is the number of kernels.
func (b *Bank) Len() int { return len(b.definite) }

// Multiplied tells whether some kernel is normalised multiplicatively.
func (b *Bank) Multiplied() bool {
	return slices.ContainsFunc(b.Groups, func(g Group) bool { return g.multiplied() })
}

func (g *Group) multiplied() bool {
	return slices.ContainsFunc(g.Members, func(m Member) bool { return m.Normalizer == kernelspec.Multiplicative })
}

// Bases is the number of bases of all groups.
func (b *Bank) Bases() int {
	n := 0
	for i := range b.Groups {
		n += b.Groups[i].Layers
	}
	return n
}

// Definite tells whether kernel id is positive semi-definite whatever the points.
func (b *Bank) Definite(id int) bool { return b.definite[id] }

// Plain has linear kernels take plain products from here on. Their values are then <x,z> whatever the shift.
func (b *Bank) Plain() {
	for i := range b.Groups {
		if b.Groups[i].Base == CentredProduct {
			b.Groups[i].Base = Product
		}
	}
}

// Offset is what centring takes from the values of a linear kernel's function: for v = sum_i alpha_i x_i (raw features) the
// raw decision value is the centred one plus <v, shift>. It is zero for every other kernel.
func (b *Bank) Offset(g *Group, v []float64) float64 {
	if g.Base != CentredProduct {
		return 0
	}
	s := 0.0
	g.Each(func(j int) { s += v[j] * float64(b.Shift[j]) })
	return s
}

func baseOf(k kernelspec.Kind, plain bool) Base {
	switch k {
	case kernelspec.Linear:
		if plain {
			return Product
		}
		return CentredProduct
	case kernelspec.Gauss:
		return SquaredDistance
	case kernelspec.Laplace:
		return Distance
	case kernelspec.ChiSquare:
		return ChiSquareDistance
	case kernelspec.Intersection:
		return Overlap
	case kernelspec.Precomputed:
		return MatrixRow
	case kernelspec.Spectrum:
		return Words
	case kernelspec.WeightedDegree:
		return Matches
	case kernelspec.Product:
		return Factored
	case kernelspec.User:
		return Foreign
	}
	return Product
}

// shortRange is the number of features below which a range is taken densely whatever the points.
const shortRange = 64

// ranges tells whether the features are all, or many that lie side by side: the non-zeros of a point do so, too, then.
func (g *Group) ranges() bool {
	n := len(g.Features)
	return g.Features == nil || n >= shortRange && int(g.Features[n-1]-g.Features[0]) == n-1
}

// clip gives the non-zeros of a point that are features of a group that ranges.
func (g *Group) clip(index []int32, value []float32) ([]int32, []float32) {
	from, to := g.part(index)
	return index[from:to], value[from:to]
}

// part is where the features of a group that ranges are among the non-zeros of a point.
func (g *Group) part(index []int32) (from, to int) {
	if g.Features == nil {
		return 0, len(index)
	}
	from, _ = slices.BinarySearch(index, g.Features[0])
	to, _ = slices.BinarySearch(index, g.Features[len(g.Features)-1]+1)
	return from, to
}

// Nonzeros is the number of terms of a point in a sparse product.
func (g *Group) Nonzeros(index []int32) int {
	from, to := g.part(index)
	return to - from
}

// feature is the number of the group's kth feature.
func (g *Group) feature(k int) int {
	if g.Features == nil {
		return k
	}
	return int(g.Features[k])
}

// Each visits the features of the group in ascending order.
func (g *Group) Each(f func(j int)) {
	if g.Features == nil {
		for j := range g.Dim {
			f(j)
		}
		return
	}
	for _, j := range g.Features {
		f(int(j))
	}
}

// UnitDiagonal tells whether k(x,x) = 1 for every member.
func (g *Group) UnitDiagonal() bool {
	return g.Base == SquaredDistance || g.Base == Distance || g.Base == ChiSquareDistance
}

func (g *Group) negative(minimum []float32) (feature int, bad bool) {
	if minimum == nil { // of an outline
		return 0, false
	}
	g.Each(func(j int) {
		if minimum[j] < 0 && !bad {
			feature, bad = j, true
		}
	})
	return feature, bad
}

func (g *Group) definite(k *kernelspec.Kernel, minimum []float32) bool {
	switch k.Kind {
	case kernelspec.Product: // of definite matrices, entry by entry (Schur, 1911)
		return !slices.ContainsFunc(g.Factors, func(f Factor) bool { return !f.definite })
	case kernelspec.User:
		return g.User.Definite()
	case kernelspec.Sigmoid, kernelspec.Precomputed:
		return false
	case kernelspec.Poly:
		return k.Gamma >= 0 && k.Coef >= 0
	case kernelspec.Intersection:
		_, negative := g.negative(minimum)
		return !negative
	}
	return true
}

// spread is the least share of |shift|^2 that the points' variance has to be where centred products are taken from sparse ones:
// digits are lost with 1 + 1/spread.
const spread = 1.0 / 16

// chooseSparse decides from the data alone where products are sparse ones.
func (g *Group) chooseSparse(s *Shape) {
	if !s.Sparse || !g.ranges() {
		return
	}
	switch g.Base {
	case Product, SquaredDistance:
		g.Sparse = true
	case CentredProduct:
		variance := 0.0
		g.Each(func(j int) {
			g.origin += float64(s.Shift[j]) * float64(s.Shift[j])
			variance += s.Variance[j]
		})
		g.Sparse = variance >= spread*g.origin
	}
}

// chooseDirect decides from the data alone how squared distances are computed. Non-zeros are not centred; the largest norm
// bounds those of a range.
func (g *Group) chooseDirect(s *Shape) {
	if g.Base != SquaredDistance {
		return
	}
	norm := 0.0
	if g.Sparse {
		norm = slices.Max(append([]float64{0}, s.Square64...))
	} else {
		g.Each(func(j int) { norm += s.Deviation[j] })
	}
	widest := slices.MaxFunc(g.Members, func(a, b Member) int { return cmp.Compare(a.Gamma, b.Gamma) }).Gamma
	g.Direct[0] = norm*widest*math.Pow(2, -24) > directAbove32
	g.Direct[1] = norm*widest*math.Pow(2, -53) > directAbove64
}

// Factor is the multiplicative normaliser of kernel id.
func (b *Bank) Factor(id int) float64 {
	if b.Scale == nil {
		return 1
	}
	return b.Scale[id]
}

// Places gives each kernel's place in storage order, in which the members of a group lie side by side.
func (b *Bank) Places() []int32 { return b.places }
