package simd

// AddRows adds to the 32 numbers of g the rows of k, each times its coefficient, all times weight:
// g[j] += weight * sum_r coef[r]*k[r*32+j]. 64 rows at a time are summed in T, r ascending.
func AddRows[T Real](g []float64, k, coef []T, weight float64) {
	check(len(g) == Width && len(k) == len(coef)*Width, "AddRows")
	addRows(g, k, coef, weight)
}

// SquareRows replaces k by its squares and adds these as AddRows does.
func SquareRows[T Real](g []float64, k, coef []T, weight float64) {
	check(len(g) == Width && len(k) == len(coef)*Width, "SquareRows")
	squareRows(g, k, coef, weight)
}

// ExpRows does for every scale s what Exp by scale[s] and AddRows by weight[s] into g[s*32:] would do, to the bit, with the
// base read once. No scale*base may be positive.
func ExpRows[T Real](g []float64, base, coef []T, scale, weight []float64) {
	check(len(g) == len(scale)*Width && len(weight) == len(scale) && len(base) == len(coef)*Width, "ExpRows")
	expRows(g, base, coef, scale, weight)
}

// AddScaled adds weight*src[i] to dst[i], in T; the length is a multiple of 32.
func AddScaled[T Real](dst, src []T, weight T) {
	check(len(dst) == len(src) && len(dst)%Width == 0, "AddScaled")
	addScaled(dst, src, weight)
}

// ExpSum does for every scale s, one after the other, what Exp by scale[s] into a buffer and AddScaled of it by weight[s]
// would do, to the bit, with the base read once. No scale*base may be positive; the length is a multiple of 32.
func ExpSum[T Real](dst, base []T, scale, weight []float64) {
	check(len(dst) == len(base) && len(dst)%Width == 0 && len(weight) == len(scale), "ExpSum")
	expSum(dst, base, scale, weight)
}

// Combine does for every kernel k, with its 32 numbers g[k*32:] and the 32 of alpha and part: part += theta[k]*g and
// sum[k] += alpha'g.
func Combine(g, alpha, part, theta, sum []float64) {
	check(len(g) == len(theta)*Width && len(sum) == len(theta) && len(alpha) == Width && len(part) == Width, "Combine")
	combine(g, alpha, part, theta, sum)
}
