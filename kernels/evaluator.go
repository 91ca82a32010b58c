package kernels

import (
	"bigmkl/internal/simd"
)

// Evaluator computes tiles of kernel values. It owns the scratch memory of one goroutine and must
// not be used by two at once; the bank is shared. The features that it reads are float32 for
// either T; T is the type of products, bases and values.
type Evaluator[T simd.Real] struct {
	packer[T]
	pointFactors[T]
	table    *Table[T] // nil if all bases are computed
	products sparseProducts[T]
	sums     differences[T]
	factor   []T // tile of a product's factor
	centred  []T // values of a kernel with points of a sample

	// Square is where kernels of objects look up values while the points of one set alone are packed; nil: in the tables of all objects.
	Square *ObjectSquare[T]
}

// NewEvaluator returns an evaluator for the bank.
//
// Its scratch memory grows with the groups that it is used for.
func NewEvaluator[T simd.Real](b *Bank) *Evaluator[T] {
	return &Evaluator[T]{packer: packer[T]{bank: b, few: !b.LaysOut()}, pointFactors: pointFactors[T]{bank: b}}
}

// Sparse reports whether the evaluator takes the non-zeros of the group's points.
func (e *Evaluator[T]) Sparse(g *Group) bool { return e.sparse(g) }

// RowsBytes bounds what the packed rows of q points of a set take, in bytes.
func (e *Evaluator[T]) RowsBytes(g *Group, set *Set, q int) int64 {
	// The size of T is 4 or 8 bytes.
	size := int64(4 << precision[T]())
	if e.Tabulates(g) {
		return int64(q) * 24 // a slice
	}
	if g.Base == Factored {
		sum := int64(q) * size
		// Each factor packs the points for itself.
		for _, f := range g.Factors {
			sum += e.RowsBytes(f.Group, set, q)
		}
		return sum
	}
	if e.Sparse(g) {
		return int64(set.Nonzeros()+q*simd.Rows/2)*(size+4) + int64(q)*(size+8)
	}
	return GroupMemory{g, size}.Rows(q)
}
