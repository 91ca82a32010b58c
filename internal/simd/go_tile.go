package simd

// These are the plain Go versions of the tile routines. The conversion around each product keeps
// compilers from fusing it with the addition, so the values are the same on every architecture.

func dotGo[T Real](dst, a, x []T, k int) {
	clear(dst)
	dotMoreGo(dst, a, x, k)
}

// dotMoreGo keeps 4 rows by 2 columns in registers, which takes 6 loads for 8 products.
func dotMoreGo[T Real](dst, a, x []T, k int) {
	for r := 0; r < Rows; r += 4 {
		for j := 0; j < Width; j += 2 {
			d := dst[r*Width+j:]
			s00, s01, s10, s11 := d[0], d[1], d[Width], d[Width+1]
			s20, s21, s30, s31 := d[2*Width], d[2*Width+1], d[3*Width], d[3*Width+1]
			for f := range k {
				av := a[f*Rows+r : f*Rows+r+4 : f*Rows+r+4]
				xv := x[f*Width+j : f*Width+j+2 : f*Width+j+2]
				x0, x1 := xv[0], xv[1]
				s00 += T(av[0] * x0)
				s01 += T(av[0] * x1)
				s10 += T(av[1] * x0)
				s11 += T(av[1] * x1)
				s20 += T(av[2] * x0)
				s21 += T(av[2] * x1)
				s30 += T(av[3] * x0)
				s31 += T(av[3] * x1)
			}
			d[0], d[1] = s00, s01
			d[Width], d[Width+1] = s10, s11
			d[2*Width], d[2*Width+1] = s20, s21
			d[3*Width], d[3*Width+1] = s30, s31
		}
	}
}

func distanceGo[T Real](dst, a, x []T, k, blocks int, na, nx []T) {
	eachBlock(dst, a, k, blocks, func(dst, a []T) { dotGo(dst, a, x, k) })
	for b := range blocks {
		distanceFromDotGo(dst[b*tile:(b+1)*tile], na[b*Rows:(b+1)*Rows], nx)
	}
}

// eachBlock calls f for the tile of each block of rows.
func eachBlock[T Real](dst, a []T, k, blocks int, f func(dst, a []T)) {
	for b := range blocks {
		f(dst[b*tile:(b+1)*tile], a[b*k*Rows:])
	}
}

func squaredDiffGo[T Real](dst, a, x []T, k int) {
	for r := range Rows {
		for j := 0; j < Width; j += 4 {
			var s0, s1, s2, s3 T
			for f := range k {
				v, xv := a[f*Rows+r], (*[4]T)(x[f*Width+j:])
				d0, d1, d2, d3 := v-xv[0], v-xv[1], v-xv[2], v-xv[3]
				s0 += T(d0 * d0)
				s1 += T(d1 * d1)
				s2 += T(d2 * d2)
				s3 += T(d3 * d3)
			}
			*(*[4]T)(dst[r*Width+j:]) = [4]T{s0, s1, s2, s3}
		}
	}
}

func absDiffGo[T Real](dst, a, x []T, k int) {
	for r := range Rows {
		for j := 0; j < Width; j += 4 {
			var s0, s1, s2, s3 T
			for f := range k {
				v, xv := a[f*Rows+r], (*[4]T)(x[f*Width+j:])
				s0 += max(v-xv[0], xv[0]-v)
				s1 += max(v-xv[1], xv[1]-v)
				s2 += max(v-xv[2], xv[2]-v)
				s3 += max(v-xv[3], xv[3]-v)
			}
			*(*[4]T)(dst[r*Width+j:]) = [4]T{s0, s1, s2, s3}
		}
	}
}

func minSumGo[T Real](dst, a, x []T, k int) {
	for r := range Rows {
		for j := 0; j < Width; j += 4 {
			var s0, s1, s2, s3 T
			for f := range k {
				v, xv := a[f*Rows+r], (*[4]T)(x[f*Width+j:])
				s0 += min(v, xv[0])
				s1 += min(v, xv[1])
				s2 += min(v, xv[2])
				s3 += min(v, xv[3])
			}
			*(*[4]T)(dst[r*Width+j:]) = [4]T{s0, s1, s2, s3}
		}
	}
}

func chiSquareGo[T Real](dst, a, x []T, k int) {
	for r := range Rows {
		for j := range Width {
			var s T
			for f := range k {
				v, w := a[f*Rows+r], x[f*Width+j]
				if sum := v + w; sum != 0 {
					d := v - w
					s += T(d*d) / sum
				}
			}
			dst[r*Width+j] = s
		}
	}
}

func distanceFromDotGo[T Real](t, na, nx []T) {
	for r := range Rows {
		row, n := t[r*Width:(r+1)*Width], na[r]
		for j, v := range row {
			d := (n + nx[j]) - 2*v // As doubling is exact, fusing changes nothing.
			if d < 0 {
				d = 0
			}
			row[j] = d
		}
	}
}
