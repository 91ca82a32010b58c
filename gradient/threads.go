package gradient

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// each runs f for the items 0..n-1 on the threads. The numbers of workers are below threads, and no
// two calls with the same worker overlap, so that f may use scratch memory of its worker. The first
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
	// Items are handed out one by one, because they take different times: whoever is done takes the
	// next. Which worker gets which item must therefore not matter for any result.
	group, ctx := errgroup.WithContext(ctx)
	next := make(chan int)
	group.Go(func() error {
		defer close(next)
		for i := range n {
			select {
			case next <- i:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for w := range threads {
		group.Go(func() error {
			for i := range next {
				if err := f(w, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}
