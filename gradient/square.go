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
	const side = simd.Width
	for first := 0; first < q; first += side {
		column, n := s.column(first/side), min(side, q-first)
		for i := range first + n {
			copy(h[i*q+first:i*q+first+n], column[i*side:])
		}
		// Mirrored in squares: rows of h lie far apart.
		for from := 0; from <= first; from += side {
			for j := first; j < first+n; j++ {
				row := h[j*q : j*q+q]
				for i := from; i < min(from+side, j); i++ {
					row[i] = h[i*q+j]
				}
			}
		}
	}
}
