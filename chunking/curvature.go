package chunking

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// faint is the share of the largest second derivative of a loss below which a point does not answer to the weights: its
// curvature in the dual problem would exceed that of all others by as much.
const faint = 1e-6

// responseCurvatures returns the second derivatives of a Differentiable loss at the function in hand, 0 for points that are
// faint. It is nil for other losses.
func (s *iterate) responseCurvatures() []float64 {
	l, ok := s.loss.(Differentiable)
	if !ok {
		return nil
	}
	second, most := make([]float64, len(s.alpha)), 0.0
	for i, f := range s.combined {
		_, second[i] = l.Respond(i, f+s.cert.level)
		most = max(most, second[i])
	}
	for i, c := range second {
		if c < faint*most {
			second[i] = 0
		}
	}
	return second
}

// curvature gives the second derivatives of J by the weights where alpha is optimal, M x M and
// row-major. F are the points inside their box, A = sum_m theta_m K_m[F,F] + the curvature of the
// loss, and G has the gradients g_m[F] for its columns, each times the factor of its kernel. Then
// J” is
//
//	G' (A^-1 - A^-1 1 1'A^-1 / 1'A^-1 1) G,
//
// which is how those points answer to a change of the weights (Chapelle and Rakotomamonjy 2008).
func curvature(ctx context.Context, grad Gradient, s *iterate, factors []float64) ([]float64, error) {
	kernels := len(s.V)
	var free []int
	responses := s.responseCurvatures()
	for i, a := range s.alpha {
		if low, high := s.loss.Box(i); low < a && a < high && (s.kinkOf(i) == 0 || a != 0) && !(responses != nil && responses[i] == 0) {
			free = append(free, i)
		}
	}
	f := len(free)
	// One free point cannot move, as the sum of alpha stays: J is linear in theta here.
	if f < 2 {
		return make([]float64, kernels*kernels), nil
	}
	a, g := make([]float64, f*f), make([]float64, kernels*f)
	if err := grad.Hessian(ctx, free, s.theta, nil, a); err != nil {
		return nil, err
	}
	row, factor := make([]int32, kernels), make([]float64, kernels)
	for m := range row {
		row[m], factor[m] = int32(m), 1
		if factors != nil {
			factor[m] = factors[m]
		}
	}
	if err := grad.(Mixer).Mix(ctx, free, row, factor, g); err != nil {
		return nil, err
	}
	trace := 0.0
	for k, i := range free {
		if l, ok := s.loss.(Curved); ok {
			a[k*f+k] += curvatureAt(l, i, s.alpha[i])
		}
		if responses != nil {
			a[k*f+k] += 1 / responses[i]
		}
		trace += a[k*f+k]
	}
	for k := range free {
		// Duplicate points make A singular.
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
	ones := blas64.Vector{N: f, Inc: 1, Data: u}
	blas64.Trsv(blas.Trans, root, ones)
	// Z (1 - u u' / u'u) Z' is Z Z' less the part along u.
	along := blas64.Vector{N: kernels, Inc: 1, Data: make([]float64, kernels)}
	blas64.Gemv(blas.NoTrans, 1, z, ones, 0, along)
	blas64.Ger(-1/blas64.Dot(ones, ones), along, ones, z)
	h := make([]float64, kernels*kernels)
	blas64.Syrk(blas.NoTrans, 1, z, 0, blas64.Symmetric{Uplo: blas.Upper, N: kernels, Stride: kernels, Data: h})
	for i := range kernels {
		for j := range i {
			h[i*kernels+j] = h[j*kernels+i]
		}
	}
	return h, nil
}
