package kernels

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
)

// Align returns the Frobenius products of the kernel matrices and of the kernel of the labels
// (Kloft 2011, eq. 5.1),
//
//	<H K_a H, H K_b H>_F,  H = I - 11'/n,
//
// or <K_a, K_b>_F if plain, as a square matrix of Bank.Len()+1 rows: kernels by number, then the
// labels. The kernel of the labels is the sum over the classes of y y' with y = +1 in the class
// and -1 outside; for two classes that is twice the y y' of binary labels.
//
// A sample of k of n points, at least four, estimates the sums over all points, not those over its
// own. A point makes a pair with itself once in k there and once in n here, and narrow kernels are
// large on these pairs alone; other pairs are therefore centred without them, so the sums have the
// right mean (Szekely and Rizzo 2014, U-centring). The sums run over weighted pairs, so the result
// is a Gram matrix all the same.
//
// A kernel that is constant on the points has a product of exactly 0 with itself once it is
// centred.
//
// Kernel values are float64, and rounding leaves little of a wide, nearly constant kernel: about
// its mean is subtracted before anything is summed. Memory.Align is what it takes; neither an n x n nor an
// n x M matrix is made.
func (m Matrices) Align(ctx context.Context, o AlignOptions) ([]float64, error) {
	a, err := newAligner(m, &o)
	if err != nil {
		return nil, err
	}
	defer a.close()
	if !o.Plain {
		a.middle()
	}
	units := (a.k + a.rows - 1) / a.rows
	total := newAligned(a.side)
	merge := turns{at: sync.NewCond(&sync.Mutex{})}
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range max(1, min(o.Threads, units)) {
		group.Go(func() error {
			w := newAlignWorker(a)
			for {
				// Units are handed out in their order, so a unit whose turn has come is always in
				// hand: nobody waits for a unit that nobody has begun.
				u := int(next.Add(1)) - 1
				if u >= units {
					return nil
				}
				if err := w.unit(ctx, u); err != nil {
					merge.stop()
					return err
				}
				if !merge.wait(u) {
					return ctx.Err()
				}
				total.add(&w.sums)
				merge.done()
			}
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return a.products(total), nil
}

// middle takes the means of the kernels over some pairs as the shifts.
//
// They need not be exact: any number near the mean takes off the digits that would cancel.
func (a *aligner) middle() {
	w := newAlignWorker(a)
	w.load(0)
	w.panel(0)
	w.each(func(m int, value []float64) {
		s, count := 0.0, 0
		for e, v := range value {
			i, j := e/simd.Width, e%simd.Width
			if j < min(simd.Width, a.k) && (i != j || a.k == 1) {
				s += v
				count++
			}
		}
		a.shift[m] = s / float64(count)
	})
}

// Align is the memory, in bytes, that Align takes for its result and for each thread.
//
// It grows with the square of the number of kernels and not with the number of points.
func (m Memory) Align() (result, thread int64) {
	b, points := m.Bank, m.Points
	side, d := b.Len()+1, int64(points.Dim())
	rows, tiles := alignedRows(side), int64(tilesEnd(side, panelsOf(side)))
	sums := 8 * (tiles + 2*int64(side)*int64(side+1))
	thread = sums + 8*int64(panelsOf(side)*2*simd.Width+simd.Width+4)*int64(rows*simd.Width)
	thread += 8*simd.Width*d + 4*int64(rows)*d + sparsePanel(points)
	layers, columns := 1, int64(0)
	for i := range b.Groups {
		g := &b.Groups[i]
		thread += GroupMemory{g, 8}.Rows(rows)
		layers = max(layers, g.Layers)
		columns = max(columns, GroupMemory{g, 8}.Columns())
	}
	thread += 2*columns + 8*int64(layers-1)*int64(BaseSize(rows))
	return sums + 8*int64(side)*int64(side), thread
}
