package simd

// PairDots sets dst[j] to the sum over f of x[a[j]*k+f]*y[b[j]*k+f]: the product of row a[j] of one matrix with row b[j] of
// another, both with k numbers in a row. k is a multiple of 32, and the rows must lie within the matrices.
//
// Term f goes to sum f mod 32. The second half of these sums is added to the first until one is left.
func PairDots[T Real](dst, x, y []T, a, b []int32, k int) {
	check(len(a) == len(dst) && len(b) == len(dst) && k >= 0 && k%Width == 0, "PairDots")
	for j, r := range a {
		check(r >= 0 && b[j] >= 0 && k*(int(r)+1) <= len(x) && k*(int(b[j])+1) <= len(y), "PairDots")
	}
	pairDots(dst, x, y, a, b, k)
}

func pairDotsGo[T Real](dst, x, y []T, a, b []int32, k int) {
	for j, r := range a {
		var sum [Width]T
		p, q := x[int(r)*k:(int(r)+1)*k], y[int(b[j])*k:(int(b[j])+1)*k]
		for f := 0; f < k; f += Width {
			u, v := (*[Width]T)(p[f:]), (*[Width]T)(q[f:])
			for i := range sum {
				sum[i] += T(u[i] * v[i])
			}
		}
		for n := Width / 2; n > 0; n /= 2 {
			for i := range n {
				sum[i] += sum[n+i]
			}
		}
		dst[j] = sum[0]
	}
}
