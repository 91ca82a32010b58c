package kernels

import "bigmkl/internal/simd"

// precision is 0 for float32 and 1 for float64.
func precision[T simd.Real]() int {
	var v T
	if _, wide := any(v).(float64); wide {
		return 1
	}
	return 0
}

// grow returns a slice of n elements, reusing s where it is large enough; the contents are not kept.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// zeros returns at least n elements that are and stay zero.
func zeros[T any](s []T, n int) []T {
	if len(s) >= n {
		return s
	}
	return make([]T, n)
}

// strided sums n elements that lie step apart.
func strided[T simd.Real](x []T, n, step int) T {
	var s T
	for i := range n {
		s += x[i*step]
	}
	return s
}

// matrixRow gives the entries of a point's row for len(dst) points from one on, or 0 where there are none.
func matrixRow[T simd.Real](g *Group, row, from int, dst []T) {
	row = g.number(row)
	if g.numbers != nil {
		clear(dst)
		for j := range min(len(dst), len(g.numbers)-from) {
			matrixEntries(g, row, g.number(from+j), dst[j:j+1])
		}
		return
	}
	n := min(len(dst), g.Matrix.Cols-from)
	clear(dst[max(n, 0):])
	matrixEntries(g, row, from, dst[:n])
}

func matrixEntries[T simd.Real](g *Group, row, from int, dst []T) {
	switch d := any(dst).(type) {
	case []float32:
		g.Matrix.Row32(row, from, d)
	case []float64:
		g.Matrix.Row64(row, from, d)
	}
}

func matrixAt[T simd.Real](g *Group, row, col int) T {
	var v [1]T
	matrixRow(g, row, col, v[:])
	return v[0]
}
