package kernels

import (
	"bigmkl/internal/simd"
)

// precision is 0 if T is float32 and 1 if it is float64. It indexes tables such as Group.Direct.
//
// The compiler knows T where this is inlined, so the branch costs nothing.
func precision[T simd.Real]() int {
	var v T
	if _, wide := any(v).(float64); wide {
		return 1
	}
	return 0
}

// grow returns a slice of n elements and reuses the memory of s if that is large enough. The
// contents are not kept: whoever asks has to write every element.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// resize returns a slice of n elements and keeps those that s has had, also beyond its length, so
// the memory they own is used again.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		s = append(s[:cap(s)], make([]T, n-cap(s))...)
	}
	return s[:n]
}

// zeros returns at least n elements that are zero. Nobody may write to them.
func zeros[T any](s []T, n int) []T {
	if len(s) >= n {
		return s
	}
	return make([]T, n)
}

// fill sets every element of dst to x.
func fill[T any](dst []T, x T) {
	for i := range dst {
		dst[i] = x
	}
}

// strided sums n elements of x that lie step apart, in their order.
//
// The order is the same for rows and for columns, so both sides of a base have the same bits.
func strided[T simd.Real](x []T, n, step int) T {
	var s T
	for i := range n {
		s += x[i*step]
	}
	return s
}

// pad appends the values of a sparse point to x, and then zeros to a multiple of what
// simd.SparseDot takes at a time. The zeros add nothing to a product.
//
// Whoever appends the index of the point pads it by as many entries of 0.
func pad[T simd.Real](x []T, value []float32) []T {
	if same, ok := any(value).([]T); ok {
		x = append(x, same...)
	} else {
		for _, v := range value {
			x = append(x, T(v))
		}
	}
	for range simd.Padded(len(value)) - len(value) {
		x = append(x, 0)
	}
	return x
}
