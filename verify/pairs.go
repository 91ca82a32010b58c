package verify

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"
)

// This file sums kernels over pairs of rows.

// sumPairs returns, for each kernel of the groups, the sum of k(x_i,x_j) over all pairs i /= j of
// the kept rows, and the sum of the absolute values. Blocks of rows are computed in parallel,
// each by a worker of its own, and added in order, so the sums do not depend on the number of
// threads.
func sumPairs(ctx context.Context, p *problem, groups []checkedGroup, kept []keptRow,
	threads int) (sums, sizes []neumaier, err error) {
	kernels := len(p.bank.Kernels)
	sums, sizes = make([]neumaier, kernels), make([]neumaier, kernels)
	threads = max(threads, 1)
	pool := make(chan *pairWorker, threads)
	for range threads {
		pool <- newPairWorker(p, groups, kept)
	}
	// The group's ctx ends with the first error; whole ends with the caller's.
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
			case <-mine: // the block before this one, which was started earlier, is added
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
	return sums, sizes, whole.Err() // if ctx ended, blocks that were not begun are missing
}

// checkedGroup is a group with the kernels whose factors are checked.
type checkedGroup struct {
	*group
	kernels      []int32
	asymmetric   bool // k(x,z) and k(z,x) may differ in their last digits: both are added
	unitDiagonal bool // k(x,x) = 1 by definition
}

// pairWorker sums the kernels over the pairs of a block of rows with all rows, one block at a
// time, in memory of its own. It belongs to one goroutine.
type pairWorker struct {
	bases
	groups      []checkedGroup
	kept        []keptRow
	left, right []float32 // features of the rows of the block, and of a tile of all rows
	rows        []row     // the rows of the block
	sums, sizes []neumaier
}

// newPairWorker returns a worker. It has a copy of the problem and of the model, in which a tile
// of rows takes the place of the support vectors, so bases are computed by the same code.
func newPairWorker(p *problem, groups []checkedGroup, kept []keptRow) *pairWorker {
	// A model with Rows set would take its vectors from there, and not those of setColumns.
	m, own := *p.m, *p
	m.Rows = nil
	own.m = &m
	kernels := len(p.bank.Kernels)
	return &pairWorker{bases: bases{problem: &own}, groups: groups, kept: kept,
		sums: make([]neumaier, kernels), sizes: make([]neumaier, kernels)}
}

// sumBlock sums over the pairs of rows lo to hi with all rows. Of a symmetric kernel only the
// pairs above the diagonal are computed, and counted twice.
func (w *pairWorker) sumBlock(ctx context.Context, lo, hi int) error {
	clear(w.sums)
	clear(w.sizes)
	d, all := len(w.mean), w.kept
	w.left = w.layRows(w.left, all[lo:hi])
	w.rows = w.rows[:0]
	for i := range hi - lo {
		w.rows = append(w.rows, row{id: int(all[lo+i].id), x: w.left[i*d : (i+1)*d : (i+1)*d]})
	}
	// Columns come in tiles, of fewer rows where these have so many features that 64 MiB would
	// not hold a tile of them.
	step := min(tile, max(blockRows, 1<<24/max(1, d)))
	for from := 0; from < len(all); from += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+step, len(all))
		// The columns are laid out when the first group needs them: symmetric groups skip those
		// to the left of the block.
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

// setColumns makes the rows the support vectors of the worker's model.
func (w *pairWorker) setColumns(rows []keptRow) {
	w.right = w.layRows(w.right, rows)
	w.m.Support, w.m.Vectors, w.m.Sparse, w.m.Rows = w.m.Support[:0:0], w.right, nil, nil
	for i := range rows {
		w.m.Support = append(w.m.Support, rows[i].id)
	}
}

// layRows writes the features of the rows to dst, one row after another, and returns dst, which
// it replaces if it is too short.
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

// addKernel sums a kernel over the base of the block, whose first row has the number lo, with t
// columns of which the first is row first. The pair of a row with itself is left out.
func (w *pairWorker) addKernel(g *checkedGroup, id int32, lo, first, t int) {
	k, less := &w.bank.Kernels[id], 0.0
	if w.wide[id] {
		less = constantOf(k)
	}
	for r := range w.rows {
		own := lo + r - first // the column that holds the row itself, if it is one of the t
		sum, size := 0.0, 0.0
		take := func(bases []float64) {
			for _, b := range bases {
				x := valueLess(k, b, w.wide[id])
				sum += x
				size += math.Abs(x + less)
			}
		}
		// Columns to the left of the row itself are taken for asymmetric groups only; those to
		// its right always. The bounds are clipped because the row itself may lie outside of the
		// tile.
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

// keptRow is a row that is kept in memory: with all of its features or, if that takes less, with
// those other than 0.
type keptRow struct {
	id    int32
	index []int32   // features other than 0; nil if all are kept
	value []float32 // their values
	dense bool      // all are kept
}

// keepRow returns a copy of the row with that number and those features.
func keepRow(id int, x []float32) keptRow {
	k := keptRow{id: int32(id)}
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

// expand writes all features of the row to dst.
func (k *keptRow) expand(dst []float32) {
	if k.dense {
		copy(dst, k.value)
		return
	}
	clear(dst)
	for i, j := range k.index {
		dst[j] = k.value[i]
	}
}
