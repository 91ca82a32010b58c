package gradient

import (
	"testing"
)

// TestSquareCopies copies squares of several sizes out: entry i, j of both halves is the entry of the upper half,
// and nothing is written beyond.
func TestSquareCopies(t *testing.T) {
	for _, q := range []int{1, 3, 31, 32, 33, 36, 63, 64, 65, 97, 130} {
		s := newSquare(q)
		for b := range s.blocks {
			for k := range s.column(b) {
				s.column(b)[k] = float64(b*1e6 + k + 1)
			}
		}
		h := make([]float64, q*q+1)
		h[q*q] = -1
		if err := s.copyTo(t.Context(), 2, h, q); err != nil {
			t.Fatal(err)
		}
		for i := range q {
			for j := range q {
				low, high := min(i, j), max(i, j)
				if want := s.column(high / 32)[low*32+high%32]; h[i*q+j] != want {
					t.Fatalf("%d rows: entry %d, %d is %g, want %g", q, i, j, h[i*q+j], want)
				}
			}
		}
		if h[q*q] != -1 {
			t.Fatalf("%d rows: a number behind the last row was written", q)
		}
	}
}

// BenchmarkSquareCopy copies the square of a working set of 300 points.
func BenchmarkSquareCopy(b *testing.B) {
	const q = 300
	s, h := newSquare(q), make([]float64, q*q)
	for b.Loop() {
		for block := range s.blocks {
			s.copyColumn(block, h, q)
		}
	}
}
