package gradient

import (
	"slices"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

// field is a set of points with their gradients: all points or, while some sleep, copies of the
// active ones. The 32 points of a panel lie innermost, so a tile of kernel values adds to
// consecutive numbers, and all kernels of a panel lie together, so a pass touches each page once.
type field struct {
	layout
	shares [][2]int // ranges of units that ranks have; nil: one gradient is alone
	own    [2]int   // the range of units that this rank has; all if it is alone
	mine   [2]int   // the range of panels that this rank has; all if it is alone
	points kernels.Points
	index  []int32     // numbers of the points, ascending; nil: all
	packed []float32   // features of the points of a part, if they are dense: [panel][d][32]
	g      []float64   // gradients of the range, [column][panel][kernel in storage order][32]
	apart  [][]float64 // the gradients of each column, where these do not lie side by side in g; else nil
	maps   []*mmap.Map
	held   int64 // bytes of g in memory
}

// column returns the gradients of one of so many columns.
func (f *field) column(c, columns int) []float64 {
	if f.apart != nil {
		return f.apart[c]
	}
	size := len(f.g) / columns
	return f.g[c*size : (c+1)*size]
}

// panel returns the features of panel p. The buffer is used for sparse points.
func (f *field) panel(p int, b *kernels.PanelBuffer) kernels.Panel {
	switch {
	case f.index == nil:
		return kernels.PanelOf(f.points, p, b)
	// Sparse points are never copied: their non-zeros are views into the data wherever they are
	// needed. Dense ones are not where a field is passed over once.
	case f.packed == nil:
		return kernels.PanelOfSome(f.points, f.ids(p), b)
	}
	size := f.points.Dim() * simd.Width
	p -= f.mine[0]
	ids := f.ids(p + f.mine[0])
	return kernels.Panel{Len: len(ids), IDs: ids, Dense: f.packed[p*size : (p+1)*size]}
}

// numbered returns panel p without features.
func (f *field) numbered(p int) kernels.Panel {
	if f.index == nil {
		return kernels.Panel{First: p * simd.Width, Len: f.count(p)}
	}
	ids := f.ids(p)
	return kernels.Panel{Len: len(ids), IDs: ids}
}

// ids returns the numbers of the points of panel p of a part.
func (f *field) ids(p int) []int32 {
	return f.index[p*simd.Width : p*simd.Width+f.count(p)]
}

// place is where the gradients of point id begin, which must be in the field and on this rank; that
// of the kernel at place k in storage order lies 32k further on.
func (f *field) place(id, kernels int) int { return f.at(f.position(id), kernels) }

// position counts the points of the field before point id.
//
// It is found by bisection in a part: a table of n places would have to be made again each time
// points fall asleep.
func (f *field) position(id int) int {
	if f.index != nil {
		id, _ = slices.BinarySearch(f.index, int32(id))
	}
	return id
}

// at is where the gradients of the k-th point of the field begin, which must be on this rank.
func (f *field) at(k, kernels int) int {
	return (k/simd.Width-f.mine[0])*kernels*simd.Width + k%simd.Width
}

// owns reports whether panel p is on this rank.
func (f *field) owns(p int) bool { return p >= f.mine[0] && p < f.mine[1] }

// numbers visits the numbers of the field's points in ascending order.
func (f *field) numbers() func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		for k := range f.n {
			i := int32(k)
			if f.index != nil {
				i = f.index[k]
			}
			if !yield(i) {
				return
			}
		}
	}
}

// exchange visits every gradient of panel p together with its place in the field of all points, to
// copy one to the other. Both have to be on this rank: move does the rest.
//
// The kernels of a point lie 32 numbers apart, in both fields.
func (f *field) exchange(p, kernels int, all *field, visit func(mine, other *float64)) {
	for j, id := range f.ids(p) {
		if !f.owns(p) || !all.owns(int(id)/simd.Width) {
			continue
		}
		mine := f.at(p*simd.Width+j, kernels)
		other := all.place(int(id), kernels)
		for k := range kernels {
			visit(&f.g[mine+k*simd.Width], &all.g[other+k*simd.Width])
		}
	}
}

// close releases memory and files of the field.
//
// It may be called more than once, and returns the first error.
func (f *field) close() error {
	err := closeAll(f.maps)
	f.maps = nil
	return err
}

// closeAll closes maps and returns the first error.
func closeAll(maps []*mmap.Map) error {
	var err error
	for _, m := range maps {
		if e := m.Close(); err == nil {
			err = e
		}
	}
	return err
}

// owner is the rank that has panel p of the field.
func (f *field) owner(p int) int {
	for r := range f.shares {
		if own := f.panelsOf(f.shares[r]); p >= own[0] && p < own[1] {
			return r
		}
	}
	return 0
}

// owners lists the rank that has each panel of the field.
func (f *field) owners() []int32 {
	list := make([]int32, f.panels)
	for r := range f.shares {
		own := f.panelsOf(f.shares[r])
		for p := own[0]; p < own[1]; p++ {
			list[p] = int32(r)
		}
	}
	return list
}

// appendOwn appends the gradients of those points of a set that this rank has, of the kernels at the given
// places in storage order. nil means all that the bank has, which are so many.
func (f *field) appendOwn(own []float64, kernels int, set, places []int) []float64 {
	for _, id := range set {
		at := f.position(id)
		if !f.owns(at / simd.Width) {
			continue
		}
		g := f.g[f.at(at, kernels):]
		for k := 0; places == nil && k < kernels; k++ {
			own = append(own, g[k*simd.Width])
		}
		for _, k := range places {
			own = append(own, g[k*simd.Width])
		}
	}
	return own
}
