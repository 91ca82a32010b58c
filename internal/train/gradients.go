package train

import (
	"context"

	"bigmkl/gradient"
	"bigmkl/internal/checkpoint"
	"bigmkl/internal/cluster/shards"
	"bigmkl/mmap"
)

// gradients holds g_m = K_m alpha for every kernel on some points, with the cache of kernel rows.
// It is the largest thing in a run: 8 n M bytes for n points and M kernels, in memory or in a
// mapped file. One classifier after another can be trained on it, because cached rows do not depend
// on the classes.
//
// Two trainings must not use it at the same time. Its methods compute on as many threads as the
// budget allows, and give the same bits for any number of them.
type gradients struct {
	*shards.Gradient // nil before they are made and after Close
	// used is set once a training has begun on them. They may then belong to an alpha other than
	// 0.
	used bool
}

// withClock returns the gradients with a clock. widen is called before the values become float64, when
// the heap has another share of the memory.
func (g *gradients) withClock(times *Times, widen func()) *timed {
	return &timed{g.Gradient, times, widen}
}

// restore brings the gradients to a state, with their values from a checkpoint. widen is the
// argument of withClock.
func (g *gradients) restore(ctx context.Context, from *checkpoint.Saved, s *gradient.State, widen func()) error {
	if err := g.Prepare(s); err != nil {
		return err
	}
	if !s.Hollow {
		// They are read to where they belong: a copy of 8 n M bytes would not fit the memory
		// budget.
		if err := from.Into(sectionGradients, mmap.Bytes(g.Values())); err != nil {
			return err
		}
	}
	if s.Double {
		widen()
	}
	return g.Resume(ctx, s)
}

// Close frees the gradients. It may be called for nil, and more than once.
func (g *gradients) Close() error {
	if g == nil || g.Gradient == nil {
		return nil
	}
	closing := g.Gradient
	g.Gradient = nil
	return closing.Close()
}
