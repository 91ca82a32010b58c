package gradient

import "bigmkl/internal/simd"

// square is the upper half of a symmetric matrix in columns of 32: column block j holds rows 0..32j+31 as [row][32].
type square struct {
	blocks int
	at     []float64
}

func newSquare(q int) *square {
	b := panelsOf(q)
	return &square{blocks: b, at: make([]float64, columnStart(b))}
}

// columnStart is where column block j begins.
func columnStart(j int) int { return j * (j + 1) / 2 * simd.Width * simd.Width }

// column is block j.
func (s *square) column(j int) []float64 { return s.at[columnStart(j):columnStart(j+1)] }

// copyTo writes the leading q x q part to h, row-major, both halves.
func (s *square) copyTo(h []float64, q int) {
	for j := range q {
		column := s.column(j / simd.Width)
		for i := range j + 1 {
			v := column[i*simd.Width+j%simd.Width]
			h[i*q+j], h[j*q+i] = v, v
		}
	}
}
