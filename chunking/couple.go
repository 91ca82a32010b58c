package chunking

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// couple adds the coupling of a norm to the quadratic model on the working set. h: q x q.
func (s *Solver) couple(ctx context.Context, c *Coupling, h []float64) error {
	if c == nil {
		return nil
	}
	q := len(s.set)
	s.mixed = resized(s.mixed, c.Rows*q)
	if err := s.grad.(Mixer).Mix(ctx, s.set, c.Row, c.Factor, s.mixed); err != nil {
		return err
	}
	// h += Z'(F Z), Z: rows x q
	s.formed = resized(s.formed, c.Rows*q)
	z := blas64.General{Rows: c.Rows, Cols: q, Stride: q, Data: s.mixed}
	fz := blas64.General{Rows: c.Rows, Cols: q, Stride: q, Data: s.formed}
	if c.Full != nil {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, blas64.General{Rows: c.Rows, Cols: c.Rows, Stride: c.Rows, Data: c.Full}, z, 0, fz)
	} else {
		for r, x := range c.Diagonal {
			for k, v := range s.mixed[r*q : (r+1)*q] {
				s.formed[r*q+k] = x * v
			}
		}
	}
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, z, fz, 1, blas64.General{Rows: q, Cols: q, Stride: q, Data: h})
	for i := range q { // which the order of sums has left unequal by rounding
		for j := range i {
			h[i*q+j] = h[j*q+i]
		}
	}
	return nil
}

// resized gives a slice of a length, of the same memory if it is enough. What is in it is undefined.
func resized(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}
