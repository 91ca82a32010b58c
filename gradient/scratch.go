package gradient

import (
	"bigmkl/internal/simd"
)

// elementSize is the size of T in bytes.
func elementSize[T simd.Real]() int64 {
	var v T
	if _, wide := any(v).(float64); wide {
		return 8
	}
	return 4
}

// convert returns the numbers of src in T, in the memory of dst if that is large enough.
func convert[T simd.Real](dst []T, src []float64) []T {
	dst = grow(dst, len(src))
	for i, x := range src {
		dst[i] = T(x)
	}
	return dst
}

// grow returns a slice of n elements and reuses the memory of s if that is large enough. The
// contents are not kept.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
