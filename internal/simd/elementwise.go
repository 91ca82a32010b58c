package simd

// Exp sets dst[i] to exp(scale*src[i]). Slices may be of any length, and the same slice. The product is not rounded before
// it is reduced, but for float32 scale*log2(e) is a number of that type: relative errors stay below 5e-7 + 1e-7*|scale*src[i]|.
// Results below about 2^-116 for float32 and 2^-1012 for float64, that is exp(-80.7) and exp(-701), may come out as 0:
// subnormal numbers would make all that follows slow.
func Exp[T Real](dst, src []T, scale float64) {
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
