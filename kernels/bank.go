package kernels

import (
	"slices"
)

// Bank is the kernels of a problem, arranged in groups. It does not change once its normalisation
// has been set, and may then be used by several goroutines.
type Bank struct {
	Groups
	numbering
	factors
	Shift []float32 // subtracted from each feature before centred products and squared distances

	// Magnified is by how many times the rounding of a value of each kernel exceeds that of a number of the size
	// (k(x,x) k(z,z))^(1/2), as the value is a difference of larger ones; nil: by none.
	Magnified []float64

	objects  *Lookups // see Shape.Lookups
	square32 []float32
	square64 []float64

	// Gates of row and of column points, see Gated; nil: they are 1. gated is the numbers by which
	// the gates know the points; nil: their own numbers.
	rowGates, columnGates Gates
	gated                 []int32
}

// Groups are the groups of a bank.
type Groups []Group

// Multiplied reports whether a kernel is normalised multiplicatively.
func (gs Groups) Multiplied() bool {
	return slices.ContainsFunc(gs, func(g Group) bool { return g.Members.multiplied() })
}

// Bases is the number of bases of all groups.
func (gs Groups) Bases() int {
	n := 0
	for i := range gs {
		n += gs[i].Layers
	}
	return n
}

// fewGroups is the number of groups up to which dense points are packed one by one. To lay a
// working set out by feature takes two to three times the memory of its points, and pays only when
// many groups choose from the features.
const fewGroups = 3

// LaysOut reports whether dense working sets are laid out by feature before they are packed.
//
// The bound of memory in package gradient asks for it as well.
func (gs Groups) LaysOut() bool { return len(gs) > fewGroups }

// Plain makes linear kernels take plain products from here on. Their values are then <x,z>
// whatever the shift is.
//
// It must be called before anything is packed.
func (gs Groups) Plain() {
	for i := range gs {
		if gs[i].Base == CentredProduct {
			gs[i].Base = plainProduct
		}
	}
}

// Gated returns the bank with gates: rows for row points and columns for column points. In
// training both are the same. For predictions rows knows the support vectors by their numbers and
// columns the points of a batch by their place in it, which are what a Set and a Panel number them
// by. Gates that the bank had before are replaced.
//
// The bank must be normalised before: the factors of the multiplicative normalisation are the
// factors of the kernels without gates. Linear kernels take plain products from here on, as after
// Plain: what centring takes from them is a constant only if sum_i alpha_i eta_m(x_i) is 0, which
// nothing ensures.
func (b *Bank) Gated(rows, columns Gates) *Bank {
	r := *b
	r.Groups = append([]Group(nil), b.Groups...)
	r.rowGates, r.columnGates, r.gated = rows, columns, nil
	for i := range r.Groups {
		r.Groups[i].gated = true
		r.Groups[i].asTheyAre()
		r.Groups[i].findCopies()
	}
	r.Plain()
	return &r
}

// Offset is what centring takes from the decision values of a linear kernel. For v = sum_i alpha_i
// x_i of the features as they are, the plain decision value is the centred one plus <v, shift>. It
// is zero for every other kernel.
//
// g must be a group of this bank.
func (b *Bank) Offset(g *Group, v []float64) float64 {
	if g.Base != CentredProduct {
		return 0
	}
	s := 0.0
	g.Each(func(j int) { s += v[j] * float64(b.Shift[j]) })
	return s
}

// Of returns the bank for some of its points, which are given in ascending order and numbered
// again. It shares all else with the bank.
//
// The numbers of the points in matrices, norms and gates are the numbers in the whole bank.
func (b *Bank) Of(index []int32) *Bank {
	r := *b
	r.Groups = append([]Group(nil), b.Groups...)
	for i := range r.Groups {
		// Matrices have rows for all points: the numbers lead from the new numbers to the old ones.
		if g := &r.Groups[i]; g.Base == MatrixRow {
			g.numbers = renumber(g.numbers, index)
		}
		if g := &r.Groups[i]; g.centre != nil {
			g.centre = g.centre.of(index)
		}
	}
	r.square32, r.square64 = pick(b.square32, index), pick(b.square64, index)
	if r.rowGates != nil {
		r.gated = renumber(b.gated, index)
	}
	return &r
}

// renumber returns the numbers in the whole bank of those points that index names by their numbers
// so far. numbers is nil for the whole bank.
func renumber(numbers, index []int32) []int32 {
	if numbers == nil {
		return index
	}
	return pick(numbers, index)
}

// pick returns the elements of from that index names, or nil if there are none.
func pick[T any](from []T, index []int32) []T {
	if from == nil {
		return nil
	}
	r := make([]T, len(index))
	for k, i := range index {
		r[k] = from[i]
	}
	return r
}
