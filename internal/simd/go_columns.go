package simd

// These are the plain Go versions of the routines on panels and sparse rows.

func shiftGo[T Real](dst []T, src, shift []float32, k int) {
	for f := range k {
		centreGo(dst[f*Width:], src[f*Width:], shift[f])
	}
}

func gatherGo[T Real](dst []T, src, shift []float32, index []int32) {
	for i, f := range index {
		centreGo(dst[i*Width:], src[int(f)*Width:], shift[f])
	}
}

func centreGo[T Real](dst []T, src []float32, shift float32) {
	d, s, m := (*[Width]T)(dst), (*[Width]float32)(src), T(shift)
	for j := range d {
		d[j] = T(s[j]) - m
	}
}

// squaresGo sums the squares of as many columns as dst has.
func squaresGo[T Real](dst, x []T, k int) {
	clear(dst)
	for f := range k {
		for j, v := range x[f*len(dst) : (f+1)*len(dst)] {
			dst[j] += T(v * v)
		}
	}
}

func sparseDotGo[T Real](dst []T, index []int32, value, x []T) {
	var sum [strands][Width]T
	for e, v := range value {
		s, col := &sum[e%strands], (*[Width]T)(x[int(index[e])*Width:])
		for j := range s {
			s[j] += T(v * col[j])
		}
	}
	for j := range dst[:Width] {
		dst[j] = (sum[0][j] + sum[1][j]) + (sum[2][j] + sum[3][j])
	}
}

func sparseSquareGo[T Real](dst, value []T) {
	var sum [strands]T
	for e, v := range value {
		sum[e%strands] += T(v * v)
	}
	dst[0] = (sum[0] + sum[1]) + (sum[2] + sum[3])
}
