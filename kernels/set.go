package kernels

import (
	"sync"
)

// Set is some points as the rows of tiles, dense or by their non-zero features. A set must not be
// copied once it has been used. Several goroutines may pack the same set at once: what is made when
// it is first needed is made under the lock.
type Set struct {
	IDs    []int32 // numbers of the points, which rows of matrices are looked up by
	Dim    int
	Sparse bool
	Dense  []float32 // len(IDs) x Dim, row-major
	Index  [][]int32 // features of each point's non-zeros, ascending
	Value  [][]float32

	// brief means that the set is packed once or twice, so it does not pay to lay it out by
	// feature.
	brief bool
	// bare means that the set has no features, because a table has all bases.
	bare bool
	lock sync.Mutex // guards what follows

	// The features of dense points, as they are and centred: [feature][point], in whole blocks of 8
	// points. Packing a group that chooses from the features reads rows of this layout from end to
	// end.
	flat32  [2][]float32
	flat64  [2][]float64
	entries *entries // non-zeros of sparse points
}

// entries are the non-zeros of sparse points by feature: those of feature j have the numbers
// start[j] to start[j+1]-1, in the order of the points.
//
// It is the layout that sparse matrices call compressed columns.
type entries struct {
	start []int32
	point []int32
	value []float32
}

// Gather makes the set hold the points with the given numbers. Non-zeros are not copied: they are
// views into the points' own memory.
//
// Dense points are copied, which reads a cache line for each feature: a point is a column of its
// panel.
func (s *Set) Gather(points Points, ids []int32) {
	n, sparse := nonzeros(points)
	s.reset(points.Dim(), sparse)
	s.IDs = append(s.IDs, ids...)
	if sparse {
		for _, id := range ids {
			index, value := n.Nonzeros(int(id))
			s.Index, s.Value = append(s.Index, index), append(s.Value, value)
		}
		return
	}
	s.Dense = grow(s.Dense, len(ids)*s.Dim)
	for i, id := range ids {
		points.Row(int(id), s.Dense[i*s.Dim:(i+1)*s.Dim])
	}
}

// Select makes the set hold some points of another set, which are given by their places there.
//
// Features of dense points are copied and non-zeros shared.
func (s *Set) Select(from *Set, places []int) {
	s.reset(from.Dim, from.Sparse)
	s.bare = from.bare
	for _, i := range places {
		s.IDs = append(s.IDs, from.IDs[i])
		if s.bare {
			continue
		}
		if s.Sparse {
			s.Index, s.Value = append(s.Index, from.Index[i]), append(s.Value, from.Value[i])
		} else {
			s.Dense = append(s.Dense, from.Dense[i*s.Dim:(i+1)*s.Dim]...)
		}
	}
}

// Part returns points from..to-1 of the set. It shares the memory of the set and is meant to be
// packed for few groups.
func (s *Set) Part(from, to int) *Set {
	// The layout by feature belongs to the whole set, and is not shared.
	p := &Set{IDs: s.IDs[from:to], Dim: s.Dim, Sparse: s.Sparse, brief: true, bare: s.bare}
	if s.bare {
		return p
	}
	if s.Sparse {
		p.Index, p.Value = s.Index[from:to], s.Value[from:to]
		// A set for matrices alone has no features.
	} else if s.Dense != nil { // matrices do without features
		p.Dense = s.Dense[from*s.Dim : to*s.Dim]
	}
	return p
}

// reset empties the set and keeps its memory.
func (s *Set) reset(dim int, sparse bool) {
	s.Dim, s.Sparse = dim, sparse
	s.IDs, s.Dense, s.Index, s.Value = s.IDs[:0], s.Dense[:0], s.Index[:0], s.Value[:0]
	s.flat32, s.flat64, s.entries, s.brief, s.bare = [2][]float32{}, [2][]float64{}, nil, false, false
}

// Each visits the features of point i that may differ from zero.
func (s *Set) Each(i int, visit func(feature int, x float32)) {
	switch {
	case s.Sparse:
		for e, j := range s.Index[i] {
			visit(int(j), s.Value[i][e])
		}
	case s.Dense != nil: // matrices do without features
		for j, x := range s.Dense[i*s.Dim : (i+1)*s.Dim] {
			visit(j, x)
		}
	}
}

// Nonzeros is the number of non-zeros of all points of a sparse set.
func (s *Set) Nonzeros() int {
	total := 0
	for _, index := range s.Index {
		total += len(index)
	}
	return total
}

// Panel returns points from..from+31 of the set, or as many as there are, as a panel in the
// buffer.
//
// The panel is valid until the buffer is used again, and for sparse points as long as the set is
// not changed.
func (s *Set) Panel(from int, b *PanelBuffer) Panel {
	to := min(from+width, len(s.IDs))
	p := Panel{First: from, Len: to - from, IDs: s.IDs[from:to]}
	if s.bare {
		return p
	}
	if s.Sparse {
		p.index, p.value = s.Index[from:to], s.Value[from:to]
		return b.fill(p, s.Dim, s.Dim > wideAbove)
	}
	// Points of a dense set lie in rows, and are turned round into the buffer.
	b.rows = grow(b.rows, s.Dim*width)
	p.Dense = b.rows
	s.WritePanel(from, p.Dense)
	return p
}

// WritePanel writes points from..from+31 of a dense set as [Dim][32], with zeros behind the last
// point.
func (s *Set) WritePanel(from int, dst []float32) {
	clear(dst)
	for lane := range min(width, len(s.IDs)-from) {
		i := from + lane
		for j, x := range s.Dense[i*s.Dim : (i+1)*s.Dim] {
			dst[j*width+lane] = x
		}
	}
}
