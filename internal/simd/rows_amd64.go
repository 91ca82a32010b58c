package simd

func addRows[T Real](g []float64, k, coef []T, weight float64) {
	if active == levelGo {
		addRowsGo(g, k, coef, weight)
		return
	}
	w := [1]float64{weight}
	for len(coef) > 0 {
		n := min(len(coef), rowPiece)
		switch variantOf[T]() {
		case avx512F32:
			addRowsF32AVX512(p64(g), p32(k), p32(coef), n, p64(w[:]))
		case avx512F64:
			addRowsF64AVX512(p64(g), p64(k), p64(coef), n, p64(w[:]))
		case avx2F32:
			addRowsF32AVX2(p64(g), p32(k), p32(coef), n, p64(w[:]))
		case avx2F64:
			addRowsF64AVX2(p64(g), p64(k), p64(coef), n, p64(w[:]))
		}
		k, coef = k[n*Width:], coef[n:]
	}
}

func squareRows[T Real](g []float64, k, coef []T, weight float64) {
	if active == levelGo {
		squareRowsGo(g, k, coef, weight)
		return
	}
	w := [1]float64{weight}
	for len(coef) > 0 {
		n := min(len(coef), rowPiece)
		switch variantOf[T]() {
		case avx512F32:
			squareRowsF32AVX512(p64(g), p32(k), p32(coef), n, p64(w[:]))
		case avx512F64:
			squareRowsF64AVX512(p64(g), p64(k), p64(coef), n, p64(w[:]))
		case avx2F32:
			squareRowsF32AVX2(p64(g), p32(k), p32(coef), n, p64(w[:]))
		case avx2F64:
			squareRowsF64AVX2(p64(g), p64(k), p64(coef), n, p64(w[:]))
		}
		k, coef = k[n*Width:], coef[n:]
	}
}

func expm1TwiceRows[T Real](g []float64, k, coef []T, weight float64) {
	if active == levelGo {
		expm1TwiceRowsGo(g, k, coef, weight)
		return
	}
	w := [1]float64{weight}
	for len(coef) > 0 {
		n := min(len(coef), rowPiece)
		switch variantOf[T]() {
		case avx512F32:
			expm1TwiceRowsF32AVX512(p64(g), p32(k), p32(coef), n, p64(w[:]))
		case avx512F64:
			expm1TwiceRowsF64AVX512(p64(g), p64(k), p64(coef), n, p64(w[:]))
		case avx2F32:
			expm1TwiceRowsF32AVX2(p64(g), p32(k), p32(coef), n, p64(w[:]))
		case avx2F64:
			expm1TwiceRowsF64AVX2(p64(g), p64(k), p64(coef), n, p64(w[:]))
		}
		k, coef = k[n*Width:], coef[n:]
	}
}

func expRows[T Real](g []float64, base, coef []T, scale, weight []float64) {
	if active == levelGo {
		expRowsGo(g, base, coef, scale, weight)
		return
	}
	functionRows(mapExp, g, base, coef, scale, weight)
}

func expm1Rows[T Real](g []float64, base, coef []T, scale, weight []float64) {
	if active == levelGo {
		expm1RowsGo(g, base, coef, scale, weight)
		return
	}
	functionRows(mapExpm1, g, base, coef, scale, weight)
}

// functionRows adds up rows of exp or expm1.
func functionRows[T Real](function variant, g []float64, base, coef []T, scale, weight []float64) {
	var c [batch]reduction[T]
	for len(scale) > 0 {
		kernels := prepare(function, &c, scale)
		k, q := base, coef
		for len(q) > 0 {
			n := min(len(q), rowPiece)
			switch function + variantOf[T]() {
			case mapExp + avx512F32:
				expRowsF32AVX512(p64(g), p32(k), p32(q), n, p32(c[0][:]), p64(weight), kernels)
			case mapExp + avx512F64:
				expRowsF64AVX512(p64(g), p64(k), p64(q), n, p64(c[0][:]), p64(weight), kernels)
			case mapExp + avx2F32:
				expRowsF32AVX2(p64(g), p32(k), p32(q), n, p32(c[0][:]), p64(weight), kernels)
			case mapExp + avx2F64:
				expRowsF64AVX2(p64(g), p64(k), p64(q), n, p64(c[0][:]), p64(weight), kernels)
			case mapExpm1 + avx512F32:
				expm1RowsF32AVX512(p64(g), p32(k), p32(q), n, p32(c[0][:]), p64(weight), kernels)
			case mapExpm1 + avx512F64:
				expm1RowsF64AVX512(p64(g), p64(k), p64(q), n, p64(c[0][:]), p64(weight), kernels)
			case mapExpm1 + avx2F32:
				expm1RowsF32AVX2(p64(g), p32(k), p32(q), n, p32(c[0][:]), p64(weight), kernels)
			case mapExpm1 + avx2F64:
				expm1RowsF64AVX2(p64(g), p64(k), p64(q), n, p64(c[0][:]), p64(weight), kernels)
			}
			k, q = k[n*Width:], q[n:]
		}
		g, scale, weight = g[kernels*Width:], scale[kernels:], weight[kernels:]
	}
}

// prepare sets the reductions of the first scales and returns their number. expm1 takes the scales
// themselves.
func prepare[T Real](function variant, c *[batch]reduction[T], scale []float64) int {
	n := min(len(scale), batch)
	for i, s := range scale[:n] {
		if function == mapExpm1 {
			c[i][0] = T(s)
		} else {
			c[i].set(s)
		}
	}
	return n
}

func expSum[T Real](dst, base []T, scale, weight []float64) {
	if active == levelGo {
		expSumGo(dst, base, scale, weight)
		return
	}
	functionSum(mapExp, dst, base, scale, weight)
}

func expm1Sum[T Real](dst, base []T, scale, weight []float64) {
	if active == levelGo {
		expm1SumGo(dst, base, scale, weight)
		return
	}
	functionSum(mapExpm1, dst, base, scale, weight)
}

// functionSum adds exp or expm1 under some scales.
func functionSum[T Real](function variant, dst, base []T, scale, weight []float64) {
	var c [batch]reduction[T]
	var w [batch]T
	for len(scale) > 0 {
		kernels := prepare(function, &c, scale)
		for i, x := range weight[:kernels] {
			w[i] = T(x)
		}
		d, b := dst, base
		for len(d) > 0 {
			n := min(len(d), piece)
			switch function + variantOf[T]() {
			case mapExp + avx512F32:
				expSumF32AVX512(p32(d), p32(b), n, p32(c[0][:]), p32(w[:]), kernels)
			case mapExp + avx512F64:
				expSumF64AVX512(p64(d), p64(b), n, p64(c[0][:]), p64(w[:]), kernels)
			case mapExp + avx2F32:
				expSumF32AVX2(p32(d), p32(b), n, p32(c[0][:]), p32(w[:]), kernels)
			case mapExp + avx2F64:
				expSumF64AVX2(p64(d), p64(b), n, p64(c[0][:]), p64(w[:]), kernels)
			case mapExpm1 + avx512F32:
				expm1SumF32AVX512(p32(d), p32(b), n, p32(c[0][:]), p32(w[:]), kernels)
			case mapExpm1 + avx512F64:
				expm1SumF64AVX512(p64(d), p64(b), n, p64(c[0][:]), p64(w[:]), kernels)
			case mapExpm1 + avx2F32:
				expm1SumF32AVX2(p32(d), p32(b), n, p32(c[0][:]), p32(w[:]), kernels)
			case mapExpm1 + avx2F64:
				expm1SumF64AVX2(p64(d), p64(b), n, p64(c[0][:]), p64(w[:]), kernels)
			}
			d, b = d[n:], b[n:]
		}
		scale, weight = scale[kernels:], weight[kernels:]
	}
}

func addScaled[T Real](dst, src []T, weight T) {
	if active == levelGo {
		addScaledGo(dst, src, weight)
		return
	}
	w := [1]T{weight}
	for len(src) > 0 {
		n := min(len(src), piece)
		switch variantOf[T]() {
		case avx512F32:
			addScaledF32AVX512(p32(dst), p32(src), n, p32(w[:]))
		case avx512F64:
			addScaledF64AVX512(p64(dst), p64(src), n, p64(w[:]))
		case avx2F32:
			addScaledF32AVX2(p32(dst), p32(src), n, p32(w[:]))
		case avx2F64:
			addScaledF64AVX2(p64(dst), p64(src), n, p64(w[:]))
		}
		dst, src = dst[n:], src[n:]
	}
}

func combine(g, alpha, part, theta, sum []float64) {
	for len(theta) > 0 {
		n := min(len(theta), rowPiece)
		switch active {
		case levelAVX512:
			combineF64AVX512(p64(g), p64(alpha), p64(part), p64(theta), p64(sum), n)
		case levelAVX2:
			combineF64AVX2(p64(g), p64(alpha), p64(part), p64(theta), p64(sum), n)
		default:
			combineGo(g[:n*Width], alpha, part, theta[:n], sum)
		}
		g, theta, sum = g[n*Width:], theta[n:], sum[n:]
	}
}

func addTo[T Real](dst []float64, src []T, scale float64) {
	if active == levelGo {
		addToGo(dst, src, scale)
		return
	}
	for len(src) >= block {
		n := min(len(src), piece) &^ (block - 1)
		addToBlocks(dst[:n], src[:n], scale)
		dst, src = dst[n:], src[n:]
	}
	if len(src) > 0 {
		// The rest goes through the same instructions, so its bits do not depend on its place.
		var d [block]float64
		var s [block]T
		copy(d[:], dst)
		copy(s[:], src)
		addToBlocks(d[:], s[:], scale)
		copy(dst, d[:])
	}
}

func addToBlocks[T Real](dst []float64, src []T, scale float64) {
	switch variantOf[T]() {
	case avx512F32:
		addToF32AVX512(p64(dst), p32(src), len(src), scale)
	case avx512F64:
		addToF64AVX512(p64(dst), p64(src), len(src), scale)
	case avx2F32:
		addToF32AVX2(p64(dst), p32(src), len(src), scale)
	case avx2F64:
		addToF64AVX2(p64(dst), p64(src), len(src), scale)
	}
}
