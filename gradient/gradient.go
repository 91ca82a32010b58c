package gradient

import (
	"context"

	"bigmkl/cache"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

// Options sizes a Gradient. Memory bounds the gradients kept in RAM; past it they live in a mapped file in Scratch.
type Options struct {
	Threads int
	Memory  int64
	Scratch string
	Cache   cache.Options // RowBytes is set here
}

// Stats counts what has been done.
type Stats struct {
	Passes int64 // streams over the points
	Rows   int64 // working points over all passes
	Cache  cache.Stats
}

// Gradient holds g_m for every kernel of a bank on every point.
type Gradient struct {
	points kernels.Points
	bank   *kernels.Bank
	opt    Options
	layout layout
	store  *mmap.Map
	g      []float64 // [panel][kernel in storage order][32]
	alpha  []float64 // padded to whole panels
	mixed  []float64 // combined gradient, padded
	arith  arithmetic
	last   *workingSet // features of the last working set
	stats  Stats
}

// arithmetic is a pass in one precision.
type arithmetic interface {
	pass(ctx context.Context, u *update) error
	hessian(ctx context.Context, s *workingSet, theta []float64, h *square) error
	directions(ctx context.Context, s *workingSet, d []float64, c []float64) error
	close() (cache.Stats, error)
	cacheStats() cache.Stats
}

// New returns the gradients of alpha = 0, in float32 arithmetic.
func New(points kernels.Points, bank *kernels.Bank, o Options) (*Gradient, error) {
	gr := &Gradient{points: points, bank: bank, opt: o, layout: newLayout(points.Len(), bank)}
	size := int64(gr.layout.panels) * int64(bank.Len()) * simd.Width * 8
	var err error
	if size <= o.Memory {
		gr.store, err = mmap.Anonymous(size)
	} else {
		gr.store, err = mmap.Create(o.Scratch, "gradient-*", size)
	}
	if err != nil {
		return nil, err
	}
	gr.g = mmap.View[float64](gr.store)
	gr.alpha = make([]float64, gr.layout.panels*simd.Width)
	gr.mixed = make([]float64, gr.layout.panels*simd.Width)
	if err := gr.use(false); err != nil {
		gr.store.Close()
		return nil, err
	}
	return gr, nil
}

// use switches to float64 or float32 arithmetic; the cache starts empty.
func (gr *Gradient) use(double bool) error {
	if gr.arith != nil {
		s, err := gr.arith.close()
		gr.stats.Cache = addStats(gr.stats.Cache, s)
		if err != nil {
			return err
		}
	}
	var err error
	if double {
		gr.arith, err = newMachine[float64](gr)
	} else {
		gr.arith, err = newMachine[float32](gr)
	}
	return err
}

// Stats returns the counts so far.
func (gr *Gradient) Stats() Stats {
	s := gr.stats
	s.Cache = addStats(s.Cache, gr.arith.cacheStats())
	return s
}

// Close releases memory and scratch files.
func (gr *Gradient) Close() error {
	s, err := gr.arith.close()
	gr.stats.Cache = addStats(gr.stats.Cache, s)
	if e := gr.store.Close(); err == nil {
		err = e
	}
	return err
}

// Pass adds the change delta of the dual variables of the working set to every gradient, then forms combined =
// sum_m theta_m g_m (n values) and v_m = sum_i alpha_i g_m,i (M values). alpha is the whole vector after the change. A set
// without points only recombines.
func (gr *Gradient) Pass(ctx context.Context, set []int, delta, alpha, theta, combined, v []float64) error {
	copy(gr.alpha, alpha)
	s, err := gr.gather(ctx, set, delta)
	if err != nil {
		return err
	}
	u := &update{set: s, theta: theta, v: v}
	if err := gr.arith.pass(ctx, u); err != nil {
		return err
	}
	copy(combined, gr.mixed[:len(combined)])
	gr.stats.Passes++
	gr.stats.Rows += int64(len(u.set.ids))
	return nil
}

// Hessian gives h = sum_m theta_m K_m[B,B] + sum_m rank_m g_m[B] g_m[B]'. rank may be nil. h: q x q, row-major.
func (gr *Gradient) Hessian(ctx context.Context, set []int, theta, rank, h []float64) error {
	s, err := gr.gather(ctx, set, nil)
	if err != nil {
		return err
	}
	sq := newSquare(len(set))
	if err := gr.arith.hessian(ctx, s, theta, sq); err != nil {
		return err
	}
	if rank != nil {
		if err := gr.addRank(ctx, set, rank, sq); err != nil {
			return err
		}
	}
	sq.copyTo(h, len(set))
	return nil
}

// Directions gives b_m = d'g_m[B] and c_m = d'K_m[B,B]d for every kernel. d: one value per point of the set.
func (gr *Gradient) Directions(ctx context.Context, set []int, d, b, c []float64) error {
	s, err := gr.gather(ctx, set, d)
	if err != nil {
		return err
	}
	if err := gr.slopes(ctx, s, b); err != nil {
		return err
	}
	return gr.arith.directions(ctx, s, s.delta, c)
}

// rebuildRows is the number of support vectors that one pass of a rebuild takes.
const rebuildRows = 512

// Rebuild computes every gradient afresh from alpha, from here on in float64 arithmetic if double.
func (gr *Gradient) Rebuild(ctx context.Context, alpha []float64, double bool) error {
	if err := gr.use(double); err != nil {
		return err
	}
	clear(gr.g)
	var set []int
	var delta []float64
	flush := func() error {
		s, err := gr.gather(ctx, set, delta)
		if err != nil {
			return err
		}
		u := &update{set: s}
		set, delta = set[:0], nil
		gr.stats.Passes++
		gr.stats.Rows += int64(len(u.set.ids))
		return gr.arith.pass(ctx, u)
	}
	for i, a := range alpha {
		if a == 0 {
			continue
		}
		set, delta = append(set, i), append(delta, a)
		if len(set) == rebuildRows {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if len(set) == 0 {
		return nil
	}
	return flush()
}

func addStats(a, b cache.Stats) cache.Stats {
	a.Hits += b.Hits
	a.Misses += b.Misses
	a.DiskHits += b.DiskHits
	a.Spills += b.Spills
	a.Damaged += b.Damaged
	a.SpilledBytes += b.SpilledBytes
	a.RAMBytes, a.DiskBytes = b.RAMBytes, b.DiskBytes
	if b.DiskOff != "" {
		a.DiskOff = b.DiskOff
	}
	return a
}
