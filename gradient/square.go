package gradient

import (
	"context"

	"bigmkl/internal/simd"
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
		for j := first; j < first+n; j++ {
			row := h[j*q : j*q+q]
			for i := from; i < min(from+side, j); i++ {
				row[i] = column[i*side+j-first]
			}
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

// join adds the sum to a column block, and leaves it empty.
func (m *columnSum[T]) join(to []float64) {
	simd.AddTo(to[:len(m.sum)], m.sum, 1)
	m.used = false
}
