package gradient

import (
	"context"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// square is the upper half of a symmetric matrix in column blocks of 32: block j holds the rows
// 0..32j+31 as [row][32]. Tiles of kernel values add to it without being moved, and the lower half
// is filled in only when the matrix is copied out.
type square struct {
	blocks int
	at     []float64
}

// newSquare returns a matrix of q rows that is zero.
//
// It has whole blocks of 32 rows; what lies behind row q is never copied out.
func newSquare(q int) *square {
	b := panelsOf(q)
	return &square{blocks: b, at: make([]float64, columnStart(b))}
}

// columnStart is where column block j begins.
//
// The blocks before it have 1, 2, ..., j squares of 32 x 32.
func columnStart(j int) int { return j * (j + 1) / 2 * simd.Width * simd.Width }

// column returns column block j.
func (s *square) column(j int) []float64 { return s.at[columnStart(j):columnStart(j+1)] }

// copyTo writes the leading q x q part to h, row-major, both halves.
func (s *square) copyTo(ctx context.Context, threads int, h []float64, q int) error {
	return each(ctx, threads, panelsOf(q), func(_, block int) error {
		s.copyColumn(block, h, q)
		return nil
	})
}

// copyColumn writes a column block to h, and the same numbers to the rows of the lower half.
func (s *square) copyColumn(block int, h []float64, q int) {
	const side = simd.Width
	first := block * side
	column, n := s.column(block), min(side, q-first)
	// The upper half is copied row by row, as it lies in the column block.
	for i := range first + n {
		copy(h[i*q+first:i*q+first+n], column[i*side:])
	}
	// The lower half is written in squares of 32 x 32, because the rows of h lie far apart.
	for from := 0; from <= first; from += side {
		(*tile)(column[from*side:]).mirror(h[first*q+from:], q, n, from == first)
	}
}

// tile is a square of 32 rows of 32 numbers.
type tile [simd.Width * simd.Width]float64

// mirror writes the first n columns as rows of h, which lie q apart. Of a square on the diagonal only the
// numbers above the diagonal are written, below it.
func (t *tile) mirror(h []float64, q, n int, diagonal bool) {
	const side = simd.Width
	j := 0
	// Four columns at a time share the cache lines of the rows.
	for ; !diagonal && j+4 <= n; j += 4 {
		a, b := (*[side]float64)(h[j*q:]), (*[side]float64)(h[(j+1)*q:])
		c, d := (*[side]float64)(h[(j+2)*q:]), (*[side]float64)(h[(j+3)*q:])
		for i := range side {
			x := (*[4]float64)(t[i*side+j:])
			a[i], b[i], c[i], d[i] = x[0], x[1], x[2], x[3]
		}
	}
	for ; j < n; j++ {
		rows := side
		if diagonal {
			rows = j
		}
		for i, to := 0, h[j*q:]; i < rows; i++ {
			to[i] = t[i*side+j]
		}
	}
}

// columnSum is a sum of kernels on a column block. Kernels are summed in T first, and every 64 of
// them join the float64 matrix: sums in float32 of more terms would lose digits.
type columnSum[T simd.Real] struct {
	sum   []T
	batch int // number of the batch of 64 kernels that is being summed
	used  bool
}

// mix adds the kernels of a group, times their weights. Sums that are complete join a column block.
func (m *columnSum[T]) mix(e *kernels.Evaluator[T], g *kernels.Group, weight []float64, base []T, column []float64) {
	for from := 0; from < len(g.Members); {
		// A batch ends where the storage order passes a multiple of 64, be it within a group or
		// between two.
		batch := (g.First + from) / mixedKernels
		if batch != m.batch {
			if m.used {
				m.join(column)
			}
			m.batch = batch
		}
		end := min(len(g.Members), (batch+1)*mixedKernels-g.First)
		m.sum = grow(m.sum, len(base)/g.Layers)
		if !m.used {
			clear(m.sum)
			m.used = true
		}
		e.Mix(m.sum, base, g, from, end, weight)
		from = end
	}
}

// join adds the sum to a column block, and leaves it empty.
func (m *columnSum[T]) join(to []float64) {
	n := min(len(to), len(m.sum)) // a row of the model may have fewer numbers
	simd.AddTo(to[:n], m.sum[:n], 1)
	m.used = false
}
