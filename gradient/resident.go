package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// All ranks have all points in a mapped file, and read the points of the others where these are in a
// working set. Pages that were read stay in memory until the system needs them. A rank gives them up
// from time to time, so it takes memory for its own points alone.

// mapped is implemented by points that lie in a mapped file.
type mapped interface {
	// KeepOnly gives up the memory of all points but from to to-1. They come back when they are read.
	KeepOnly(from, to int) error
}

// leastEvicted is the least number of bytes of other points that a rank gives up at a time. Trainings of
// 14 ms an iteration on 2 ranks took 9 % longer with an eighth of it, as pages have to be found again.
const leastEvicted = 64 << 20

// residency counts what is read of the points of other ranks, to give it up.
type residency struct {
	points kernels.Points
	mapped mapped // the points; nil: none are given up
	// read counts the bytes of points that were read for working sets, and readAll means that others
	// were read as well.
	read    int64
	readAll bool
}

// newResidency returns the residency of points that have been read. Where a rank is alone it keeps them.
func newResidency(points kernels.Points, alone bool) *residency {
	r := &residency{points: points, readAll: true}
	if !alone {
		r.mapped, _ = points.(mapped)
	}
	return r
}

// evict notes that the points of a working set have been read, as they are when a pass begins, and gives up the
// memory of points that passes over the field f do not read once a quarter of its own may be filled with them.
func (s *residency) evict(f *field, read int) error {
	if s.mapped == nil {
		return nil
	}
	// A row of dense points touches every page of its panel, and pages come with those around them.
	each, own := int64(64<<10), int64(0)
	if !kernels.IsSparse(s.points) {
		panel := int64(s.points.Dim()) * simd.Width * 4
		each, own = max(each, panel), int64(f.mine[1]-f.mine[0])*panel
	}
	s.read += int64(read) * each
	if s.read < max(leastEvicted, own/4) && !s.readAll {
		return nil
	}
	s.read, s.readAll = 0, false
	return s.mapped.KeepOnly(f.passedOver())
}

// passedOver returns the range of the points that passes of this rank over the field read: none where they have copies.
func (f *field) passedOver() (from, to int) {
	from, to = f.mine[0]*simd.Width, min(f.mine[1]*simd.Width, f.n)
	switch {
	case from >= to || f.packed != nil:
		return 0, 0
	case f.index != nil:
		return int(f.index[from]), int(f.index[to-1]) + 1
	}
	return from, to
}
