package kernels

import "bigmkl/internal/simd"

// shortRange is the number of features below which a range is taken densely whatever the points
// are: it costs less than looking for the non-zeros that are in it.
const shortRange = 64

// features are those that a group looks at.
type features struct {
	Features []int32 // 0-based, ascending; nil: all
	Dim      int     // number of features; 0 for a matrix
}

// ranges reports whether the group looks at all features or at many that lie side by side. The
// non-zeros of a point that are in the group lie side by side, too, then.
func (g *features) ranges() bool {
	return g.Features == nil || len(g.Features) >= shortRange && g.together()
}

// together reports whether the features of the group lie side by side.
func (g *features) together() bool {
	n := len(g.Features)
	return g.Features == nil || n > 0 && int(g.Features[n-1]-g.Features[0]) == n-1
}

// part returns where the features of a group, which lie side by side, stand among the non-zeros of a point.
func (g *features) part(index []int32) (from, to int) {
	if g.Features == nil {
		return 0, len(index)
	}
	// The first and the last feature decide, and a point has at most as many non-zeros between them as there are features.
	n := len(g.Features)
	from = firstFrom(index, g.Features[0])
	return from, from + firstFrom(index[from:min(from+n, len(index))], g.Features[n-1]+1)
}

// firstFrom returns the place of the first feature from j on in an ascending list. Passes search each point of each panel, for each
// group. This takes about half the time of slices.BinarySearch, which was 7 % of an importance of MNIST with ten bands of pixels.
func firstFrom(index []int32, j int32) (at int) {
	for n := len(index); n > 0; {
		half := n >> 1
		if index[at+half] < j {
			at += half + 1
			n -= half + 1
		} else {
			n = half
		}
	}
	return at
}

// clip returns the non-zeros of a point that are features of a group, which lie side by side.
func (g *features) clip(index []int32, value []float32) ([]int32, []float32) {
	from, to := g.part(index)
	return index[from:to], value[from:to]
}

// Nonzeros is the number of terms that a point has in a sparse product of the group.
//
// It may be called for groups that range only.
func (g *features) Nonzeros(index []int32) int {
	from, to := g.part(index)
	return to - from
}

// feature is the number of the group's kth feature.
func (g *features) feature(k int) int {
	if g.Features == nil {
		return k
	}
	return int(g.Features[k])
}

// Each visits the features of the group in ascending order.
func (g *features) Each(f func(j int)) {
	if g.Features == nil {
		for j := range g.Dim {
			f(j)
		}
		return
	}
	for _, j := range g.Features {
		f(int(j))
	}
}

// negative finds the first feature of the group that goes below 0. The features of an
// outline are not known, and none is found.
func (g *features) negative(minimum []float32) (feature int, found bool) {
	if minimum == nil {
		return 0, false
	}
	g.Each(func(j int) {
		if minimum[j] < 0 && !found {
			feature, found = j, true
		}
	})
	return feature, found
}

// AddProducts adds to dst[i] the sum over the features j of the group of v[j] times feature j of
// point i. Sparse points take a term for each of their non-zeros if the features are all or a long
// range; the terms come in the same order either way, that of the features.
//
// It gives decision values of linear kernels without a kernel value: v is sum_i alpha_i x_i.
func (p *Panel) AddProducts(dst *[simd.Width]float64, g *Group, v []float64) {
	// The float64 conversion of each product keeps the compiler from fusing it with the sum: some
	// architectures would round once there and others twice.
	if p.index != nil && g.ranges() {
		for lane := range p.Len {
			index, value := g.clip(p.index[lane], p.value[lane])
			s := dst[lane]
			for e, j := range index {
				s += float64(v[j] * float64(value[e]))
			}
			dst[lane] = s
		}
		return
	}
	for k := range g.Dim {
		j := g.feature(k)
		// Rows that the panel leaves out are zero and add nothing.
		if p.place == nil || p.place[j] > 0 {
			simd.AddTo(dst[:], p.row(j), v[j])
		}
	}
}
