package chunking

import (
	"context"
	"slices"

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
func (s setStep) model(ctx context.Context, x *expansion) (*hessian, error) {
	q := len(s.set)
	theta, V, scale := s.theta, s.V, 1.0
	if x != nil {
		theta, V, scale = x.theta, x.V, x.scale
	}
	t := weightTerm{set: s.set}
	var curved bool
	t.back, curved = s.curvature(s.rank, theta, V)
	t.back *= scale * scale // of the combined gradient in hand
	if curved {
		t.rank = s.rank
	}
	t.coupling = s.coupling(theta, V)
	// This term of rank one is the same for all norms: no Mix is needed for it, as ghat is at hand.
	if t.back != 0 {
		t.ghat = make([]float64, q)
		for k, i := range s.set {
			t.ghat[k] = s.combined[i]
		}
	}
	_, smooth := s.loss.(Differentiable)
	h, err := (*hessian)(nil), error(nil)
	if !s.entire && !smooth && t.coupling == nil {
		h, err = s.rowByRow(ctx, s.grad, theta, &t)
	}
	if h == nil && err == nil {
		h, err = s.allRows(ctx, s.grad, theta, &t)
	}
	if err != nil {
		return nil, err
	}
	if l, ok := s.loss.(Curved); ok {
		for k, i := range s.set {
			h.bend(k, curvatureAt(l, i, s.alpha[i]))
		}
	}
	s.limit()
	return h, nil
}

// limit sets how far the box lets the variables of the working set go, and where the objective changes its form.
func (s setStep) limit() {
	q := len(s.set)
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
}

// weightTerm is what describes in the model of a set how the weights move.
type weightTerm struct {
	set      []int
	rank     []float64 // nil: the norm leaves it out
	coupling *Coupling
	back     float64
	ghat     []float64 // on the set, if back is not 0
}

// allRows computes the whole matrix H.
func (w *workingModel) allRows(ctx context.Context, grad Gradient, theta []float64, t *weightTerm) (*hessian, error) {
	q := len(t.set)
	w.hessian = resized(w.hessian, q*q)
	h := denseHessian(w.hessian, q)
	if err := grad.Hessian(ctx, t.set, theta, t.rank, h.at); err != nil {
		return nil, err
	}
	if err := w.couple(ctx, grad, t.set, t.coupling, h.at); err != nil {
		return nil, err
	}
	for k := range q {
		t.takeBack(k, 0, h.row(k))
	}
	return h, nil
}

// rowByRow returns the matrix H with its diagonal, whose rows are computed when they are asked for. It is nil
// if the gradient computes all at once.
func (w *workingModel) rowByRow(ctx context.Context, grad Gradient, theta []float64, t *weightTerm) (*hessian, error) {
	g, ok := grad.(rowGradient)
	if !ok {
		return nil, nil
	}
	q := len(t.set)
	w.diagonal = resized(w.diagonal, q)
	row, err := g.HessianRows(ctx, t.set, theta, t.rank, w.diagonal)
	if row == nil || err != nil {
		return nil, err
	}
	w.hessian, w.filled = resized(w.hessian, q*q), slices.Grow(w.filled[:0], q)[:q]
	clear(w.filled)
	h := &hessian{at: w.hessian, q: q, known: w.filled, fill: func(k int, to []float64) {
		row(k, to)
		t.takeBack(k, 0, to)
	}}
	for k := range q {
		own := w.diagonal[k : k+1]
		t.takeBack(k, k, own)
		h.at[k*q+k] = own[0]
	}
	return h, nil
}

// takeBack subtracts back ghat ghat' from row k, from a column on.
func (t *weightTerm) takeBack(k, from int, row []float64) {
	if t.back == 0 {
		return
	}
	n := len(row)
	g := blas64.Vector{N: n, Data: t.ghat[from : from+n], Inc: 1}
	blas64.Axpy(-(t.ghat[k] * t.back), g, blas64.Vector{N: n, Data: row, Inc: 1})
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
