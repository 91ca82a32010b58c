package verify

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"
)

// pairs sums every kernel over all (i,j), i /= j, of the rows that were kept, and its absolute values. Blocks of rows are computed in
// parallel and added in order.
func sumPairs(ctx context.Context, p *problem, groups []checkedGroup, kept []keptRow, threads int) (sums, sizes []neumaier, err error) {
	kernels := len(p.bank.Kernels)
	sums, sizes = make([]neumaier, kernels), make([]neumaier, kernels)
	threads = max(threads, 1)
	pool := make(chan *pairWorker, threads)
	for range threads {
		pool <- newPairWorker(p, groups, kept)
	}
	whole := ctx
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(threads)
	turn := make(chan struct{})
	close(turn)
	for lo := 0; lo < len(kept) && len(groups) > 0 && ctx.Err() == nil; lo += blockRows {
		mine, done := turn, make(chan struct{})
		turn = done
		g.Go(func() error {
			w := <-pool
			defer func() { pool <- w }()
			if err := w.sumBlock(ctx, lo, min(lo+blockRows, len(kept))); err != nil {
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

// normalized is the kernels of a group whose factors are checked.
type checkedGroup struct {
	*group
	kernels      []int32
	asymmetric   bool // values of (x,z) and (z,x) may differ within what training tolerates
	unitDiagonal bool // k(x,x) = 1
}

// pairing computes blocks of rows with all rows, one block at a time, in memory of its own.
type pairWorker struct {
	bases
	groups      []checkedGroup
	kept        []keptRow
	left, right []float32 // rows, laid out
	rows        []row
	sums, sizes []neumaier
}

func newPairWorker(p *problem, groups []checkedGroup, kept []keptRow) *pairWorker {
	// The columns take the place of the support vectors.
	m, own := *p.m, *p
	m.Rows = nil
	own.m = &m
	kernels := len(p.bank.Kernels)
	return &pairWorker{groups: groups, kept: kept, bases: bases{problem: &own}, sums: make([]neumaier, kernels), sizes: make([]neumaier, kernels)}
}

// block sums rows lo to hi with the columns behind them, twice, or with all columns where values need not be symmetric.
func (w *pairWorker) sumBlock(ctx context.Context, lo, hi int) error {
	clear(w.sums)
	clear(w.sizes)
	d, all := len(w.mean), w.kept
	w.left = w.layRows(w.left, all[lo:hi])
	w.rows = w.rows[:0]
	for i := range hi - lo {
		w.rows = append(w.rows, row{id: int(all[lo+i].id), x: w.left[i*d : (i+1)*d : (i+1)*d]})
	}
	step := min(tile, max(blockRows, 1<<24/max(1, d)))
	for from := 0; from < len(all); from += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+step, len(all))
		laid := false
		for i := range w.groups {
			g, first := &w.groups[i], from
			if !g.asymmetric {
				first = max(from, lo)
			}
			if first >= to {
				continue
			}
			if !laid {
				w.setColumns(all[from:to])
				laid = true
			}
			if err := w.fill(g.group, w.rows, first-from, to-from); err != nil {
				return err
			}
			for _, id := range g.kernels {
				w.addKernel(g, id, lo, first, to-first)
			}
		}
	}
	return nil
}

// columns makes rows the support vectors.
func (w *pairWorker) setColumns(rows []keptRow) {
	w.right = w.layRows(w.right, rows)
	w.m.Support, w.m.Vectors, w.m.Sparse, w.m.Rows = w.m.Support[:0:0], w.right, nil, nil
	for i := range rows {
		w.m.Support = append(w.m.Support, rows[i].id)
	}
}

// lay writes rows side by side.
func (w *pairWorker) layRows(dst []float32, rows []keptRow) []float32 {
	d := len(w.mean)
	if cap(dst) < len(rows)*d {
		dst = make([]float32, len(rows)*d)
	}
	dst = dst[:len(rows)*d]
	for i := range rows {
		rows[i].expand(dst[i*d : (i+1)*d])
	}
	return dst
}

// add sums a kernel over the base of the rows from lo on with t columns from first on.
func (w *pairWorker) addKernel(g *checkedGroup, id int32, lo, first, t int) {
	k := &w.bank.Kernels[id]
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
		if g.asymmetric {
			take(b[:min(max(own, 0), t)])
		}
		take(b[min(max(own+1, 0), t):])
		if !g.asymmetric {
			sum, size = 2*sum, 2*size
		}
		w.sums[id].add(sum)
		w.sizes[id].add(size)
	}
}
