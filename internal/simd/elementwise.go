package simd

// Exp sets dst[i] to exp(scale*src[i]). The product is not rounded before it is reduced. Slices may be of any length,
// and the same slice. Results below about 2^-116 for float32 and 2^-1012 for float64, that
// is exp(-80.7) and exp(-701), may come out as 0: subnormal numbers would make all that follows slow.
func Exp[T Real](dst, src []T, scale T) {
	check(len(dst) == len(src), "Exp")
	exp(dst, src, scale)
}

// Power sets dst[i] to (gamma*src[i]+coef)^degree for a degree of at least 1, by repeated squaring.
func Power[T Real](dst, src []T, gamma, coef T, degree int) {
	check(len(dst) == len(src), "Power")
	if degree < 1 {
		panic("simd: Power: degree below 1")
	}
	power(dst, src, gamma, coef, degree)
}

// Tanh sets dst[i] to tanh(gamma*src[i]+coef).
func Tanh[T Real](dst, src []T, gamma, coef T) {
	check(len(dst) == len(src), "Tanh")
	tanh(dst, src, gamma, coef)
}

// AddTo adds scale*src[i] to dst[i], in double precision.
func AddTo[T Real](dst []float64, src []T, scale float64) {
	check(len(dst) == len(src), "AddTo")
	addTo(dst, src, scale)
}

// AddRows adds to acc the rows of k, each times its coefficient: acc[j] += coef[r]*k[r*32+j], r ascending.
func AddRows[T Real](acc, k, coef []T) {
	check(len(acc) == Width && len(k) == len(coef)*Width, "AddRows")
	addRows(acc, k, coef)
}

// ExpAddRows adds to acc the exponentials of the rows of base, each times its coefficient:
// acc[j] += coef[r]*exp(scale*base[r*32+j]), r ascending. Its bits are those of Exp followed by AddRows.
func ExpAddRows[T Real](acc, base, coef []T, scale T) {
	check(len(acc) == Width && len(base) == len(coef)*Width, "ExpAddRows")
	expAddRows(acc, base, coef, scale)
}

// Shift subtracts from each of the k features of a panel its shift and widens the panel to T:
// dst[f*32+j] = T(src[f*32+j]) - T(shift[f]).
func Shift[T Real](dst []T, src, shift []float32, k int) {
	check(k >= 0 && len(dst)/Width >= k && len(src)/Width >= k && len(shift) >= k, "Shift")
	shiftPanel(dst, src, shift, k)
}
