package kernels

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"bigmkl/internal/simd"
)

// How many dimensions does a kernel use of its feature space? The matrix of n points whose kernel has
// a unit diagonal has a trace of n. Bach, Thibaux and Jordan 2005 count the eigenvalues above 1/2 and
// let a power of that count be the regularisation parameter of the kernel (Goenen 2010, section 2.7.2,
// EMKL). The eigenvalues of k of the points are, in the mean, k/n times the eigenvalues of all, so on
// a sample those above k/(2n) are counted.

// eigenSample is the largest number of points whose eigenvalues are counted.
const eigenSample = 2000

// EigenCounts is the memory, in bytes, that EigenCounts takes.
func (m Memory) EigenCounts() int64 {
	k := int64(min(m.Points.Len(), eigenSample))
	_, thread := m.Align()
	// The matrix, the copy that is made tridiagonal, and vectors.
	return thread + 2*8*k*k + 64*8*k
}

// EigenCounts returns for each kernel by number how many eigenvalues above 1/2 its matrix on all
// points has once it has a unit diagonal, from up to 2,000 points that the seed draws. A count is at
// least 1, since the mean of the eigenvalues is 1; a kernel that is 0 everywhere counts as 1.
//
// It takes some 4/3 k^3 operations a kernel for a sample of k points, in one goroutine. scratch is
// the folder of the file with the features of the sample. An error comes from the file or the context.
func (m Matrices) EigenCounts(ctx context.Context, seed uint64, scratch string) ([]float64, error) {
	return m.eigenCounts(ctx, seed, eigenSample, scratch)
}

// eigenCounts is EigenCounts with a sample of at most so many points.
func (m Matrices) eigenCounts(ctx context.Context, seed uint64, most int, scratch string) ([]float64, error) {
	b, points := m.Bank, m.Points
	o := AlignOptions{Plain: true, Classes: make([]int32, points.Len()), Seed: seed, Scratch: scratch}
	if points.Len() > most {
		o.Sample = most
	}
	a, err := newAligner(m, &o)
	if err != nil {
		return nil, err
	}
	defer a.close()
	w := newAlignWorker(a)
	counts, matrix := make([]float64, b.Len()), mat.NewSymDense(a.k, nil)
	for g := range b.Groups {
		for i := range b.Groups[g].Members {
			k := &b.Groups[g].Members[i]
			if err := w.fillMatrix(ctx, matrix, &b.Groups[g], k); err != nil {
				return nil, err
			}
			counts[k.ID] = countEigenvalues(matrix, a.n)
		}
	}
	return counts, nil
}

// fillMatrix computes the matrix of one kernel on the sample, without the factors of the
// multiplicative normalisation.
func (w *alignWorker) fillMatrix(ctx context.Context, matrix *mat.SymDense, g *Group, m *Member) error {
	var rows Rows[float64]
	for first := 0; first < w.k; first += w.rows {
		w.first, w.count = first, min(w.rows, w.k-first)
		set := &w.gather
		if w.set != nil {
			set = w.set.Part(first, first+w.count)
		} else {
			set.Gather(w.points, sequence(first, w.count))
		}
		w.eval.PackRows(&rows, g, set)
		for p := first / simd.Width; p < panelsOf(w.k); p++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			w.panel(p)
			w.eval.PackColumns(&w.cols, g, &w.part, w.n)
			w.eval.Base(w.base[:g.TileSize(w.count)], g, &rows, 0, w.count, &w.cols, nil)
			w.eval.values(w.value[:w.count*simd.Width], w.base, m, &rows, &w.cols)
			for i := range w.count {
				for lane := range w.lanes {
					if column := p*simd.Width + lane; column >= first+i {
						matrix.SetSym(first+i, column, w.value[i*simd.Width+lane])
					}
				}
			}
		}
	}
	return nil
}

// countEigenvalues gives the matrix of k of n points a unit diagonal and counts its eigenvalues above
// k/(2n). Points that the kernel maps to 0 have none.
func countEigenvalues(matrix *mat.SymDense, n int) float64 {
	k := matrix.SymmetricDim()
	norms := make([]float64, k)
	for i := range norms {
		norms[i] = math.Sqrt(max(0, matrix.At(i, i)))
	}
	for i := range k {
		for j := i; j < k; j++ {
			v := 0.0
			switch {
			case norms[i] == 0 || norms[j] == 0:
			case i == j:
				v = 1
			default:
				v = matrix.At(i, j) / norms[i] / norms[j]
			}
			matrix.SetSym(i, j, v)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(matrix, false) {
		return 1
	}
	count := 0
	for _, x := range eigen.Values(nil) {
		if x > float64(k)/float64(2*n) {
			count++
		}
	}
	return float64(max(1, count))
}
