package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// update is what one pass does. Vectors over kernels are in storage order, and vectors over points
// are padded with zeros to whole panels. The changes of a set are [column][point].
type update struct {
	set     *workingSet
	columns int       // of dual variables; [column] comes first in all vectors but theta
	vector  []float64 // change of the linear kernels' vector; nil: there are none
	origin  []float64 // shift'vector of each linear group
	step    []float64 // gradients of which length times is added; nil: there are none
	length  float64
	pending *Pending // of a pass that combines: what is done before it and, if it is cut, after it
	skip    []bool   // groups that the pass leaves as they are; nil: none
	number  int64    // number of the pass, by which checks of invariants take turns

	// look makes the pass one that changes no gradient: what the change of the dual variables adds
	// to the combined gradient is all that combined is set to. It is nil for other passes.
	look *look

	// The gradients are combined under the weights theta to combined = sum_m theta_m g_m, and
	// alpha'g_m is summed to v. If theta is nil, neither is done.
	alpha, theta, combined, v []float64
}

// skips reports whether the pass leaves group number k as it is.
func (u *update) skips(k int) bool { return u.skip != nil && u.skip[k] }

// plan holds for one group where the base rows of the working set come from.
//
// A row comes from the cache, is computed and handed to the cache, or is computed alone.
type plan[T simd.Real] struct {
	// rows is the cached row of each base and working point, or nil for those without one. It is
	// nil if the cache has no row of the group.
	rows    [][]T
	first   int                   // the panel that these rows begin with
	hit     []bool                // whether all rows of a working point are in the cache
	compute []int                 // working points whose bases are computed, ascending
	packed  *kernels.Rows[T]      // these points, if they are packed for the whole pass
	whole   *kernels.Rows[T]      // all working points, if their factors are needed
	sum     *kernels.ObjectSum[T] // of a kernel of objects, which needs no bases then; nil for others
}
