package verify

// A base is computed for a few rows times a tile of support vectors, over a block of features at
// a time. These sizes keep a thread's memory at some megabytes and its inner loops in the cache.
// The values of the bases depend on them in their last bits, so they are constants and do not
// follow from a budget.
const (
	tile         = 512  // support vectors of a tile
	featureBlock = 1024 // features of a block

	// Up to this many features a squared distance is summed over squared differences. Above it,
	// |x|^2 + |z|^2 - 2<x,z> is faster, because the inner products are a product of matrices.
	directFeatures = 16

	// A product of matrices of this many rows and columns runs in the goroutine that asks for it. A
	// larger one would start goroutines of its own, beyond Options.Threads.
	blockRows = 64
)

// bases computes the bases of a group for rows and a tile of support vectors, in memory of its
// own that is used again by the next call. It belongs to one goroutine.
type bases struct {
	*problem

	// x and z hold a block of features of the rows and of the support vectors, point after point.
	x, z []float64

	// base holds the base of each pair: rows x support vectors of the tile.
	base []float64

	// selfX and selfZ hold the base of each row and of each support vector with itself.
	selfX, selfZ []float64

	// means computes the values of centred kernels with the rows of their mean, and meansFor is what
	// was found for the rows in hand.
	means    *bases
	meansFor foundMeans
}

// sized returns a slice of n elements with any content. It is s itself if that has room for them.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
