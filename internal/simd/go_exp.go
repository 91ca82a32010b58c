package simd

import "math"

// These are the plain Go versions of the transcendental routines and of Power.

const (
	// roundMagic added to a number below 2^51 in magnitude leaves the nearest integer in the low
	// bits of the sum.
	roundMagic = 3 << 51

	// ln2Hi has 32 trailing zero bits, so its product with an exponent is exact.
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// expGo computes single precision in double, which costs the same time per number and makes the
// reduction exact enough.
func expGo[T Real](dst, src []T, scale float64) {
	dst = dst[:len(src)]
	if is32[T]() {
		for i, v := range src {
			dst[i] = T(expShort(float64(scale * float64(v))))
		}
		return
	}
	for i, v := range src {
		dst[i] = T(expLong(float64(scale * float64(v))))
	}
}

// expShort returns exp(y) to about 2e-9 in the range of float32, and saturates outside of it.
func expShort(y float64) float64 {
	if y > 200 {
		y = 200
	} else if y < -200 {
		y = -200
	}
	t := float64(y * math.Log2E)
	m := t + roundMagic
	f := t - (m - roundMagic)
	p := float64(f*0.00015353355525857037) + 0.0013398874209167130
	p = float64(p*f) + 0.0096184373785999189
	p = float64(p*f) + 0.055503324718295180
	p = float64(p*f) + 0.24022647913508112
	p = float64(p*f) + 0.69314720285464084
	p = float64(p*f) + 1
	return p * math.Float64frombits((math.Float64bits(m)+1023)<<52)
}

// expLong returns exp(y) to a few units in the last place.
func expLong(y float64) float64 {
	if y <= -708 || y >= 709 { // 2^n would leave the normal range.
		y = max(-1000, min(1000, y))
		root := expLong(y / 2)
		return root * root
	}
	m := float64(y*math.Log2E) + roundMagic
	n := m - roundMagic
	f := y - float64(n*ln2Hi)
	f = float64((f - float64(n*ln2Lo)) * math.Log2E)
	p := float64(f*4.4347712982019325658e-10) + 7.0737832485031070407e-9
	p = float64(p*f) + 1.0178199571842128135e-7
	p = float64(p*f) + 1.3215435282308488142e-6
	p = float64(p*f) + 0.00001525273349312748937
	p = float64(p*f) + 0.0001540353045711209086
	p = float64(p*f) + 0.0013333558146774620517
	p = float64(p*f) + 0.0096181291075941200896
	p = float64(p*f) + 0.055504108664820083227
	p = float64(p*f) + 0.2402265069591013126
	p = float64(p*f) + 0.69314718055994532581
	p = float64(p*f) + 1
	return p * math.Float64frombits((math.Float64bits(m)+1023)<<52)
}

// tanhGo uses tanh(y) = 1 - 2/(exp(2y)+1). The absolute error is the error of exp, and both ends
// saturate.
func tanhGo[T Real](dst, src []T, gamma, coef T) {
	dst = dst[:len(src)]
	if is32[T]() {
		g, c := 2*float64(gamma), 2*float64(coef)
		for i, v := range src {
			dst[i] = T(1 - 2/(expShort(float64(g*float64(v))+c)+1))
		}
		return
	}
	for i, v := range src {
		dst[i] = T(1 - 2/(expLong(2*(float64(float64(gamma)*float64(v))+float64(coef)))+1))
	}
}

func powerGo[T Real](dst, src []T, gamma, coef T, degree int) {
	dst = dst[:len(src)]
	for i, v := range src {
		b, p := T(gamma*v)+coef, T(1)
		for d := degree; ; b *= b {
			if d&1 != 0 {
				p *= b
			}
			if d >>= 1; d == 0 {
				break
			}
		}
		dst[i] = p
	}
}
