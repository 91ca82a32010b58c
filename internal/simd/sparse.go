package simd

// Padded is the number of entries that a sparse row of n entries is padded to, with values of 0 at any valid index.
func Padded(n int) int { return (n + strands - 1) / strands * strands }

// SparseDot sets dst[j] to the sum over the entries of a sparse row of value[e]*x[index[e]*32+j], in four partial sums
// that take turns. The number of entries is padded; indices must lie within x, a panel.
func SparseDot[T Real](dst []T, index []int32, value, x []T) {
	check(len(dst) == Width && len(index) == len(value) && len(value)%strands == 0, "SparseDot")
	sparseDot(dst, index, value, x)
}

// SparseSquare is the sum of squares of a padded sparse row, with the bits that SparseDot gives for the row's own column.
func SparseSquare[T Real](value []T) T {
	check(len(value)%strands == 0, "SparseSquare")
	var dst [1]T
	sparseSquare(dst[:], value)
	return dst[0]
}
