package gradient

import (
	"context"
	"math"
	"slices"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// The quadratic model has a term of rank M, which describes how the weights move with alpha: it
// is made of the gradients of the kernels on the working set, g_m[B].

// rankKernels is the number of kernels whose gradients on the working set are gathered at a time.
//
// Rows and columns of a working set of 512 points and so many kernels take 4 MiB each.
const rankKernels = 1024

// rankTerm makes terms of the gradients on a working set. Ranks other than 0 do not have these, and add nothing.
type rankTerm struct {
	held    *atPoints // nil on these ranks
	bank    *kernels.Bank
	threads int
}

// newRankTerm gathers the gradients on a set.
func newRankTerm(s *fields, set []int) (*rankTerm, error) {
	held, err := s.gathered(s.now, set, nil)
	return &rankTerm{held, s.bank, s.opt.Threads}, err
}

// add adds sum_m rank_m g_m[B] g_m[B]' to h. That is the matrix of products of points with one
// coordinate sqrt|rank_m| g_m for each kernel, with the sign of rank_m on one side.
func (t *rankTerm) add(ctx context.Context, rank []float64, h *square) error {
	if t.held == nil {
		return nil
	}
	scale, used := t.scales(rank)
	// Rows and columns are packed as tiles are: [block][kernel][8] and [panel][kernel][32].
	side := h.blocks * simd.Width
	var rows, cols []float64
	for _, part := range cut(len(used), rankKernels) {
		places := used[part[0]:part[1]]
		n := len(places)
		rows, cols = grow(rows, side*n), grow(cols, side*n)
		clear(rows)
		clear(cols)
		err := each(ctx, t.threads, len(t.held.at), func(_, i int) error {
			t.pack(i, places, scale, rows, cols)
			return nil
		})
		if err != nil {
			return err
		}
		if err := t.addProducts(ctx, rows, cols, n, h); err != nil {
			return err
		}
	}
	return nil
}

// scales returns the factors of the coordinates in storage order, and the places where they are not 0.
func (t *rankTerm) scales(rank []float64) (scale []float64, used []int) {
	scale = make([]float64, len(rank))
	for id, at := range t.bank.Places() {
		scale[at] = math.Copysign(math.Sqrt(math.Abs(rank[id])), rank[id])
	}
	for at, r := range scale {
		if r != 0 {
			used = append(used, at)
		}
	}
	return scale, used
}

// pack packs the coordinates of point i, of the kernels at some places.
func (t *rankTerm) pack(i int, places []int, scale, rows, cols []float64) {
	g, n := t.held.of(i), len(places)
	to := rows[(i/simd.Rows)*n*simd.Rows+i%simd.Rows:]
	across := cols[(i/simd.Width)*n*simd.Width+i%simd.Width:]
	for k, at := range places {
		// One side has the factor sqrt|rank_m|, the other side also the sign.
		x := g[at*t.held.stride] * scale[at]
		to[k*simd.Rows] = x
		across[k*simd.Width] = math.Copysign(1, scale[at]) * x
	}
}

// addProducts adds the products of packed rows and columns of n numbers to h.
//
// Tiles of 8 rows are products of their own, so few at a time have the bits of all together, and
// stay in the first-level cache.
func (t *rankTerm) addProducts(ctx context.Context, rows, cols []float64, n int, h *square) error {
	const tile, some = simd.Rows * simd.Width, 8
	products := make([][some * tile]float64, max(1, min(t.threads, h.blocks)))
	return each(ctx, t.threads, h.blocks, func(w, j int) error {
		column, x := h.column(j), cols[j*n*simd.Width:(j+1)*n*simd.Width]
		for at := 0; at < len(column); at += some * tile {
			to := column[at:min(at+some*tile, len(column))]
			product := products[w][:len(to)]
			from, count := at/simd.Width*n, len(to)/simd.Width*n
			simd.Product(product, rows[from:from+count], x, n, nil)
			simd.AddTo(to, product, 1)
		}
		return nil
	})
}

// slopes sets b_m = sum_i d_i g_m,i over the set, which is one of a field. Points are taken by their places, because
// the gradients of a kernel on a panel share cache lines.
func (t *rankTerm) slopes(ctx context.Context, f *field, set []int, d, b []float64) error {
	if t.held == nil {
		return nil
	}
	order := make([]int, 0, len(set))
	for i, x := range d {
		if x != 0 {
			order = append(order, i)
		}
	}
	kernels := t.bank.Len()
	// The order is the order of the places in a field, whichever rank holds them.
	at := make([]int, len(set))
	for _, i := range order {
		at[i] = f.position(set[i])
	}
	slices.SortFunc(order, func(i, j int) int { return at[i] - at[j] })
	sum := make([]float64, kernels)
	// Each thread takes a range of kernels and goes over all points in order, so the sums do not
	// depend on the number of threads.
	parts := cut(kernels, 4096)
	err := each(ctx, t.threads, len(parts), func(_, part int) error {
		from, to := parts[part][0], parts[part][1]
		for _, i := range order {
			g, x := t.held.of(i), d[i]
			for k := from; k < to; k++ {
				sum[k] += x * g[k*t.held.stride]
			}
		}
		return nil
	})
	for id, place := range t.bank.Places() {
		b[id] = sum[place]
	}
	return err
}
