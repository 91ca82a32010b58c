package simd

// Plain Go versions of the routines that sum or shift rows of a panel.

func addRowsGo[T Real](acc, k, coef []T) {
	sum := (*[Width]T)(acc)
	for r, c := range coef {
		row := (*[Width]T)(k[r*Width:])
		for j := range sum {
			sum[j] += T(c * row[j])
		}
	}
}

func expAddRowsGo[T Real](acc, base, coef []T, scale T) {
	var row [Width]T
	for r := range coef {
		expGo(row[:], base[r*Width:(r+1)*Width], scale)
		addRowsGo(acc, row[:], coef[r:r+1])
	}
}

func addToGo[T Real](dst []float64, src []T, scale float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] += float64(scale * float64(v))
	}
}

func shiftGo[T Real](dst []T, src, shift []float32, k int) {
	for f := range k {
		d, s, m := (*[Width]T)(dst[f*Width:]), (*[Width]float32)(src[f*Width:]), T(shift[f])
		for j := range d {
			d[j] = T(s[j]) - m
		}
	}
}
