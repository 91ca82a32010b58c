package verify

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"
)

// kept is a row that is kept: all of its numbers, or those other than 0 if they take less.
type kept struct {
	id    int32
	index []int32
	value []float32
	dense bool
}

func keep(id int, x []float32) kept {
	k := kept{id: int32(id)}
	count := 0
	for _, v := range x {
		if v != 0 {
			count++
		}
	}
	if k.dense = 2*count >= len(x); k.dense {
		k.value = append(k.value, x...)
		return k
	}
	k.index, k.value = make([]int32, 0, count), make([]float32, 0, count)
	for j, v := range x {
		if v != 0 {
			k.index, k.value = append(k.index, int32(j)), append(k.value, v)
		}
	}
	return k
}

// lay writes the row, feature by feature.
func (k *kept) lay(dst []float32) {
	if k.dense {
		copy(dst, k.value)
		return
	}
	clear(dst)
	for i, j := range k.index {
		dst[j] = k.value[i]
	}
}

// pairs sums every kernel over all (i,j), i /= j, of the rows that were kept, and its absolute values. Blocks of rows are computed in
// parallel and added in order.
func (v *variances) pairs(ctx context.Context, threads int) (sums, sizes []neumaier, err error) {
	kernels := len(v.plan.bank.Kernels)
	sums, sizes = make([]neumaier, kernels), make([]neumaier, kernels)
	threads = max(threads, 1)
	pool := make(chan *pairing, threads)
	for range threads {
		pool <- newPairing(v)
	}
	whole := ctx
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(threads)
	turn := make(chan struct{})
	close(turn)
	for lo := 0; lo < len(v.rows) && len(v.groups) > 0 && ctx.Err() == nil; lo += gemmRows {
		mine, done := turn, make(chan struct{})
		turn = done
		g.Go(func() error {
			w := <-pool
			defer func() { pool <- w }()
			if err := w.block(ctx, lo, min(lo+gemmRows, len(v.rows))); err != nil {
				return err
			}
			select {
			case <-mine: // the block before, which has started earlier and so cannot be waiting for a goroutine
			case <-ctx.Done():
				return ctx.Err()
			}
			for i := range w.sums {
				sums[i].addSum(w.sums[i])
				sizes[i].addSum(w.sizes[i])
			}
			close(done)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, nil, err
	}
	return sums, sizes, whole.Err() // blocks that were not begun are missing
}

// pairing computes blocks of rows with all rows, one block at a time, in memory of its own.
type pairing struct {
	worker
	v           *variances
	left, right []float32 // rows, laid out
	rows        []row
	sums, sizes []neumaier
}

func newPairing(v *variances) *pairing {
	// The columns take the place of the support vectors.
	m, p := *v.plan.m, *v.plan
	m.Rows = nil
	p.m = &m
	kernels := len(p.bank.Kernels)
	return &pairing{v: v, worker: worker{plan: &p}, sums: make([]neumaier, kernels), sizes: make([]neumaier, kernels)}
}

// block sums rows lo to hi with the columns behind them, twice, or with all columns where values need not be symmetric.
func (w *pairing) block(ctx context.Context, lo, hi int) error {
	clear(w.sums)
	clear(w.sizes)
	d, all := len(w.v.mean), w.v.rows
	w.left = w.lay(w.left, all[lo:hi])
	w.rows = w.rows[:0]
	for i := range hi - lo {
		w.rows = append(w.rows, row{id: int(all[lo+i].id), x: w.left[i*d : (i+1)*d : (i+1)*d]})
	}
	step := min(tile, max(gemmRows, 1<<24/max(1, d)))
	for from := 0; from < len(all); from += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+step, len(all))
		laid := false
		for i := range w.v.groups {
			g, first := &w.v.groups[i], from
			if !g.both {
				first = max(from, lo)
			}
			if first >= to {
				continue
			}
			if !laid {
				w.columns(all[from:to])
				laid = true
			}
			if err := w.fill(g.group, w.rows, first-from, to-from); err != nil {
				return err
			}
			for _, id := range g.kernels {
				w.add(g, id, lo, first, to-first)
			}
		}
	}
	return nil
}

// columns makes rows the support vectors.
func (w *pairing) columns(rows []kept) {
	w.right = w.lay(w.right, rows)
	w.m.Support, w.m.Vectors, w.m.Sparse, w.m.Rows = w.m.Support[:0:0], w.right, nil, nil
	for i := range rows {
		w.m.Support = append(w.m.Support, rows[i].id)
	}
}

// lay writes rows side by side.
func (w *pairing) lay(dst []float32, rows []kept) []float32 {
	d := len(w.v.mean)
	if cap(dst) < len(rows)*d {
		dst = make([]float32, len(rows)*d)
	}
	dst = dst[:len(rows)*d]
	for i := range rows {
		rows[i].lay(dst[i*d : (i+1)*d])
	}
	return dst
}

// add sums a kernel over the base of the rows from lo on with t columns from first on.
func (w *pairing) add(g *normalized, id int32, lo, first, t int) {
	k := &w.plan.bank.Kernels[id]
	for r := range w.rows {
		own := lo + r - first // the column of the row itself
		sum, size := 0.0, 0.0
		take := func(bases []float64) {
			for _, b := range bases {
				x := value(k, b)
				sum += x
				size += math.Abs(x)
			}
		}
		b := w.base[r*t : (r+1)*t]
		if g.both {
			take(b[:min(max(own, 0), t)])
		}
		take(b[min(max(own+1, 0), t):])
		if !g.both {
			sum, size = 2*sum, 2*size
		}
		w.sums[id].add(sum)
		w.sizes[id].add(size)
	}
}
