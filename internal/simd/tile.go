package simd

// Dot sets dst[r*32+j] to the sum over the k features of a[f*8+r]*x[f*32+j].
func Dot[T Real](dst, a, x []T, k int) {
	checkTile(dst, a, x, k, "Dot")
	dot(dst, a, x, k)
}

// DotAhead is Dot, and meanwhile asks for the memory of ahead to be brought into the second-level cache, at most 64
// bytes for each of the k features. With ahead a share of the next panel in each call that uses the present one, a
// panel is there when its turn comes.
func DotAhead[T Real](dst, a, x []T, k int, ahead []T) {
	checkTile(dst, a, x, k, "DotAhead")
	dotAhead(dst, a, x, k, ahead)
}

// SquaredDiff sets dst[r*32+j] to the sum over the k features of (a[f*8+r]-x[f*32+j])^2.
func SquaredDiff[T Real](dst, a, x []T, k int) {
	checkTile(dst, a, x, k, "SquaredDiff")
	squaredDiff(dst, a, x, k)
}

// AbsDiff sets dst[r*32+j] to the sum over the k features of |a[f*8+r]-x[f*32+j]|.
func AbsDiff[T Real](dst, a, x []T, k int) {
	checkTile(dst, a, x, k, "AbsDiff")
	absDiff(dst, a, x, k)
}

// ChiSquare sets dst[r*32+j] to the sum over the k features of (a-x)^2/(a+x), where a feature with a+x = 0 counts 0.
func ChiSquare[T Real](dst, a, x []T, k int) {
	checkTile(dst, a, x, k, "ChiSquare")
	chiSquare(dst, a, x, k)
}

// MinSum sets dst[r*32+j] to the sum over the k features of min(a[f*8+r], x[f*32+j]).
func MinSum[T Real](dst, a, x []T, k int) {
	checkTile(dst, a, x, k, "MinSum")
	minSum(dst, a, x, k)
}

// DistanceFromDot turns a tile of dot products into squared distances, given the squared norms of its rows and columns:
// max(0, (na[r]+nx[j]) - 2*t[r*32+j]). Cancellation makes this useless for points far from the origin; centre them.
func DistanceFromDot[T Real](t, na, nx []T) {
	check(len(t) == tile && len(na) == Rows && len(nx) == Width, "DistanceFromDot")
	distanceFromDot(t, na, nx)
}

func checkTile[T Real](dst, a, x []T, k int, routine string) {
	check(k >= 0 && len(dst) == tile && len(a)/Rows >= k && len(x)/Width >= k, routine)
}
