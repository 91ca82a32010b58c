package simd

// The tile routines take any number of blocks of 8 rows, packed one after the other
// (a[(b*k+f)*8+r]), and one panel. They write the tiles of all blocks to dst.

// Dot sets dst[r*32+j] to the sum over the k features of a[f*8+r]*x[f*32+j].
func Dot[T Real](dst, a, x []T, k int) {
	checkTile(dst, a, x, k, "Dot")
	pieces(dst, a, k, func(dst, a []T, blocks int) { dot(dst, a, x, k, blocks) })
}

// pieces cuts the blocks so that no call of assembly, during which a goroutine cannot be preempted,
// takes long.
func pieces[T Real](dst, a []T, k int, f func(dst, a []T, blocks int)) {
	const most = 1 << 13 // most is the largest number of features times blocks.
	for len(dst) > 0 {
		n := min(len(dst)/tile, max(1, most/max(k, 1)))
		f(dst[:n*tile], a, n)
		dst, a = dst[n*tile:], a[n*k*Rows:]
	}
}

// near is the number of features of a panel that stay in the first-level cache while all rows pass,
// 24 KB of float32.
const near = 192

// Product gives the same bits as Dot. It is faster for long sums, because it takes some features at
// a time. The argument ahead is the panel that comes next, if it is known, which is prefetched into
// the second-level cache.
func Product[T Real](dst, a, x []T, k int, ahead []T) {
	if k <= near {
		Dot(dst, a, x, k)
		return
	}
	checkTile(dst, a, x, k, "Product")
	blocks := len(dst) / tile
	clear(dst)
	for from := 0; from < k; from += near {
		n := min(near, k-from)
		next := ahead[min(len(ahead), from*Width):min(len(ahead), (from+n)*Width)]
		share := (len(next)/max(blocks, 1) + Width) &^ (Width - 1)
		for b := range blocks {
			part := next[:min(len(next), share)]
			dotMore(dst[b*tile:(b+1)*tile], a[(b*k+from)*Rows:], x[from*Width:], n, part)
			next = next[len(part):]
		}
	}
}

// AddProduct continues the sums that are in dst: the product of the first features of two points, and then of the others,
// has the same bits as the product of all of them.
func AddProduct[T Real](dst, a, x []T, k int) {
	checkTile(dst, a, x, k, "AddProduct")
	for b := range len(dst) / tile {
		dotMore(dst[b*tile:(b+1)*tile], a[b*k*Rows:], x, k, nil)
	}
}

// Distance gives the same bits as Product followed by DistanceFromDot for every tile. The argument
// na has a squared norm for each row, and nx for each column.
func Distance[T Real](dst, a, x []T, k int, na, nx, ahead []T) {
	checkTile(dst, a, x, k, "Distance")
	blocks := len(dst) / tile
	check(len(na) == blocks*Rows && len(nx) == Width, "Distance")
	if k <= near {
		distance(dst, a, x, k, blocks, na, nx)
		return
	}
	Product(dst, a, x, k, ahead)
	for b := range blocks {
		distanceFromDot(dst[b*tile:(b+1)*tile], na[b*Rows:(b+1)*Rows], nx)
	}
}

// SquaredDiff sets dst[r*32+j] to the sum over the k features of (a[f*8+r]-x[f*32+j])^2.
func SquaredDiff[T Real](dst, a, x []T, k int) {
	checkTile(dst, a, x, k, "SquaredDiff")
	pieces(dst, a, k, func(dst, a []T, blocks int) { squaredDiff(dst, a, x, k, blocks) })
}

// AbsDiff sets dst[r*32+j] to the sum over the k features of |a[f*8+r]-x[f*32+j]|.
func AbsDiff[T Real](dst, a, x []T, k int) {
	checkTile(dst, a, x, k, "AbsDiff")
	pieces(dst, a, k, func(dst, a []T, blocks int) { absDiff(dst, a, x, k, blocks) })
}

// ChiSquare sets dst[r*32+j] to the sum over the k features of (a-x)^2/(a+x), where a feature with
// a+x = 0 counts as 0.
func ChiSquare[T Real](dst, a, x []T, k int) {
	checkTile(dst, a, x, k, "ChiSquare")
	pieces(dst, a, k, func(dst, a []T, blocks int) { chiSquare(dst, a, x, k, blocks) })
}

// MinSum sets dst[r*32+j] to the sum over the k features of min(a[f*8+r], x[f*32+j]).
func MinSum[T Real](dst, a, x []T, k int) {
	checkTile(dst, a, x, k, "MinSum")
	pieces(dst, a, k, func(dst, a []T, blocks int) { minSum(dst, a, x, k, blocks) })
}

// DistanceFromDot turns a tile of dot products into squared distances, given the squared norms of
// its rows and columns: max(0, (na[r]+nx[j]) - 2*t[r*32+j]). Cancellation makes the result useless
// for points far from the origin, which must be centred first.
func DistanceFromDot[T Real](t, na, nx []T) {
	check(len(t) == tile && len(na) == Rows && len(nx) == Width, "DistanceFromDot")
	distanceFromDot(t, na, nx)
}

func checkTile[T Real](dst, a, x []T, k int, routine string) {
	check(k >= 0 && len(dst)%tile == 0 && len(a)/Rows >= len(dst)/tile*k &&
		len(x)/Width >= k, routine)
}
