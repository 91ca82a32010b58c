package simd

// AddRows adds to the 32 numbers of g the rows of k, each times its coefficient, all times weight:
// g[j] += weight * sum_r coef[r]*k[r*32+j]. It sums 64 rows at a time in T, with r ascending.
func AddRows[T Real](g []float64, k, coef []T, weight float64) {
	check(len(g) == Width && len(k) == len(coef)*Width, "AddRows")
	addRows(g, k, coef, weight)
}

// SquareRows replaces k by its squares and adds these in the same way as AddRows.
func SquareRows[T Real](g []float64, k, coef []T, weight float64) {
	check(len(g) == Width && len(k) == len(coef)*Width, "SquareRows")
	squareRows(g, k, coef, weight)
}

// ExpRows does for every scale s the same as Exp with scale[s] and AddRows with weight[s] into
// g[s*32:], to the bit, but reads the base once. No scale*base may be positive.
func ExpRows[T Real](g []float64, base, coef []T, scale, weight []float64) {
	check(len(g) == len(scale)*Width && len(weight) == len(scale) &&
		len(base) == len(coef)*Width, "ExpRows")
	expRows(g, base, coef, scale, weight)
}

// AddScaled adds weight*src[i] to dst[i] in T. The length is a multiple of 32.
func AddScaled[T Real](dst, src []T, weight T) {
	check(len(dst) == len(src) && len(dst)%Width == 0, "AddScaled")
	addScaled(dst, src, weight)
}

// ExpSum does for every scale s, one after the other, the same as Exp with scale[s] into a buffer
// and AddScaled of the buffer with weight[s], to the bit, but reads the base once. No scale*base
// may be positive. The length is a multiple of 32.
func ExpSum[T Real](dst, base []T, scale, weight []float64) {
	check(len(dst) == len(base) && len(dst)%Width == 0 && len(weight) == len(scale), "ExpSum")
	expSum(dst, base, scale, weight)
}

// Combine performs, for every kernel k with its numbers g[k*32:], part += theta[k]*g and sum[k] +=
// alpha'g. The slices alpha and part have 32 numbers.
func Combine(g, alpha, part, theta, sum []float64) {
	check(len(g) == len(theta)*Width && len(sum) == len(theta) && len(alpha) == Width &&
		len(part) == Width, "Combine")
	combine(g, alpha, part, theta, sum)
}
