package chunking

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"bigmkl/internal/cholesky"
)

// interiorSystem is the matrix H of an interior point and the factor of its systems (H + B)x = r, B diagonal.
//
// Points that occur several times have equal rows of H, of which one is kept. With y the sums of x over equal rows, one
// system remains with a row for each y,
//
//	(H + B')y = r',   1/B' = sum 1/B,   r'/B' = sum r/B,   x_k = (r_k - r')/B_k + (B'/B_k) y.
type interiorSystem struct {
	h      blas64.Symmetric // H of differences from one point, see centre; a row for all equal ones
	row    []int            // the row of h of each coordinate
	merged bool             // some coordinates have equal rows

	share  cholesky.Share
	factor *cholesky.Factor
	all    []int     // the rows of h
	bound  []float64 // B of the coordinates of the factor
	whole  []float64 // B'
	main   []int     // the coordinate with the least B of each row
	sums   []float64 // one number for each row of h, as y
	image  []float64 // as Hy
}

// newInteriorSystem takes H, whose memory it uses. Where rows may not be merged, H will change on its diagonal.
func newInteriorSystem(h []float64, q int, merge bool, factor *cholesky.Factor, share cholesky.Share) *interiorSystem {
	s := &interiorSystem{share: share, factor: factor, row: everyPoint(q)}
	rows := s.row
	if merge {
		s.row, rows = equalRows(h, q)
		s.merged = len(rows) < q
	}
	u := len(rows)
	for a, i := range rows {
		if !s.merged {
			break
		}
		for b, j := range rows { // the entry lies before all that are still needed
			h[a*u+b] = h[i*q+j]
		}
	}
	s.h = blas64.Symmetric{N: u, Stride: u, Data: h}
	s.all, s.main = everyPoint(u), make([]int, u)
	s.whole, s.sums, s.image = make([]float64, u), make([]float64, u), make([]float64, u)
	return s
}

// equalRows returns the number of the row that each row of h equals, and the first of all equal rows. Equal rows have the
// same product with a vector.
func equalRows(h []float64, q int) (number, first []int) {
	number = make([]int, q)
	mixed := make([]float64, q)
	for i := range mixed {
		mixed[i] = math.Mod(golden*float64(i+1), 1)
	}
	known := map[float64][]int{} // numbers, by the product
	for i := range q {
		row := h[i*q : (i+1)*q]
		key := blas64.Dot(blas64.Vector{N: q, Inc: 1, Data: row}, blas64.Vector{N: q, Inc: 1, Data: mixed})
		number[i] = len(first)
		for _, c := range known[key] {
			if slices.Equal(row, h[first[c]*q:(first[c]+1)*q]) {
				number[i] = c
				break
			}
		}
		if number[i] == len(first) {
			known[key] = append(known[key], len(first))
			first = append(first, i)
		}
	}
	return number, first
}

// golden has multiples whose fractions are far from each other.
const golden = 0.6180339887498949

// gather puts the sums of x over equal rows in s.sums, or returns x itself if no rows are equal.
func (s *interiorSystem) gather(x []float64) []float64 {
	if !s.merged {
		return x
	}
	clear(s.sums)
	for k, r := range s.row {
		s.sums[r] += x[k]
	}
	return s.sums
}

// times puts a Hx + b y in y.
func (s *interiorSystem) times(a float64, x []float64, b float64, y []float64) {
	x = s.gather(x)
	q := s.h.N
	s.share((q+rowsAtOnce-1)/rowsAtOnce, func(item int) {
		from, to := item*rowsAtOnce, min((item+1)*rowsAtOnce, q)
		for i := from; i < to; i++ {
			row := s.h.Data[i*s.h.Stride : i*s.h.Stride+q]
			d := blas64.Dot(blas64.Vector{N: q, Inc: 1, Data: row}, blas64.Vector{N: q, Inc: 1, Data: x})
			if s.merged {
				s.image[i] = d
			} else {
				y[i] = a*d + b*y[i]
			}
		}
	})
	if s.merged {
		for k, r := range s.row {
			y[k] = a*s.image[r] + b*y[k]
		}
	}
}

const rowsAtOnce = 64

// meanCurvature is the mean of the diagonal of H.
func (s *interiorSystem) meanCurvature() float64 {
	sum := 0.0
	for i := range s.h.N {
		sum += s.h.Data[i*s.h.Stride+i]
	}
	return sum / float64(s.h.N)
}

// factorise factorises H + B. It returns false if rounding has made the matrix indefinite.
func (s *interiorSystem) factorise(bound []float64) bool {
	s.bound = bound
	if !s.merged {
		return s.factor.Factorise(s.h.Data, s.h.Stride, s.all, bound, s.share)
	}
	for r := range s.main {
		s.main[r] = -1
	}
	clear(s.sums)
	for k, r := range s.row {
		s.sums[r] += 1 / bound[k]
		if m := s.main[r]; m < 0 || bound[k] < bound[m] {
			s.main[r] = k
		}
	}
	for r, t := range s.sums {
		s.whole[r] = 1 / t
	}
	return s.factor.Factorise(s.h.Data, s.h.Stride, s.all, s.whole, s.share)
}

// solve puts the solution of (H + B)x = r in r. Differences from the main coordinate of a row lose no digits where its
// 1/B is many times that of the others.
func (s *interiorSystem) solve(r []float64) {
	if !s.merged {
		s.factor.Solve(r)
		return
	}
	mean := s.image // of the differences of r from that of the main coordinate
	clear(mean)
	for k, i := range s.row {
		mean[i] += (r[k] - r[s.main[i]]) / s.bound[k] * s.whole[i]
	}
	for i, m := range s.main {
		s.sums[i] = r[m] + mean[i]
	}
	s.factor.Solve(s.sums)
	for k, i := range s.row {
		if m := s.main[i]; k != m {
			r[k] = (r[k]-r[m]-mean[i])/s.bound[k] + s.whole[i]/s.bound[k]*s.sums[i]
		}
	}
	for i, m := range s.main {
		r[m] = s.whole[i]/s.bound[m]*s.sums[i] - mean[i]/s.bound[m]
	}
}

// factorisePart factorises the part of H + B that some coordinates have.
func (s *interiorSystem) factorisePart(list []int, bound []float64) bool {
	rows := list
	if s.merged {
		rows = make([]int, len(list))
		for a, k := range list {
			rows[a] = s.row[k]
		}
	}
	return s.factor.Factorise(s.h.Data, s.h.Stride, rows, bound, s.share)
}

// spread gives all coordinates their rows and columns of H back.
func (s *interiorSystem) spread() []float64 {
	q, u, h := len(s.row), s.h.N, s.h.Data
	for i := q - 1; i >= 0 && s.merged; i-- {
		for j := q - 1; j >= 0; j-- { // the entry lies behind all that are still needed
			h[i*q+j] = h[s.row[i]*u+s.row[j]]
		}
	}
	return h
}
