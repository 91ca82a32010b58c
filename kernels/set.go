package kernels

import (
	"sync"

	"bigmkl/internal/simd"
)

// Set is some points as rows: dense, or by their non-zero features. It is not copied once it has been used.
type Set struct {
	IDs    []int32 // their numbers, used by matrices
	Dim    int
	Sparse bool
	Dense  []float32 // len(IDs) x Dim, row-major
	Index  [][]int32 // per point, ascending
	Value  [][]float32

	brief   bool         // not worth laying out by feature
	lock    sync.Mutex   // of what is made when it is needed:
	flat32  [2][]float32 // of dense points, as they are and centred: [feature][point], in whole blocks of 8 points
	flat64  [2][]float64
	entries *entries // of sparse points
}

// entries are the non-zeros of sparse points by feature: those of feature j are at start[j] to start[j+1]-1.
type entries struct {
	start []int32
	point []int32
	value []float32
}

func (s *Set) reset(dim int, sparse bool) {
	s.IDs, s.Dim, s.Sparse, s.Dense, s.Index, s.Value = s.IDs[:0], dim, sparse, s.Dense[:0], s.Index[:0], s.Value[:0]
	s.flat32, s.flat64, s.entries, s.brief = [2][]float32{}, [2][]float64{}, nil, false
}

// Gather makes the set the points of those numbers. Non-zeros are views into the points' own memory.
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

// Select makes the set some points of another, by their places there.
func (s *Set) Select(from *Set, places []int) {
	s.reset(from.Dim, from.Sparse)
	for _, i := range places {
		s.IDs = append(s.IDs, from.IDs[i])
		if s.Sparse {
			s.Index, s.Value = append(s.Index, from.Index[i]), append(s.Value, from.Value[i])
		} else {
			s.Dense = append(s.Dense, from.Dense[i*s.Dim:(i+1)*s.Dim]...)
		}
	}
}

// Part is points from..to-1 of the set, sharing its memory. It is to be packed for one group or few.
func (s *Set) Part(from, to int) *Set {
	p := &Set{IDs: s.IDs[from:to], Dim: s.Dim, Sparse: s.Sparse, brief: true}
	if s.Sparse {
		p.Index, p.Value = s.Index[from:to], s.Value[from:to]
	} else if s.Dense != nil { // matrices do without features
		p.Dense = s.Dense[from*s.Dim : to*s.Dim]
	}
	return p
}

// Each visits the features of point i that may not be zero.
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

// Widest is the most non-zeros that a point of a sparse set has.
func (s *Set) Widest() int64 {
	most := 0
	for _, index := range s.Index {
		most = max(most, len(index))
	}
	return int64(most)
}

// PanelBytes is what a panel of such points takes, about.
func (s *Set) PanelBytes() int64 {
	if s.Sparse {
		return PanelBytes(s.Dim, int64(s.Nonzeros()+1)*width/int64(max(len(s.IDs), 1)))
	}
	return int64(s.Dim) * width * 4
}

// Panel makes points from..from+31 of the set, or as many as there are, a panel in the buffer.
func (s *Set) Panel(from int, b *PanelBuffer) Panel {
	to := min(from+width, len(s.IDs))
	p := Panel{First: from, Len: to - from, IDs: s.IDs[from:to]}
	if s.Sparse {
		p.index, p.value = s.Index[from:to], s.Value[from:to]
		return b.fill(p, s.Dim, s.Dim > wideAbove)
	}
	b.rows = grow(b.rows, s.Dim*width)
	p.Dense = b.rows
	s.Columns(from, p.Dense)
	return p
}

// Columns writes points from..from+31 of a dense set as [Dim][32].
func (s *Set) Columns(from int, dst []float32) {
	clear(dst)
	for lane := range min(width, len(s.IDs)-from) {
		i := from + lane
		for j, x := range s.Dense[i*s.Dim : (i+1)*s.Dim] {
			dst[j*width+lane] = x
		}
	}
}

// stride is the number of points in whole blocks.
func (s *Set) stride() int { return blocks(len(s.IDs)) * simd.Rows }

// Nonzeros is the number of entries of a sparse set.
func (s *Set) Nonzeros() int {
	total := 0
	for _, index := range s.Index {
		total += len(index)
	}
	return total
}

// byFeature gives the entries of a sparse set.
func (s *Set) byFeature() *entries {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.entries != nil {
		return s.entries
	}
	total := s.Nonzeros()
	e := &entries{start: make([]int32, s.Dim+2), point: make([]int32, total), value: make([]float32, total)}
	for _, index := range s.Index { // feature j counts at j+2, and so begins, when the entries are written, at j+1
		for _, j := range index {
			e.start[j+2]++
		}
	}
	for j := range s.Dim {
		e.start[j+1] += e.start[j]
	}
	for i, index := range s.Index {
		for k, j := range index {
			at := e.start[j+1]
			e.point[at], e.value[at] = int32(i), s.Value[i][k]
			e.start[j+1]++
		}
	}
	s.entries = e
	return e
}

// flatten gives the features of a dense set as [feature][point], minus shift if centred; points beyond the last are zero.
func flatten[T simd.Real](s *Set, centred bool, shift []float32) []T {
	s.lock.Lock()
	defer s.lock.Unlock()
	var flat *[]T
	kind := 0
	if centred {
		kind = 1
	}
	if precision[T]() == 0 {
		flat = any(&s.flat32[kind]).(*[]T)
	} else {
		flat = any(&s.flat64[kind]).(*[]T)
	}
	if *flat != nil {
		return *flat
	}
	stride := s.stride()
	*flat = make([]T, s.Dim*stride)
	transpose(*flat, s.Dense, len(s.IDs), s.Dim, stride)
	if centred {
		for j, m := range shift {
			row := (*flat)[j*stride : j*stride+len(s.IDs)]
			for i := range row {
				row[i] -= T(m)
			}
		}
	}
	return *flat
}

// transpose writes x, n x d, to dst, d x stride, in squares that stay in the cache.
func transpose[T simd.Real](dst []T, x []float32, n, d, stride int) {
	const side = 16
	for from := 0; from < n; from += side {
		for first := 0; first < d; first += side {
			for i := from; i < min(from+side, n); i++ {
				row := x[i*d+first : i*d+min(first+side, d)]
				at := first*stride + i
				for _, v := range row {
					dst[at] = T(v)
					at += stride
				}
			}
		}
	}
}
