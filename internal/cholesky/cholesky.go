// Package cholesky factorises large positive definite matrices, A = LL'.
//
// The factor lies in panels of 32 rows, as the points of a gradient do, and its inner loop is the product of
// package simd. It takes n^3/3 operations at the rate of that product: gonum's factorisation of a matrix of 2,000
// rows takes ten times as long. Threads share the tiles of a panel. Every sum has one order, so the factor has the
// same bits for any number of them.
package cholesky

import (
	"math"

	"bigmkl/internal/simd"
)

const side = simd.Width

// Share calls do for the items 0..items-1, in any order and some at once. It returns when all are done.
type Share func(items int, do func(item int))

// InTurn is a Share on the thread of the caller.
func InTurn(items int, do func(item int)) {
	for i := range items {
		do(i)
	}
}

// Factor is the factor L of a matrix. The zero value can be used, and keeps its memory from one matrix to the next.
type Factor struct {
	n      int
	panels [][]float64 // of rows 32p..32p+31: [column][32], up to the last column of the panel
	strip  strip
}

// Bytes is the memory of the factor of n rows.
func Bytes(n int64) int64 {
	p := (n + side - 1) / side
	tiles := p*(p+1)/2 + p
	if p > wide {
		tiles += 2 * wide * p
	}
	return 8 * side * side * tiles
}

// N is the number of rows.
func (f *Factor) N() int { return f.n }

// Factorise factorises the part of the symmetric matrix a that rows and columns of the list have, plus the numbers of
// diagonal on its diagonal, one for each of the list. a has so many columns in each row. It returns false if the
// matrix is not positive definite in the arithmetic in hand.
func (f *Factor) Factorise(a []float64, columns int, list []int, diagonal []float64, share Share) bool {
	f.n = len(list)
	panels := (f.n + side - 1) / side
	for p := len(f.panels); p < panels; p++ {
		f.panels = append(f.panels, make([]float64, (p+1)*side*side))
	}
	share(panels, func(p int) { f.fill(p, a, columns, list, diagonal) })
	for from := 0; from < panels; from += wide {
		if !f.factoriseStrip(from, min(from+wide, panels), panels, share) {
			return false
		}
	}
	return true
}

// tile returns the rows of panel i in the columns of panel j, [column][32].
func (f *Factor) tile(i, j int) []float64 { return f.panels[i][j*side*side : (j+1)*side*side] }

// fill copies the rows of a panel from the matrix. Rows behind the last one are rows of the identity.
func (f *Factor) fill(p int, a []float64, columns int, list []int, diagonal []float64) {
	to := f.panels[p]
	rows, last := min(side, f.n-p*side), min((p+1)*side, f.n)
	if rows < side {
		clear(to)
	}
	var from [side][]float64
	for r := range rows {
		row := list[p*side+r]
		from[r] = a[row*columns : (row+1)*columns]
	}
	// The columns of a panel lie 32 rows apart: a few of them stay in the cache while all rows add to them.
	for first := 0; first < last; first += columnsAtOnce {
		part := list[first:min(first+columnsAtOnce, last)]
		for r, row := range from[:rows] {
			at := to[first*side+r:]
			for k, column := range part {
				at[k*side] = row[column]
			}
		}
	}
	for r := range side {
		if row := p*side + r; row < f.n {
			to[row*side+r] += diagonal[row]
		} else {
			to[row*side+r] = 1
		}
	}
}

const columnsAtOnce = 32

// factoriseTile factorises a diagonal tile in place, and puts zeros above its diagonal.
func factoriseTile(t []float64) bool {
	for c := range side {
		column := t[c*side : (c+1)*side]
		for e := range c {
			x := t[e*side+c]
			for r := c; r < side; r++ {
				column[r] -= x * t[e*side+r]
			}
		}
		if !(column[c] > 0) || math.IsInf(column[c], 1) {
			return false
		}
		root := math.Sqrt(column[c])
		clear(column[:c])
		for r := c; r < side; r++ {
			column[r] /= root
		}
	}
	return true
}

// Solve puts the solution of Ax = b in b.
func (f *Factor) Solve(b []float64) {
	x := make([]float64, len(f.panelsInUse())*side)
	copy(x, b)
	for p, panel := range f.panelsInUse() {
		y := x[p*side : (p+1)*side]
		for k := range p * side {
			simd.AddTo(y, panel[k*side:(k+1)*side], -x[k])
		}
		t := f.tile(p, p)
		for c := range side {
			y[c] /= t[c*side+c]
			for r := c + 1; r < side; r++ {
				y[r] -= t[c*side+r] * y[c]
			}
		}
	}
	for p := len(f.panelsInUse()) - 1; p >= 0; p-- {
		y, panel := x[p*side:(p+1)*side], f.panels[p]
		t := f.tile(p, p)
		for c := side - 1; c >= 0; c-- {
			for r := c + 1; r < side; r++ {
				y[c] -= t[c*side+r] * y[r]
			}
			y[c] /= t[c*side+c]
		}
		for k := range p * side {
			x[k] -= dot(panel[k*side:(k+1)*side], y)
		}
	}
	copy(b, x)
}

// panelsInUse returns the panels of the matrix in hand.
func (f *Factor) panelsInUse() [][]float64 { return f.panels[:(f.n+side-1)/side] }

// dot is a'b of 32 numbers.
func dot(a, b []float64) float64 {
	var s [4]float64
	a, b = a[:side], b[:side]
	for i := 0; i < side; i += 4 {
		s[0] += a[i] * b[i]
		s[1] += a[i+1] * b[i+1]
		s[2] += a[i+2] * b[i+2]
		s[3] += a[i+3] * b[i+3]
	}
	return s[0] + s[1] + (s[2] + s[3])
}

// Upper puts U = L', row-major with so many columns in each row, in u. What lies below its diagonal stays.
func (f *Factor) Upper(u []float64, columns int) {
	for p, panel := range f.panelsInUse() {
		for k := range min((p+1)*side, f.n) {
			for r := range min(side, f.n-p*side) {
				if p*side+r >= k {
					u[k*columns+p*side+r] = panel[k*side+r]
				}
			}
		}
	}
}
