package simd

// These are the plain Go versions of the routines that sum rows of a panel.

func addRowsGo[T Real](g []float64, k, coef []T, weight float64) {
	for len(coef) > 0 {
		n := min(len(coef), together)
		var sum [Width]T
		for r, c := range coef[:n] {
			row := (*[Width]T)(k[r*Width:])
			for j := range sum {
				sum[j] += T(c * row[j])
			}
		}
		addToGo(g, sum[:], weight)
		k, coef = k[n*Width:], coef[n:]
	}
}

func squareRowsGo[T Real](g []float64, k, coef []T, weight float64) {
	for i, v := range k {
		k[i] = v * v
	}
	addRowsGo(g, k, coef, weight)
}

func expRowsGo[T Real](g []float64, base, coef []T, scale, weight []float64) {
	functionRowsGo(false, g, base, coef, scale, weight)
}

func expm1RowsGo[T Real](g []float64, base, coef []T, scale, weight []float64) {
	functionRowsGo(true, g, base, coef, scale, weight)
}

// functionGo computes exponentials, or exp(x)-1 if less is set. It is not a function value, as
// the slices of its callers would then be allocated on the heap.
func functionGo[T Real](less bool, dst, src []T, scale float64) {
	if less {
		expm1Go(dst, src, scale)
	} else {
		expGo(dst, src, scale)
	}
}

func functionRowsGo[T Real](less bool, g []float64, base, coef []T, scale, weight []float64) {
	var k [together * Width]T
	for len(coef) > 0 {
		n := min(len(coef), together)
		for m, s := range scale {
			functionGo(less, k[:n*Width], base[:n*Width], s)
			addRowsGo(g[m*Width:(m+1)*Width], k[:n*Width], coef[:n], weight[m])
		}
		base, coef = base[n*Width:], coef[n:]
	}
}

func expSumGo[T Real](dst, base []T, scale, weight []float64) {
	functionSumGo(false, dst, base, scale, weight)
}

func expm1SumGo[T Real](dst, base []T, scale, weight []float64) {
	functionSumGo(true, dst, base, scale, weight)
}

func functionSumGo[T Real](less bool, dst, base []T, scale, weight []float64) {
	var k [Width]T
	for at := 0; at < len(dst); at += Width {
		for m, s := range scale {
			functionGo(less, k[:], base[at:at+Width], s)
			addScaledGo(dst[at:at+Width], k[:], T(weight[m]))
		}
	}
}

func addScaledGo[T Real](dst, src []T, weight T) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] += T(weight * v)
	}
}

func combineGo(g, alpha, part, theta, sum []float64) {
	for k, t := range theta {
		row, s := (*[Width]float64)(g[k*Width:]), 0.0
		for j, x := range row {
			s += float64(alpha[j] * x)
			part[j] += float64(t * x)
		}
		sum[k] += s
	}
}

func addToGo[T Real](dst []float64, src []T, scale float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] += float64(scale * float64(v))
	}
}
