package gradient

import (
	"context"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

// fields is the points, their kernels and the memory of the gradients. A Gradient shares it with
// its passes.
type fields struct {
	gathering
	points   kernels.Points
	opt      Options
	all      *field
	now      *field // the active points: all, or a part
	held     int64  // bytes of gradients in memory
	resident *residency
	tables   *tables // of the base rows of few points
}

// newField returns a field without memory of its own.
func (s *fields) newField(n int, index []int32) *field {
	f := &field{layout: newLayout(n, s.bank), points: s.points, index: index}
	f.own, f.mine = [2]int{0, len(f.units)}, [2]int{0, f.panels}
	if !s.team.alone() {
		f.shares = s.team.dealUnits(f, s.all)
		f.own = f.shares[s.team.ranks.Rank()]
		f.mine = f.panelsOf(f.own)
	}
	return f
}

// whole returns a field of all points, with gradients of zero.
func (s *fields) whole() (*field, error) {
	f := s.newField(s.points.Len(), nil)
	return f, s.allocate(f)
}

// part returns a field of some points, ascending, with copies of their gradients and, if they are
// dense, of their features. Passes over it then read memory from end to end.
func (s *fields) part(ctx context.Context, index []int32) (*field, error) {
	f := s.newField(len(index), index)
	s.resident.readAll = true
	d := s.points.Dim()
	if !kernels.IsSparse(s.points) {
		// The copies lie in a mapped file and not in memory: they are read once a pass, from end to
		// end, and may be as large as the data.
		features, err := mmap.Array(s.opt.Scratch, "active-*",
			max(1, int64(f.mine[1]-f.mine[0])*int64(d))*simd.Width*4)
		if err != nil {
			return nil, err
		}
		f.maps = append(f.maps, features)
		f.packed = mmap.View[float32](features)
	}
	if err := s.allocate(f); err != nil {
		f.close()
		return nil, err
	}
	err := each(ctx, s.opt.Threads, f.panels, func(_, p int) error {
		if f.packed != nil && f.owns(p) {
			var points kernels.Set
			points.Gather(s.points, f.ids(p))
			at := p - f.mine[0]
			points.WritePanel(0, f.packed[at*d*simd.Width:(at+1)*d*simd.Width])
		}
		// The gradients move with the points. Those in the field of all points are out of date from
		// now on.
		f.exchange(p, s.bank.Len(), s.all, func(mine, other *float64) { *mine = *other })
		return nil
	})
	if err == nil {
		err = s.move(s.all, f, s.bank.Len(), false)
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// allocate gives the field its gradients: in memory if they fit in what is left of the budget, or
// else in a mapped file.
func (s *fields) allocate(f *field) error {
	size := max(1, int64(f.mine[1]-f.mine[0])*int64(s.bank.Len())) * simd.Width * 8 *
		int64(s.opt.columns())
	var m *mmap.Map
	var err error
	// Both ways give the same slice of float64: nothing else in this package knows where gradients
	// live.
	if s.held+size <= s.opt.Memory {
		f.held = size
		s.held += size
		m, err = mmap.Anonymous(size)
	} else {
		m, err = mmap.Create(s.opt.Scratch, "gradient-*", size)
	}
	if err != nil {
		return err
	}
	f.maps = append(f.maps, m)
	f.g = mmap.View[float64](m)
	return nil
}

// drop writes the gradients of a part back to the field of all points and gives up its memory.
func (s *fields) drop(ctx context.Context, f *field) error {
	err := s.writeBack(ctx, f)
	s.held -= f.held
	if e := f.close(); err == nil {
		err = e
	}
	return err
}

// writeBack writes the gradients of a part to the field of all points.
func (s *fields) writeBack(ctx context.Context, f *field) error {
	err := each(ctx, s.opt.Threads, f.panels, func(_, p int) error {
		f.exchange(p, s.bank.Len(), s.all, func(mine, other *float64) { *other = *mine })
		return nil
	})
	if err != nil {
		return err
	}
	return s.move(s.all, f, s.bank.Len(), true)
}
