package simd

// Exp sets dst[i] to exp(scale*src[i]). Slices may have any length, and may be the same. The
// product is not rounded before it is reduced, except for float32 scale*log2(e) is a number of
// that type, so relative errors stay below 5e-7 + 1e-7*|scale*src[i]|. Results below about 2^-116
// for float32 and 2^-1012 for float64, which are exp(-80.7) and exp(-701), may come out as 0,
// because subnormal numbers would slow down all that follows.
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

// Tanh sets dst[i] to tanh(gamma*src[i]+coef). The relative error is small even if the result is
// near 0.
func Tanh[T Real](dst, src []T, gamma, coef T) {
	check(len(dst) == len(src), "Tanh")
	var block [256]T
	for from := 0; from < len(src); from += len(block) {
		to := min(from+len(block), len(src))
		arguments := block[:copy(block[:], src[from:to])] // dst may be the same slice as src.
		tanh(dst[from:to], arguments, gamma, coef)
		tanhNearZero(dst[from:to], arguments, gamma, coef)
	}
}

// The routines compute tanh(y) from exp(2y), whose absolute error leaves few correct digits of a
// small result. Below these limits the series
//
//	tanh(y) = y - y^3/3 + 2y^5/15 - 17y^7/315 + 62y^9/2835 - 1382y^11/155925
//	  + 21844y^13/6081075 - ..
//
// is summed in double precision instead. The terms left out are below 1e-11 for single precision,
// and below 1e-19 for double precision.
const (
	seriesBelow32 = 1.0 / 4
	seriesBelow64 = 1.0 / 16
)

func tanhNearZero[T Real](dst, src []T, gamma, coef T) {
	limit := seriesBelow64
	if is32[T]() {
		limit = seriesBelow32
	}
	g, c := float64(gamma), float64(coef)
	for i, x := range src {
		y := float64(g*float64(x)) + c
		if !(y < limit && y > -limit) {
			continue
		}
		s := y * y
		p := float64(s*(21844.0/6081075)) - 1382.0/155925
		p = float64(p*s) + 62.0/2835
		p = float64(p*s) - 17.0/315
		p = float64(p*s) + 2.0/15
		p = float64(p*s) - 1.0/3
		dst[i] = T(float64(float64(p*s)*y) + y)
	}
}

// AddTo adds scale*src[i] to dst[i], in double precision.
func AddTo[T Real](dst []float64, src []T, scale float64) {
	check(len(dst) == len(src), "AddTo")
	addTo(dst, src, scale)
}
