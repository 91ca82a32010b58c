package gradient

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Share lends the threads of the gradient to loops that are not its own: it calls do for the items
// 0..items-1, on all threads, and returns when all are done.
func (gr *engine) Share(items int, do func(item int)) {
	// Nothing here can fail: do has no error and no context ends the loop.
	_ = each(context.Background(), gr.opt.Threads, items, func(_, item int) error {
		do(item)
		return nil
	})
}

// each runs f for the items 0..n-1 on the threads. The numbers of workers are below threads, and no
// two calls with the same worker overlap, so f may use scratch memory of its worker. The first
// error ends the run; items that have begun are finished.
func each(ctx context.Context, threads, n int, f func(w, item int) error) error {
	threads = max(1, min(threads, n))
	if threads == 1 { // to hand an item over takes longer than a small item does
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f(0, i); err != nil {
				return err
			}
		}
		return nil
	}
	// Workers take items one by one, because items take different times: whoever is done takes the
	// next. Which worker gets which item must therefore not matter for any result. The caller is
	// worker 0, because it takes another thread long to wake.
	group, ctx := errgroup.WithContext(ctx)
	var taken atomic.Int64
	work := func(w int) error {
		for {
			i := int(taken.Add(1)) - 1
			if i >= n {
				return nil
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f(w, i); err != nil {
				return err
			}
		}
	}
	for w := 1; w < threads; w++ {
		group.Go(func() error { return work(w) })
	}
	if err := work(0); err != nil {
		group.Go(func() error { return err }) // ends the others
	}
	return group.Wait()
}
