package gradient

import (
	"context"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// addForms adds sum_m rank_m g_m[B] g_m[B]' to h, from the gradients of a skeleton:
// G_B' S G_B with S = sum_m rank_m c_m c_m' for each group.
func (t *rankTerm) addForms(ctx context.Context, s *kernels.Skeleton, rank []float64, h *square) error {
	if t.held == nil {
		return nil
	}
	diagonal := make([]float64, t.bank.Len())
	var err error
	s.Forms(rank, func(first, count int, form, own []float64) {
		if form == nil {
			copy(diagonal[first:], own)
			return
		}
		if err == nil {
			err = t.addForm(ctx, first, count, form, h)
		}
	})
	if err != nil {
		return err
	}
	return t.add(ctx, diagonal, h)
}

// addForm adds G'SG to h for the gradients G of the kept kernels first..first+count-1 on the set.
func (t *rankTerm) addForm(ctx context.Context, first, count int, form []float64, h *square) error {
	held, side := t.held, h.blocks*simd.Width
	// Rows are the rows of S G, and columns the columns of G, packed as tiles are.
	rows, cols := make([]float64, side*count), make([]float64, side*count)
	err := each(ctx, t.threads, len(held.at), func(_, i int) error {
		g := held.of(i)[first*held.stride:]
		to := rows[(i/simd.Rows)*count*simd.Rows+i%simd.Rows:]
		across := cols[(i/simd.Width)*count*simd.Width+i%simd.Width:]
		for r := range count {
			across[r*simd.Width] = g[r*held.stride]
			sum := 0.0
			for k, x := range form[r*count : (r+1)*count] {
				sum += float64(x * g[k*held.stride])
			}
			to[r*simd.Rows] = sum
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.addProducts(ctx, rows, cols, count, h)
}
