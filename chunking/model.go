package chunking

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// model sets the quadratic model of the dual on the working set B, and the room that the box
// leaves to the change d of alpha there. With r the ascent on B, the dual is about r'd - 1/2 d'Hd,
// and
//
//	H = sum_m theta_m K_m[B,B] + sum_m rank_m g_m[B] g_m[B]' - back ghat[B] ghat[B]'
//	    + coupling + curvature of the loss.
//
// The terms after the first describe how the weights change with d. Where a norm leaves one out,
// the model is not exact to second order.
func (s setStep) model(ctx context.Context, x *expansion) error {
	q := len(s.set)
	if cap(s.hessian) < q*q {
		s.hessian = make([]float64, q*q)
	}
	h := s.hessian[:q*q]
	theta, V, scale := s.theta, s.V, 1.0
	if x != nil {
		theta, V, scale = x.theta, x.V, x.scale
	}
	back, curved := s.curvature(s.rank, theta, V)
	back *= scale * scale // of the combined gradient in hand
	rank := s.rank
	if !curved {
		rank = nil
	}
	if err := s.grad.Hessian(ctx, s.set, theta, rank, h); err != nil {
		return err
	}
	if err := s.couple(ctx, s.grad, s.set, s.coupling(theta, V), h); err != nil {
		return err
	}
	// This term of rank one is the same for all norms: no Mix is needed for it, as ghat is at hand.
	if back != 0 {
		ghat := make([]float64, q)
		for k, i := range s.set {
			ghat[k] = s.combined[i]
		}
		g := blas64.Vector{N: q, Data: ghat, Inc: 1}
		for k, x := range ghat {
			blas64.Axpy(-(x * back), g, blas64.Vector{N: q, Data: h[k*q : (k+1)*q], Inc: 1})
		}
	}
	if l, ok := s.loss.(Curved); ok {
		for k, i := range s.set {
			h[k*q+k] += curvatureAt(l, i, s.alpha[i])
		}
	}
	s.inner.kinked, s.inner.kinks, s.inner.origin, s.inner.large = s.kink != 0, s.inner.kinks[:0], s.inner.origin[:0], q > mostFree
	s.inner.low, s.inner.high, s.inner.bend, s.inner.turned = s.inner.low[:0], s.inner.high[:0], s.inner.bend[:0], s.inner.turned[:0]
	sided, ok := s.loss.(Sided)
	s.inner.sided = ok
	for _, i := range s.set {
		if ok {
			s.inner.bend = append(s.inner.bend, sided.Below(i)-sided.Curvature(i))
			s.inner.turned = append(s.inner.turned, s.alpha[i] < 0)
		}
		low, high := s.loss.Box(i)
		s.inner.origin, s.inner.kinks = append(s.inner.origin, s.alpha[i]), append(s.inner.kinks, s.kinkOf(i))
		s.inner.low = append(s.inner.low, low-s.alpha[i])
		s.inner.high = append(s.inner.high, high-s.alpha[i])
	}
	return nil
}

// couple adds the coupling of a norm to h, which is q x q for the q points of the set. A nil
// coupling adds nothing.
func (w *workingModel) couple(ctx context.Context, grad Gradient, set []int, c *Coupling, h []float64) error {
	if c == nil {
		return nil
	}
	q := len(set)
	w.mixed = resized(w.mixed, c.Rows*q)
	if err := grad.(Mixer).Mix(ctx, set, c.Row, c.Factor, w.mixed); err != nil {
		return err
	}
	// h += Z'(F Z), where Z has a row for each row of the coupling and F is its form.
	w.formed = resized(w.formed, c.Rows*q)
	z := blas64.General{Rows: c.Rows, Cols: q, Stride: q, Data: w.mixed}
	fz := blas64.General{Rows: c.Rows, Cols: q, Stride: q, Data: w.formed}
	if c.Full != nil {
		form := blas64.General{Rows: c.Rows, Cols: c.Rows, Stride: c.Rows, Data: c.Full}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, form, z, 0, fz)
	} else {
		for r, x := range c.Diagonal {
			for k, v := range w.mixed[r*q : (r+1)*q] {
				w.formed[r*q+k] = x * v
			}
		}
	}
	sum := blas64.General{Rows: q, Cols: q, Stride: q, Data: h}
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, z, fz, 1, sum)
	for i := range q { // the order of sums has left the two halves unequal by rounding
		for j := range i {
			h[i*q+j] = h[j*q+i]
		}
	}
	return nil
}

// resized gives a slice of n numbers, in the same memory if that is enough. Its content is
// undefined.
func resized(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}
