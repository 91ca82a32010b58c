package simd

func extremes(l *laneBests, gain, grow, shrink []float64) {
	switch active {
	case levelAVX512:
		extremesF64AVX512(&l.value[0], p64(gain), p64(grow), p64(shrink), len(gain))
	case levelAVX2:
		extremesF64AVX2(&l.value[0], p64(gain), p64(grow), p64(shrink), len(gain))
	default:
		extremesGo(l, gain, grow, shrink)
	}
}

func partner(l *laneBests, gain, shrink, diagonal, row []float64, best, own, least float64) {
	c := [3]float64{best, own, least}
	switch active {
	case levelAVX512:
		partnerF64AVX512(&l.value[0], p64(gain), p64(shrink), p64(diagonal), p64(row), len(gain), &c[0])
	case levelAVX2:
		partnerF64AVX2(&l.value[0], p64(gain), p64(shrink), p64(diagonal), p64(row), len(gain), &c[0])
	default:
		partnerGo(l, gain, shrink, diagonal, row, best, own, least)
	}
}

func movePair(gain, a, b []float64, step float64) {
	switch active {
	case levelAVX512:
		movePairF64AVX512(p64(gain), p64(a), p64(b), len(gain), &step)
	case levelAVX2:
		movePairF64AVX2(p64(gain), p64(a), p64(b), len(gain), &step)
	default:
		movePairGo(gain, a, b, step)
	}
}
