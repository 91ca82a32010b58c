package gradient

import (
	"context"

	"bigmkl/kernels"
)

// checks compute what is held again, in float64 and from alpha alone.
type checks struct{ *holding }

// checking returns the skeleton by which values are computed again, or nil if they are computed
// for all kernels. In single precision it is the one that is exact to float64: beside what it is
// to measure it is exact. In double precision nothing is but the kernels themselves.
func (gr checks) checking() *kernels.Skeleton {
	if gr.double {
		return nil
	}
	return gr.opt.skeleton(true)
}

// Afresh computes for all kernels.
func (gr checks) Afresh(ctx context.Context, sample []int,
	alpha, theta []float64) ([]float64, error) {
	if gr.columns != nil {
		return gr.columns.decide(ctx, sample, alpha, theta)
	}
	s := gr.checking()
	if s == nil {
		return exact{&gr.fields}.decide(ctx, gr.whole, sample, alpha, theta)
	}
	own := make([]float64, s.Kept.Len())
	s.Lower(own, theta)
	values, err := exact{&gr.fields}.decide(ctx, s.Kept, sample, alpha, own)
	if err != nil {
		return nil, err
	}
	constant := s.Constant(theta) * sum(alpha)
	for i := range values {
		values[i] += constant
	}
	return values, nil
}

// Magnified gives by how many times the rounding of each kernel exceeds a unit; see kernels.Bank.
func (gr checks) Magnified() []float64 { return gr.whole.Magnified }

// Deviations sets e to how far the gradients that are held are off at a few points, for every
// kernel, weighted by d:
//
//	e_m = sum_s d_s ( (K_m alpha)_s - g_m,s ).
//
// K_m alpha is computed again in float64. With d = alpha on all support vectors that is the
// rounding of V_m = alpha'g_m. It covers kernels without a weight, of which the combined gradient
// reports nothing. Linear kernels have 0, as their V_m is not made of gradients.
//
// What the skeleton in use is off by is in them.
func (gr checks) Deviations(ctx context.Context, sample []int, d, alpha, e []float64) error {
	if gr.columns != nil {
		return gr.columns.deviations(ctx, sample, d, alpha, e)
	}
	ex := exact{&gr.fields}
	if s := gr.checking(); s == nil {
		if err := ex.weigh(ctx, gr.whole, sample, d, alpha, e); err != nil {
			return err
		}
	} else {
		own := make([]float64, s.Kept.Len())
		if err := ex.weigh(ctx, s.Kept, sample, d, alpha, own); err != nil {
			return err
		}
		s.Raise(e, own, sum(d)*sum(alpha))
	}
	held := make([]float64, len(e))
	kept := gr.into(held, gr.first)
	clear(kept)
	if err := ex.weighHeld(sample, d, kept); err != nil {
		return err
	}
	gr.raise(held, kept, 0)
	for m, x := range held {
		e[m] -= x
	}
	return nil
}
