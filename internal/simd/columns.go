package simd

// Shift subtracts from each of the k features of a panel the element of shift that belongs to it,
// and widens the panel to T: dst[f*32+j] = T(src[f*32+j]) - T(shift[f]).
func Shift[T Real](dst []T, src, shift []float32, k int) {
	check(k >= 0 && len(dst)/Width >= k && len(src)/Width >= k && len(shift) >= k, "Shift")
	shiftPanel(dst, src, shift, k)
}

// Gather does the same as Shift for the features of a panel that index lists: dst[i*32+j] =
// T(src[index[i]*32+j]) - T(shift[index[i]]). Indices must lie within the panel.
func Gather[T Real](dst []T, src, shift []float32, index []int32) {
	check(len(dst)/Width >= len(index), "Gather")
	gather(dst, src, shift, index)
}

// ColumnSquares sets dst[j] to the sum over the k features of x[f*32+j]^2. It gives the same bits
// as Dot.
func ColumnSquares[T Real](dst, x []T, k int) {
	check(k >= 0 && len(dst) == Width && len(x)/Width >= k, "ColumnSquares")
	columnSquares(dst, x, k)
}

// RowSquares sets dst[r] to the sum over the k features of a[f*8+r]^2. It gives the same bits as
// Dot.
func RowSquares[T Real](dst, a []T, k int) {
	check(k >= 0 && len(dst) == Rows && len(a)/Rows >= k, "RowSquares")
	rowSquares(dst, a, k)
}

// CopyAhead copies 32 numbers and prefetches the 32 behind them in the memory of src, if there are
// any.
func CopyAhead[T Real](dst, src []T) {
	check(len(dst) == Width && len(src) == Width, "CopyAhead")
	copyAhead(dst, src)
}
