package verify

import (
	"context"
	"io"

	"golang.org/x/sync/errgroup"
)

// This file runs the rows through the kernels, in parallel and in one order.

// sumRows evaluates all rows of r and returns their sums. Batches are evaluated in parallel, each
// by a worker of its own, and added in the order of the rows, so that the sums do not depend on
// the number of threads. A batch waits for the one before it, which was started earlier and so
// does not wait for a free goroutine: there is no deadlock.
//
// At most threads batches are evaluated at a time, one more is read, and one waits to be started.
func sumRows(ctx context.Context, p *problem, r *reader, threads int) (*totals, error) {
	t := newTotals(len(p.machines), len(p.bank.Kernels))
	t.slope = p.gates.newSlopeTotals()
	t.means = newClassMeans(p.m)
	pool := make(chan *worker, threads)
	for range threads {
		pool <- &worker{bases: bases{problem: p}}
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(threads)
	turn := make(chan struct{})
	close(turn)
	readErr := func() error {
		for {
			b, err := r.nextBatch()
			if err == io.EOF {
				return nil
			}
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
			mine, done := turn, make(chan struct{})
			turn = done
			g.Go(func() error {
				w := <-pool
				defer func() { pool <- w }()
				if err := p.m.Guard(func() error { return w.processBatch(ctx, b) }); err != nil {
					return err
				}
				select {
				case <-mine:
				case <-ctx.Done():
					return ctx.Err()
				}
				w.addTo(t)
				close(done)
				return nil
			})
		}
	}()
	// A failed batch cancels ctx, which then is all the reader sees: the batch's own error says
	// more.
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return t, readErr
}
