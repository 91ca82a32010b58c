package gradient

import "context"

// Mix sets mixed[r] = sum_m factor_m g_m[B] over the kernels with row[m] = r; a row of -1 is none.
// mixed is rows x q, row-major. Norms that couple kernels add these rows to the quadratic model.
func (gr *engine) Mix(ctx context.Context, set []int, row []int32,
	factor, mixed []float64) error {
	clear(mixed)
	q := len(set)
	// Kernels are summed by their numbers, so the sum does not depend on how they are grouped.
	type term struct {
		place, to int
		factor    float64
	}
	var terms []term
	var used []int
	places := gr.bank.Places()
	for id, r := range row {
		if r >= 0 && factor[id] != 0 {
			terms = append(terms, term{int(places[id]), int(r) * q, factor[id]})
			used = append(used, int(places[id]))
		}
	}
	if used == nil {
		return nil
	}
	held, err := gr.gathered(gr.now, set, used)
	if err != nil || held == nil {
		return err
	}
	// Each point is a sum of its own, so threads change nothing.
	return each(ctx, gr.opt.Threads, q, func(_, i int) error {
		g := held.of(i)
		for k, t := range terms {
			mixed[t.to+i] += t.factor * g[held.index(k, t.place)]
		}
		return nil
	})
}
