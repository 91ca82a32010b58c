package gradient

import "bigmkl/internal/simd"

// Workspace is memory that several gradients may use one after the other: that of quadratic models,
// and the bases of working sets. Hundreds of small trainings take longer to get such memory from
// the system than to compute. The zero value can be used. While a method of one of the gradients runs
// no other may use it. Nothing that one leaves in it matters to another.
type Workspace struct {
	model  []float64 // the memory of a square
	single bases[float32]
	double bases[float64]
}

// square returns a matrix of q rows that is zero, in the memory of the one before.
func (w *Workspace) square(q int) *square {
	b := panelsOf(q)
	w.model = grow(w.model, columnStart(b))
	clear(w.model)
	return &square{blocks: b, at: w.model}
}

// basesOf returns the bases in one precision. The bases of the other precision are given up.
func basesOf[T simd.Real](w *Workspace) *bases[T] {
	if b, ok := any(&w.single).(*bases[T]); ok {
		w.double = bases[float64]{}
		return b
	}
	w.single = bases[float32]{}
	return any(&w.double).(*bases[T])
}
