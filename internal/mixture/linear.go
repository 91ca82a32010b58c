package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// These are the linear systems of interior points and Newton steps, whose matrices may lack rank.

// A matrix that rounding has made indefinite gets a ridge on its diagonal, a share of its
// largest element. The shares grow by 10 from leastRidge until the factorisation succeeds, and
// end at mostRidge.
const leastRidge, mostRidge = 1e-13, 1e-7

// factor is a Cholesky factor. It comes from package lapack64, as the factor of package mat estimates
// its condition, which takes as long as a solution.
type factor struct{ t blas64.Triangular }

// factorize returns the factor of m, to whose diagonal it may add a ridge.
//
// The ridge stays in m, so a later product with m is about the same system. It is not an error of the
// result: steps are tried against D before they are taken.
func factorize(m *mat.SymDense) (*factor, bool) {
	size, largest := m.SymmetricDim(), 0.0
	for i := range size {
		largest = max(largest, m.At(i, i))
	}
	own := mat.NewSymDense(size, nil)
	for added, ridge := 0.0, leastRidge; ridge <= mostRidge; ridge *= 10 {
		for i := range size {
			// The diagonal has the ridge of the last attempt already, so only the difference is added.
			m.SetSym(i, i, m.At(i, i)+(ridge-added)*largest)
		}
		added = ridge
		own.CopySym(m)
		if t, ok := lapack64.Potrf(own.RawSymmetric()); ok {
			return &factor{t}, true
		}
	}
	return nil, false
}

// solve replaces the columns of b by the solutions for them, and reports whether these are finite.
func (f *factor) solve(b *mat.Dense) bool {
	lapack64.Potrs(f.t, b.RawMatrix())
	return finite(b.RawMatrix().Data)
}

// leastSquares returns y with (A W A') y = off as far as A W A' has rank, for the rows of a matrix a. Rows
// are scaled to the same length: components may differ by any factor in what can move.
func leastSquares(a, weight, off []float64, k int) []float64 {
	size := len(weight)
	length := make([]float64, k)
	for i := range k {
		for v, w := range weight {
			length[i] += w * a[i*size+v] * a[i*size+v]
		}
		if length[i] > 0 {
			length[i] = 1 / math.Sqrt(length[i])
		}
	}
	m := mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			x := 0.0
			for v, w := range weight {
				x += w * a[i*size+v] * a[j*size+v]
			}
			m.SetSym(i, j, x*length[i]*length[j])
		}
	}
	var eigen mat.EigenSym
	y := make([]float64, k)
	if !eigen.Factorize(m, true) {
		return y
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for i, x := range values {
		// Eigenvalues ascend. A division by one that is rounding alone would add noise.
		if x <= 1e-13*values[k-1] {
			continue
		}
		dot := 0.0
		for c := range k {
			dot += vectors.At(c, i) * off[c] * length[c]
		}
		for c := range k {
			// The lengths come twice, because the matrix has scaled rows while off and y belong to the
			// rows as they are.
			y[c] += vectors.At(c, i) * dot / x * length[c]
		}
	}
	return y
}

// pseudoSolve solves a symmetric positive semi-definite system by its pseudo-inverse. If
// solutions are many, it returns the shortest one.
func pseudoSolve(m *mat.SymDense, b []float64) []float64 {
	k := len(b)
	y := make([]float64, k)
	var eigen mat.EigenSym
	// A decomposition that fails leaves y at 0, a step that changes nothing.
	if !eigen.Factorize(m, true) {
		return y
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for i, x := range values {
		if x <= 1e-12*values[k-1] {
			continue
		}
		part := 0.0
		for j := range k {
			part += vectors.At(j, i) * b[j]
		}
		for j := range k {
			y[j] += vectors.At(j, i) * part / x
		}
	}
	return y
}

// finite reports whether all numbers are finite.
func finite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// sum adds the numbers in their order, so the same numbers always give the same bits.
func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

// least returns the smallest number, +Inf of none.
func least(x []float64) float64 {
	m := math.Inf(1)
	for _, v := range x {
		m = min(m, v)
	}
	return m
}
