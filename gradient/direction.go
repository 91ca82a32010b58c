package gradient

import "context"

// A direction that moves every point takes as many rows as there are points. They are taken once:
// K_m d is kept beside g_m, so the step along d can be chosen when all of its consequences are
// known, and then costs no more than a look at the gradients.

// direction is the last direction over all points: K_m d beside the gradients, and its part of the vector of
// the linear kernels. Both are nil before the first.
type direction struct {
	field *field
	sum   []float64
}

// Along sets b_m = d'g_m and c_m = d'K_m d for a direction over all points, and keeps K_m d for
// Advance. That takes 8 n M bytes more, under the same budget. No point may be asleep.
//
// The step t d adds t b_m and t^2 c_m to the quadratic forms, as the step of Directions does.
//
// It also sets image = sum_m theta_m K_m d, unless that is nil.
func (gr *stored) Along(ctx context.Context, d, theta, b, c, image []float64) error {
	if gr.along.field == nil {
		f, err := gr.whole()
		if err != nil {
			return err
		}
		gr.along = direction{f, make([]float64, len(gr.sum))}
	}
	// The memory of the last direction is used again.
	clear(gr.along.field.g)
	clear(gr.along.sum)
	change := func(i int) float64 { return d[i] }
	if err := gr.apply(ctx, gr.along.field, support(d), change, gr.along.sum, nil); err != nil {
		return err
	}
	if err := gr.products(ctx, gr.all, d, theta, b, nil); err != nil {
		return err
	}
	linearProducts(gr.bank, gr.sum, gr.along.sum, b)
	if err := gr.products(ctx, gr.along.field, d, theta, c, image); err != nil {
		return err
	}
	linearProducts(gr.bank, gr.along.sum, gr.along.sum, c)
	return nil
}

// Advance adds t K_m d of the last direction to all gradients, and sets combined and v as Pass
// does. alpha is the whole vector after the step.
//
// ctx must not end: the vector of the linear kernels moves before the pass, and a second call would
// move it twice.
func (gr *stored) Advance(ctx context.Context, t float64,
	alpha, theta, combined, v []float64) error {
	// The linear kernels move along with the others.
	for j, x := range gr.along.sum {
		gr.sum[j] += t * x
	}
	gr.vectors.step, gr.vectors.length = gr.along.field.g, t
	defer func() { gr.vectors.step = nil }()
	return gr.Pass(ctx, nil, nil, alpha, theta, combined, v)
}
