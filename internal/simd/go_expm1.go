package simd

// These are the plain Go versions of the routines for exp(x)-1.

// expm1Go computes single precision in double, as expGo does.
func expm1Go[T Real](dst, src []T, scale float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		x := float64(scale * float64(v))
		p := float64(x*1.3199451694929114263e-9) + 2.318947568341694341e-8
		p = float64(p*x) + 2.7286852466377248561e-7
		p = float64(p*x) + 2.7531999288330589524e-6
		p = float64(p*x) + 0.000024800009594377184638
		p = float64(p*x) + 0.00019841204043122580919
		p = float64(p*x) + 0.0013888887082355494638
		p = float64(p*x) + 0.0083333333020107232416
		p = float64(p*x) + 0.041666666663497958139
		p = float64(p*x) + 0.16666666666650607641
		p = float64(p*x) + 0.49999999999999715564
		p = float64(p*x) + 1
		dst[i] = T(x * p)
	}
}

func expm1TwiceGo[T Real](dst, src []T) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = v * (v + 2)
	}
}

func expm1TwiceRowsGo[T Real](g []float64, k, coef []T, weight float64) {
	expm1TwiceGo(k, k)
	addRowsGo(g, k, coef, weight)
}
