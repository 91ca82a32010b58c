package simd

// multiplyAdds stores the first vector of every chain.
func multiplyAdds[T Real](dst []T, rounds int) {
	switch variantOf[T]() {
	case avx512F32:
		multiplyAddsF32AVX512(p32(dst), rounds)
	case avx512F64:
		multiplyAddsF64AVX512(p64(dst), rounds)
	case avx2F32:
		multiplyAddsF32AVX2(p32(dst), rounds)
	case avx2F64:
		multiplyAddsF64AVX2(p64(dst), rounds)
	default:
		multiplyAddsGo(dst, rounds)
	}
}

// lanes returns the number of elements on which one instruction works.
func lanes[T Real]() int {
	switch variantOf[T]() {
	case avx512F32:
		return 16
	case avx512F64, avx2F32:
		return 8
	case avx2F64:
		return 4
	}
	return 1
}
