package gradient

import (
	"context"
	"slices"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

// field is a set of points with their gradients: all of them or, while the active set is shrunk, copies of some.
type field struct {
	layout
	points kernels.Points
	index  []int32   // numbers of the points; nil: all
	packed []float32 // features of a part of dense points: [panel][d][32]
	g      []float64 // [panel][kernel in storage order][32]
	maps   []*mmap.Map
	held   int64 // bytes of g in memory
}

// whole is the field of all points, with gradients of zero.
func (gr *Gradient) whole() (*field, error) {
	f := &field{layout: newLayout(gr.points.Len(), gr.bank), points: gr.points}
	return f, gr.allocate(f)
}

// part is a field of some points, ascending, with copies of their gradients and, if they are dense, of their features.
func (gr *Gradient) part(ctx context.Context, index []int32) (*field, error) {
	f := &field{layout: newLayout(len(index), gr.bank), points: gr.points, index: index}
	d := gr.points.Dim()
	if !kernels.IsSparse(gr.points) {
		features, err := mmap.Create(gr.opt.Scratch, "active-*", int64(f.panels)*int64(d)*simd.Width*4)
		if err != nil {
			return nil, err
		}
		f.maps = append(f.maps, features)
		f.packed = mmap.View[float32](features)
	}
	if err := gr.allocate(f); err != nil {
		f.close()
		return nil, err
	}
	err := each(ctx, gr.opt.Threads, f.panels, func(_, p int) error {
		if f.packed != nil {
			var s kernels.Set
			s.Gather(gr.points, f.ids(p))
			s.Columns(0, f.packed[p*d*simd.Width:(p+1)*d*simd.Width])
		}
		f.exchange(p, gr.bank.Len(), gr.all, func(mine, other *float64) { *mine = *other })
		return nil
	})
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// panel gives the features of panel p; the buffer is for sparse points.
func (f *field) panel(p int, b *kernels.PanelBuffer) kernels.Panel {
	switch {
	case f.index == nil:
		return kernels.PanelOf(f.points, p, b)
	case f.packed == nil:
		return kernels.PanelOfSome(f.points, f.ids(p), b)
	}
	size := f.points.Dim() * simd.Width
	return kernels.Panel{Len: f.count(p), IDs: f.ids(p), Dense: f.packed[p*size : (p+1)*size]}
}

// allocate gives the field its gradients, in memory as far as the budget goes.
func (gr *Gradient) allocate(f *field) error {
	size := int64(f.panels) * int64(gr.bank.Len()) * simd.Width * 8
	var m *mmap.Map
	var err error
	if gr.held+size <= gr.opt.Memory {
		f.held = size
		gr.held += size
		m, err = mmap.Anonymous(size)
	} else {
		m, err = mmap.Create(gr.opt.Scratch, "gradient-*", size)
	}
	if err != nil {
		return err
	}
	f.maps = append(f.maps, m)
	f.g = mmap.View[float64](m)
	return nil
}

// drop writes the gradients of a part back to the field of all points and gives up its memory.
func (gr *Gradient) drop(ctx context.Context, f *field) error {
	err := gr.writeBack(ctx, f)
	gr.held -= f.held
	if e := f.close(); err == nil {
		err = e
	}
	return err
}

// writeBack writes the gradients of a part to the field of all points.
func (gr *Gradient) writeBack(ctx context.Context, f *field) error {
	return each(ctx, gr.opt.Threads, f.panels, func(_, p int) error {
		f.exchange(p, gr.bank.Len(), gr.all, func(mine, other *float64) { *other = *mine })
		return nil
	})
}

// exchange visits every gradient of panel p together with its place in the field of all points.
func (f *field) exchange(p, kernels int, all *field, visit func(mine, other *float64)) {
	for j, id := range f.ids(p) {
		mine := p*kernels*simd.Width + j
		other := all.place(int(id), kernels)
		for k := range kernels {
			visit(&f.g[mine+k*simd.Width], &all.g[other+k*simd.Width])
		}
	}
}

// ids are the numbers of the points of panel p of a part.
func (f *field) ids(p int) []int32 {
	return f.index[p*simd.Width : p*simd.Width+f.count(p)]
}

// place is where the gradients of point id begin; it must be in the field.
func (f *field) place(id, kernels int) int {
	if f.index != nil {
		id, _ = slices.BinarySearch(f.index, int32(id))
	}
	return (id/simd.Width)*kernels*simd.Width + id%simd.Width
}

func (f *field) close() error {
	var err error
	for _, m := range f.maps {
		if e := m.Close(); err == nil {
			err = e
		}
	}
	f.maps = nil
	return err
}
