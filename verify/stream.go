package verify

import (
	"context"
	"io"
	"math"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sync/errgroup"
)

// This file runs the rows through the kernels, in parallel and in one order.

// sumRows evaluates all rows of r and returns their sums, on rank 0 if several ranks share the work.
func sumRows(ctx context.Context, p *problem, r *reader, threads int, ranks Ranks) (*totals, error) {
	t := newSums(p, len(p.bank.Kernels))
	e := &evaluation{problem: p, reader: r, compares: ranks != nil, pool: make(chan *worker, threads)}
	for range threads {
		e.pool <- &worker{bases: bases{problem: p}}
	}
	if ranks != nil {
		return t, e.share(ctx, ranks, t)
	}
	_, err := e.evaluate(ctx, math.MaxInt, func(int) bool { return true }, t.addTotals)
	if err == io.EOF {
		err = nil
	}
	return t, err
}

// evaluation is the state of sumRows.
type evaluation struct {
	problem *problem
	reader  *reader
	// compares is true if the rows are compared with the rows of other ranks.
	compares bool
	pool     chan *worker // those that no batch uses, as many as there are threads
}

// evaluate reads batches, so many at most, evaluates those whose place among them is one of its own, and
// hands their sums to add. It returns io.EOF behind the last. Batches are evaluated in parallel, each
// by a worker of its own, and added in the order of the rows, so the sums do not depend on the number of
// threads. A batch waits for the one before it, which was started earlier and so does not wait for a
// free goroutine: there is no deadlock.
//
// At most threads batches are evaluated at a time, one more is read, and one waits to be started.
func (e *evaluation) evaluate(ctx context.Context, most int, own func(place int) bool, add func(*totals)) (
	seen seenRows, err error) {
	if e.compares {
		seen.hash = xxhash.New()
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cap(e.pool))
	turn := make(chan struct{})
	close(turn)
	for seen.batches < most {
		var b *batch
		if b, err = e.reader.nextBatch(); err == nil {
			err = ctx.Err()
		}
		if err != nil {
			break
		}
		place := seen.batches
		seen.add(b)
		if !own(place) {
			continue
		}
		mine, done := turn, make(chan struct{})
		turn = done
		g.Go(func() error {
			w := <-e.pool
			defer func() { e.pool <- w }()
			if err := e.problem.m.Guard(func() error { return w.processBatch(ctx, b) }); err != nil {
				return err
			}
			select {
			case <-mine:
			case <-ctx.Done():
				return ctx.Err()
			}
			add(w.takeSums())
			close(done)
			return nil
		})
	}
	// A failed batch cancels ctx, which then is all the reader sees: the batch's own error is
	// more precise.
	if failed := g.Wait(); failed != nil {
		return seen, failed
	}
	return seen, err
}
