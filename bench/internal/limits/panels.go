package limits

import (
	"bigmkl/internal/simd"

	"bigmkl/bench/internal/harness"
)

// panels holds points packed for products, which are larger than the second-level cache, and the
// rows of a working set. k is the number of features, and count the number of panels of simd.Width
// points each. Panel i has its values at x[i k Width : (i+1) k Width], feature by feature.
type panels[T simd.Real] struct {
	k, count int
	// a has workingRows rows of k values, and tile the products of a few rows with one panel.
	a, x []T
	tile []T
}

// newPanels packs random points with k features.
func newPanels[T simd.Real](k int) *panels[T] {
	p := &panels[T]{k: k, tile: make([]T, simd.Rows*simd.Width)}
	// panel is the number of values of one panel.
	panel := k * simd.Width
	p.count = max(2, panelBytes()/bytesOf[T]()/panel)
	p.a, p.x = drawNumbers[T](workingRows*k, 0, 1), repeatNumbers[T](p.count*panel)
	return p
}

// panelBytes returns four times the size of the second-level cache, but at least 8 MiB. A training
// streams through far more memory than this cache, so smaller panels would measure the cache.
func panelBytes() int { return max(8<<20, 4*int(cacheBytes(2))) }

// stream passes all working rows over each panel. Each term of a sum counts as per units of work.
// f is called with a tile of simd.Rows rows at a time.
func (p *panels[T]) stream(f func(dst, a, x []T, k int), per float64) harness.Workload {
	return func() float64 {
		for i := range p.count {
			x := p.x[i*p.k*simd.Width : (i+1)*p.k*simd.Width]
			for b := 0; b < workingRows; b += simd.Rows {
				f(p.tile, p.a[b*p.k:(b+simd.Rows)*p.k], x, p.k)
			}
		}
		return per * float64(p.count*p.k*simd.Width*workingRows)
	}
}

// product passes all working rows over each panel in one call, which prefetches the next panel
// meanwhile. A multiply-add counts as two units.
func (p *panels[T]) product() harness.Workload {
	panel, dst := p.k*simd.Width, make([]T, workingRows*simd.Width)
	return func() float64 {
		for i := range p.count {
			// The last panel is followed by the first, so each call has a next one.
			next := (i + 1) % p.count
			simd.Product(dst, p.a, p.x[i*panel:(i+1)*panel], p.k, p.x[next*panel:(next+1)*panel])
		}
		return 2 * float64(p.count*panel*workingRows)
	}
}

// sparse multiplies sparse rows of the given number of entries. The entries are spread evenly over the
// features, so each lies in another cache line.
func (p *panels[T]) sparse(entries int) harness.Workload {
	panel, dst := p.k*simd.Width, make([]T, simd.Width)
	index := make([]int32, entries)
	for e := range index {
		index[e] = int32(e * p.k / entries)
	}
	// All working rows share one pattern. Its time does not depend on the values.
	value := drawNumbers[T](entries, 0, 1)
	return func() float64 {
		for i := range p.count {
			for range workingRows {
				simd.SparseDot(dst, index, value, p.x[i*panel:(i+1)*panel])
			}
		}
		return 2 * float64(p.count*entries*simd.Width*workingRows)
	}
}
