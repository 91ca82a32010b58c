package kernels

import (
	"bigmkl/internal/simd"
)

// multiplier multiplies the values of the factors of a product. It owns scratch memory of one goroutine.
type multiplier[T simd.Real] struct{ value []T }

// first returns where the values of factor i go: the values of the first factor to dst itself, the
// values of the others to scratch memory, from which they are multiplied in.
func (e *multiplier[T]) first(dst []T, i int) []T {
	if i == 0 {
		return dst
	}
	e.value = grow(e.value, len(dst))
	return e.value
}

// times multiplies dst by a power of the values of factor i. The first factor is there already.
func (e *multiplier[T]) times(dst, value []T, power, i int) {
	// A power is taken by repeated squaring, in T.
	if power > 1 {
		simd.Power(value, value, 1, 0, power)
	}
	if i > 0 {
		for k, v := range value[:len(dst)] {
			dst[k] *= v
		}
	}
}
