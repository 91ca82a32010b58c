package chunking

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Curvature gives the second derivatives of J by the weights where alpha is optimal, row-major, M x M for M kernels: with the points F
// inside their box, A = sum_m theta_m K_m[F,F] + the curvature of the loss, and G the gradients g_m[F] for its columns,
//
//	G' (A^-1 - A^-1 1 1'A^-1 / 1'A^-1 1) G
//
// which is how those points answer to a change of the weights (Chapelle and Rakotomamonjy 2008). It takes the gradients of a Mixer. A
// matrix that rounding has made indefinite is nil.
func (p *Point) Curvature(ctx context.Context) ([]float64, error) {
	s, kernels := p.solver, len(p.V)
	var free []int
	for i, a := range s.alpha {
		if low, high := s.loss.Box(i); low < a && a < high && (s.kink == 0 || a != 0) {
			free = append(free, i)
		}
	}
	f := len(free)
	if f < 2 {
		return make([]float64, kernels*kernels), nil
	}
	a, g := make([]float64, f*f), make([]float64, kernels*f)
	if err := s.grad.Hessian(ctx, free, s.theta, nil, a); err != nil {
		return nil, err
	}
	row, factor := make([]int32, kernels), make([]float64, kernels)
	for m := range row {
		row[m], factor[m] = int32(m), 1
		if p.factor != nil {
			factor[m] = p.factor[m]
		}
	}
	if err := s.grad.(Mixer).Mix(ctx, free, row, factor, g); err != nil {
		return nil, err
	}
	trace := 0.0
	for k, i := range free {
		if l, ok := s.loss.(Curved); ok {
			a[k*f+k] += l.Curvature(i)
		}
		trace += a[k*f+k]
	}
	for k := range free {
		a[k*f+k] += ridge * trace / float64(f)
	}
	root, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: f, Stride: f, Data: a})
	if !ok {
		return nil, nil
	}
	// Z = G U^-1 with A = U'U, a row for each kernel, and u = U'^-1 1.
	z := blas64.General{Rows: kernels, Cols: f, Stride: f, Data: g}
	blas64.Trsm(blas.Right, blas.NoTrans, 1, root, z)
	u := make([]float64, f)
	for k := range u {
		u[k] = 1
	}
	unit := blas64.Vector{N: f, Inc: 1, Data: u}
	blas64.Trsv(blas.Trans, root, unit)
	// Less the part along u, what is left is Z (1 - u u' / u'u) Z'.
	along := blas64.Vector{N: kernels, Inc: 1, Data: make([]float64, kernels)}
	blas64.Gemv(blas.NoTrans, 1, z, unit, 0, along)
	blas64.Ger(-1/blas64.Dot(unit, unit), along, unit, z)
	h := make([]float64, kernels*kernels)
	blas64.Syrk(blas.NoTrans, 1, z, 0, blas64.Symmetric{Uplo: blas.Upper, N: kernels, Stride: kernels, Data: h})
	for i := range kernels {
		for j := range i {
			h[i*kernels+j] = h[j*kernels+i]
		}
	}
	return h, nil
}

// Quadratic solves max over d of gradient'd - 1/2 d'Hd with low <= d <= high, low <= 0 <= high, and sum d = 0, by the solver of the
// working-set problem, until no pair of coordinates violates the conditions of optimality by more than the tolerance. h: q x q,
// row-major, symmetric and positive semi-definite.
func Quadratic(gradient, h, low, high []float64, tolerance float64) []float64 {
	p := &subproblem{low: low, high: high}
	p.solve(gradient, h, tolerance, tolerance)
	return p.d
}
