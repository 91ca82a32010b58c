package kernels

import (
	"bigmkl/internal/simd"
)

// Rows is the row side of a group's tiles. Most groups pack q points in blocks of 8 as
// [block][feature][8], with zeros behind the last point, or else the non-zeros of each point,
// padded with zeros for simd.SparseDot. The memory is used again when other points are packed.
type Rows[T simd.Real] struct {
	Len   int
	pack  []T
	self  []T     // base of each point with itself; of string kernels [layer][point]
	ids   []int32 // numbers of the points, which rows of a matrix are looked up by
	start []int   // of each point's non-zeros
	index []int32 // features of the non-zeros
	value []T     // values of the non-zeros

	// used has a bit for each feature and block that is not 0 at some point of the block; it is empty where nobody asks.
	used []uint64

	// moved is what centring takes from the products of each sparse point; see packer.centre.
	moved   []T
	bits    bitText      // of weighted degree kernels
	words   []profile[T] // of spectrum kernels, one for each layer
	factors []Rows[T]    // of a product
	flags   []float32    // of points that may lack a view; see lacking
	means   []float64    // of the values with a sample, under centring
	user    vectors      // of a user's kernel
	looked  [][]float64  // values of the objects of the points, [factor][point]
	squared [][]T        // the same with the objects of a set alone; see ObjectSquare
	kept    [][]T        // rows of a table for the points; nil if the rest is packed
}

// Columns is the column side of a group's tiles: one panel of 32 points. Most groups pack it as
// [feature][32]. The panel itself may be in use, so it must stay valid as long as the columns.
type Columns[T simd.Real] struct {
	pack    []T
	own     []T          // memory of pack, where pack is not the panel itself
	self    []T          // base of each point with itself; of string kernels [layer][32]
	first   int          // number of the first point
	count   int          // number of points
	ids     []int32      // numbers of the points, if they do not lie side by side
	place   []int32      // rows of the panel for sparse products; see Panel
	moved   []T          // as of Rows
	used    []uint64     // as of Rows, for the panel
	bits    bitText      // as of Rows
	lexica  []lexicon[T] // of spectrum kernels, one for each layer
	factors []Columns[T] // of a product
	flags   [simd.Width]float32
	means   [simd.Width]float64 // as of Rows
	user    vectors             // of a user's kernel
	numbers []int32             // of the objects of the points, [column][32]

	// lazy is the group whose self has not been computed yet. Few callers ask for k(x,x) where it
	// takes more than a look at the features, and findSelf then makes up for it.
	lazy *Group
}

// of notes which points the columns are.
func (c *Columns[T]) of(p *Panel) { c.first, c.count, c.ids, c.lazy = p.First, p.Len, p.IDs, nil }

// vectors is points as plain slices of features, which is how a user's kernel takes them.
type vectors struct {
	at   [][]float32
	flat []float32
}

// room makes room for n points and sets their features to zero.
func (u *vectors) room(n, dim int) {
	u.flat = grow(u.flat, n*dim)
	clear(u.flat)
	u.at = resize(u.at, n)
	for i := range u.at {
		u.at[i] = u.flat[i*dim : (i+1)*dim : (i+1)*dim]
	}
}
