package simd

// Padded returns the number of entries to which a sparse row of n entries is padded, with values of
// 0 at any valid index.
func Padded(n int) int { return (n + strands - 1) / strands * strands }

// SparseDot sets dst[j] to the sum over the entries of a sparse row of value[e]*x[index[e]*32+j],
// in four partial sums that take turns. The number of entries is padded. Indices must lie within
// the panel x.
func SparseDot[T Real](dst []T, index []int32, value, x []T) {
	check(len(dst) == Width && len(index) == len(value) && len(value)%strands == 0, "SparseDot")
	sparseDot(dst, index, value, x)
}

// SparseSquare returns the sum of squares of a padded sparse row. It has the same bits as SparseDot
// of the row with itself.
func SparseSquare[T Real](value []T) T {
	check(len(value)%strands == 0, "SparseSquare")
	var dst [1]T
	sparseSquare(dst[:], value)
	return dst[0]
}
