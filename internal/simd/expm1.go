package simd

// Values of exp(x)-1 keep their digits where exp(x) is near 1. These routines are for -1 <= x <= 0,
// where a polynomial without a reduction gives it to the precision of T relative to itself: a
// few roundings in T, and 3e-9 for float32 and 2e-17 for float64 of the polynomial. Beyond, the
// error grows; nothing is checked.

// Expm1 sets dst[i] to exp(scale*src[i])-1. Slices may have any length, and may be the same.
func Expm1[T Real](dst, src []T, scale float64) {
	check(len(dst) == len(src), "Expm1")
	expm1(dst, src, scale)
}

// Expm1Twice sets dst[i] to exp(2x)-1 where src[i] is exp(x)-1, as (exp(x)-1)(exp(x)+1). Slices may
// have any length, and may be the same.
func Expm1Twice[T Real](dst, src []T) {
	check(len(dst) == len(src), "Expm1Twice")
	expm1Twice(dst, src)
}

// Expm1TwiceRows replaces k by what Expm1Twice makes of it and adds that in the same way as
// AddRows.
func Expm1TwiceRows[T Real](g []float64, k, coef []T, weight float64) {
	check(len(g) == Width && len(k) == len(coef)*Width, "Expm1TwiceRows")
	expm1TwiceRows(g, k, coef, weight)
}

// Expm1Rows does for every scale s the same as Expm1 with scale[s] and AddRows with weight[s] into
// g[s*32:], to the bit, but reads the base once.
func Expm1Rows[T Real](g []float64, base, coef []T, scale, weight []float64) {
	check(len(g) == len(scale)*Width && len(weight) == len(scale) &&
		len(base) == len(coef)*Width, "Expm1Rows")
	expm1Rows(g, base, coef, scale, weight)
}

// Expm1Sum does for every scale s, one after the other, the same as Expm1 with scale[s] into a
// buffer and AddScaled of the buffer with weight[s], to the bit, but reads the base once. The
// length is a multiple of 32.
func Expm1Sum[T Real](dst, base []T, scale, weight []float64) {
	check(len(dst) == len(base) && len(dst)%Width == 0 && len(weight) == len(scale), "Expm1Sum")
	expm1Sum(dst, base, scale, weight)
}
