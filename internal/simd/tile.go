package simd

// Dot sets dst[r*32+j] to the sum over the k features of a[f*8+r]*x[f*32+j].
func Dot[T Real](dst, a, x []T, k int) {
	checkTile(dst, a, x, k, "Dot")
	dot(dst, a, x, k)
}

// near is the number of features of a panel that stay in the first-level cache, 24 KB of float32, while all rows pass.
const near = 192

// Product is Dot for any number of blocks of 8 rows, packed one after the other (a[(b*k+f)*8+r]), to the bit; long sums
// take some features at a time. ahead is the panel that comes next, if known: it is brought into the second-level cache
// meanwhile.
func Product[T Real](dst, a, x []T, k int, ahead []T) {
	blocks := len(dst) / tile
	check(k >= 0 && len(dst)%tile == 0 && len(a)/Rows >= blocks*k && len(x)/Width >= k, "Product")
	if k <= near || blocks == 0 {
		for b := range blocks {
			dot(dst[b*tile:(b+1)*tile], a[b*k*Rows:], x, k)
		}
		return
	}
	clear(dst)
	for from := 0; from < k; from += near {
		n := min(near, k-from)
		next := ahead[min(len(ahead), from*Width):min(len(ahead), (from+n)*Width)]
		share := (len(next)/blocks + Width) &^ (Width - 1)
		for b := range blocks {
			part := next[:min(len(next), share)]
			dotMore(dst[b*tile:(b+1)*tile], a[(b*k+from)*Rows:], x[from*Width:], n, part)
			next = next[len(part):]
		}
	}
}

// Distance is Product followed by DistanceFromDot on every tile, to the bit. na has a norm for each row, nx for each column.
func Distance[T Real](dst, a, x []T, k int, na, nx, ahead []T) {
	blocks := len(dst) / tile
	check(len(dst)%tile == 0 && len(na) == blocks*Rows && len(nx) == Width, "Distance")
	if k > near {
		Product(dst, a, x, k, ahead)
		for b := range blocks {
			distanceFromDot(dst[b*tile:(b+1)*tile], na[b*Rows:(b+1)*Rows], nx)
		}
		return
	}
	check(k >= 0 && len(a)/Rows >= blocks*k && len(x)/Width >= k, "Distance")
	for b := range blocks {
		distance(dst[b*tile:(b+1)*tile], a[b*k*Rows:], x, k, na[b*Rows:(b+1)*Rows], nx)
	}
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
