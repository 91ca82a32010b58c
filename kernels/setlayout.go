package kernels

import (
	"bigmkl/internal/simd"
)

// A working set comes point by point, but packing it for a group reads feature by feature. Where
// many groups choose from the features, it pays to turn the set round once. The layouts are made
// when the first group asks for them and stay until the set holds other points.

// byFeature returns the non-zeros of a sparse set by feature. It sorts by counting.
func (s *Set) byFeature() *entries {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.entries != nil {
		return s.entries
	}
	// The set may be packed by several goroutines at once. The first makes the layout and the
	// others wait for it.
	total := s.Nonzeros()
	e := &entries{
		start: make([]int32, s.Dim+2), point: make([]int32, total), value: make([]float32, total),
	}
	// Feature j is counted at j+2. Sums over the counts then give at j+1 where its entries begin,
	// and writing them moves that on to where they end, which is where those of feature j+1 begin.
	for _, index := range s.Index {
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

// stride is the number of points of the set in whole blocks of 8.
func (s *Set) stride() int { return blocks(len(s.IDs)) * simd.Rows }

// flatten returns the features of a dense set as [feature][point], in type T and, if centred, less
// shift. Points behind the last are zero.
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
	// Each of the four layouts, of two types and with or without centring, is made when it is first
	// asked for.
	*flat = make([]T, s.Dim*stride)
	transpose(*flat, s.Dense, len(s.IDs), s.Dim, stride)
	if centred {
		for j, m := range shift {
			row := (*flat)[j*stride : j*stride+len(s.IDs)]
			for i := range row {
				// The difference is taken in T, as packing a single point does, so both ways give
				// the same bits.
				row[i] -= T(m)
			}
		}
	}
	return *flat
}

// transpose writes x, n x d, to dst, d x stride. It goes by squares of 16 x 16, which stay in the
// first-level cache, because one of the two sides is always read or written across its rows.
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
