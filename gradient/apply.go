package gradient

import (
	"context"
)

// bulkRows is the number of changed points that one pass takes when many are applied.
//
// So many rows are packed at a time, which Footprint counts.
const bulkRows = 512

// apply adds sum_i change(i) K_m(x_i, .) over the points of a list to the gradients of a field.
// Their part of the linear kernels' vector is added to vector, if that is not nil. If all kernels
// are linear one pass takes the whole list: their change is one vector however many points have
// moved. Groups of skip keep their gradients; nil names none.
func (gr *engine) apply(ctx context.Context, f *field, list []int, change func(i int) float64,
	vector []float64, skip []bool) error {
	parts := cut(len(list), bulkRows)
	// carried is the change of the parts before, which all-linear problems apply with the last
	// part.
	var carried []float64
	for k, r := range parts {
		s := gr.collect(gr.bank, list[r[0]:r[1]])
		for _, i := range s.index {
			s.delta = append(s.delta, change(i))
		}
		// The pass does not combine: the weights may not be known yet, and a later pass does so.
		u := &update{set: s, vector: gr.change(s), skip: skip}
		for j := range vector {
			vector[j] += u.vector[j]
		}
		if gr.rowless {
			for j, x := range carried {
				u.vector[j] += x
			}
			if carried = u.vector; k < len(parts)-1 {
				continue
			}
		}
		if err := gr.arith.stream(ctx, f, u); err != nil {
			return err
		}
	}
	return nil
}
