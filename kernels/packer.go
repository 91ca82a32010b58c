package kernels

import (
	"bigmkl/internal/simd"
)

// packer packs the features of points for groups whose base is a sum over features. It owns scratch
// memory of one goroutine.
type packer[T simd.Real] struct {
	bank *Bank
	few  bool      // there are few groups, so no set is laid out by feature
	work []T       // non-zeros of a point
	none []float32 // zeros, which represent a shift
}

// sparse reports whether the group's base comes from non-zeros in this precision.
func (e *packer[T]) sparse(g *Group) bool { return g.Sparse && !g.Direct[precision[T]()] }

// centred reports whether the features of the group are centred in this precision. Distances that
// are summed over differences need no centring, and would suffer from it: where features differ by
// less than the rounding of their mean, centred ones differ by nothing.
func (e *packer[T]) centred(g *Group) bool {
	return g.centred() && !(g.Base == SquaredDistance && g.Direct[precision[T]()])
}

// shift returns what is subtracted from the features of the group.
func (e *packer[T]) shift(g *Group) []float32 {
	if e.centred(g) {
		return e.bank.Shift
	}
	return e.zeros(len(e.bank.Shift))
}

// zeros returns n zeros.
func (e *packer[T]) zeros(n int) []float32 {
	e.none = zeros(e.none, n)
	return e.none[:n]
}

// square is |x|^2 of the sparse point with the given number, over all features.
func (e *packer[T]) square(id int) T {
	if precision[T]() == 0 {
		// Norms are those that were computed when the bank was built, in the precision of T.
		return T(e.bank.square32[id])
	}
	return T(e.bank.square64[id])
}
