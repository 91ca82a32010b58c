package gradient

import (
	"context"

	"bigmkl/cache"
	"bigmkl/internal/invariant"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// Options sizes a Gradient. Memory bounds the gradients kept in RAM; past it they live in a mapped file in Scratch.
// DoubleRows is Cache.Memory in float64 arithmetic, which leaves less of a budget.
type Options struct {
	Threads    int
	Shards     int // ranges of points that the threads take by turns; 0 is as many as sums are cut into
	Memory     int64
	DoubleRows int64
	Scratch    string
	Cache      cache.Options // RowBytes and Threads are set here
}

// Stats counts what has been done.
type Stats struct {
	Passes int64 // streams over the points
	Rows   int64 // working points over all passes
	// What the passes did: kernel values that were added to gradients, and multiplications for their bases.
	Entries, Products int64
	Cache             cache.Stats
}

// And gives the sum of two counts; memory is that of the later.
func (s Stats) And(later Stats) Stats {
	s.Passes += later.Passes
	s.Rows += later.Rows
	s.Entries += later.Entries
	s.Products += later.Products
	s.Cache = addStats(s.Cache, later.Cache)
	return s
}

// Since gives what was counted after an earlier moment; memory is that of now.
func (s Stats) Since(before Stats) Stats {
	s.Passes -= before.Passes
	s.Rows -= before.Rows
	s.Entries -= before.Entries
	s.Products -= before.Products
	c, b := &s.Cache, &before.Cache
	c.Hits -= b.Hits
	c.Misses -= b.Misses
	c.DiskHits -= b.DiskHits
	c.Spills -= b.Spills
	c.Damaged -= b.Damaged
	c.SpilledBytes -= b.SpilledBytes
	return s
}

// Gradient holds g_m for every kernel of a bank on every point.
type Gradient struct {
	points   kernels.Points
	bank     *kernels.Bank
	opt      Options
	all      *field
	now      *field // the active points: all, or a part
	sleepers []Sleeper
	waking   []int32  // the points that were active when a Wake began that was cut; nil: none was
	hollow   bool     // a Rebuild was cut: the gradients are those of nothing
	pending  *Pending // a Pass was cut
	held     int64    // bytes of gradients in memory
	arith    arithmetic
	double   bool
	last     *workingSet // features of the last working set
	sum      []float64   // sum_i alpha_i (x_i - shift), if there are linear kernels
	along    *field      // K_m d of the last direction over all points; nil: there has been none
	step     []float64   // its part of sum
	rowless  bool        // all kernels are linear
	vectors  update      // of the last pass: memory to use again
	model    *square     // likewise
	stats    Stats
}

// arithmetic is a pass in one precision.
type arithmetic interface {
	pass(ctx context.Context, f *field, u *update) error
	hessian(ctx context.Context, s *workingSet, theta []float64, h *square) error
	directions(ctx context.Context, s *workingSet, d []float64, c []float64) error
	narrow(f *field, places []int32) error
	widen() error
	close() (cache.Stats, error)
	cacheStats() cache.Stats
}

// New returns the gradients of alpha = 0, in float32 arithmetic.
func New(points kernels.Points, bank *kernels.Bank, o Options) (*Gradient, error) {
	gr := &Gradient{points: points, bank: bank, opt: o}
	var err error
	if gr.all, err = gr.whole(); err != nil {
		return nil, err
	}
	gr.now = gr.all
	kernels.AssertProducts(bank, points)
	var some bool
	if some, gr.rowless = linear(bank); some {
		gr.sum = make([]float64, points.Dim())
	}
	if err := gr.use(false); err != nil {
		gr.all.close()
		return nil, err
	}
	return gr, nil
}

// use goes over to float64 or float32 arithmetic on all points. Rows in the cache are those of one precision.
func (gr *Gradient) use(double bool) error {
	if gr.arith != nil && gr.double == double {
		return gr.arith.widen()
	}
	gr.double = double
	if gr.arith != nil {
		s, err := gr.arith.close()
		gr.arith, gr.stats.Cache = nil, addStats(gr.stats.Cache, s)
		if err != nil {
			return err
		}
	}
	if double {
		m, err := newMachine[float64](gr)
		if err != nil {
			return err
		}
		gr.arith = m
		return nil
	}
	m, err := newMachine[float32](gr)
	if err != nil {
		return err
	}
	gr.arith = m
	return nil
}

// Stats returns the counts so far.
func (gr *Gradient) Stats() Stats {
	s := gr.stats
	if gr.arith != nil {
		s.Cache = addStats(s.Cache, gr.arith.cacheStats())
	}
	return s
}

// Close releases memory and scratch files.
func (gr *Gradient) Close() error {
	var err error
	if gr.arith != nil {
		var s cache.Stats
		s, err = gr.arith.close()
		gr.arith, gr.stats.Cache = nil, addStats(gr.stats.Cache, s)
	}
	for _, f := range []*field{gr.now, gr.all, gr.along} {
		if f == nil {
			continue
		}
		if e := f.close(); err == nil {
			err = e
		}
	}
	return err
}

// Pass adds the change delta of the dual variables of the working set to every gradient, then forms combined =
// sum_m theta_m g_m (n values) and v_m = sum_i alpha_i g_m,i (M values). alpha is the whole vector after the change. A set
// without points only recombines.
//
// Where ctx ends it in its midst, State holds what of it is done: to go on, from there or in
// another Gradient that has taken the state over, is to call it again with the same arguments.
func (gr *Gradient) Pass(ctx context.Context, set []int, delta, alpha, theta, combined, v []float64) error {
	u := gr.combining(gr.gather(set).changed(delta), alpha, theta)
	u.pending = gr.pending
	err := gr.arith.pass(ctx, gr.now, u)
	gr.pending = u.pending
	if err != nil {
		return err
	}
	for j, x := range u.vector {
		gr.sum[j] += x
	}
	if gr.now.index == nil {
		copy(combined, u.combined)
		for id, at := range gr.bank.Places() {
			v[id] = u.v[at]
		}
		gr.linearProducts(gr.sum, gr.sum, v)
	}
	for k, i := range gr.now.index {
		combined[i] = u.combined[k]
	}
	if invariant.Enabled {
		return gr.assertPass(context.WithoutCancel(ctx), alpha, theta, combined) // the pass is done
	}
	return nil
}

// combining is the pass that adds the change of a set and combines: in memory that is used again.
func (gr *Gradient) combining(s *workingSet, alpha, theta []float64) *update {
	u := &gr.vectors
	u.set, u.vector, u.pending = s, gr.change(s), nil
	n, kernels := gr.now.panels*simd.Width, gr.bank.Len()
	u.alpha, u.combined = grow(u.alpha, n), grow(u.combined, n)
	u.theta, u.v = grow(u.theta, kernels), grow(u.v, kernels)
	clear(u.alpha[gr.now.n:])
	if gr.now.index == nil {
		copy(u.alpha, alpha)
	}
	for k, i := range gr.now.index {
		u.alpha[k] = alpha[i]
	}
	for id, at := range gr.bank.Places() {
		u.theta[at] = theta[id]
	}
	return u
}

// change is the vector of the linear kernels for a working set's delta, nil if there are none.
func (gr *Gradient) change(s *workingSet) []float64 {
	if gr.sum == nil {
		return nil
	}
	return gr.vector(s)
}

// Hessian gives h = sum_m theta_m K_m[B,B] + sum_m rank_m g_m[B] g_m[B]'. rank may be nil. h: q x q, row-major.
func (gr *Gradient) Hessian(ctx context.Context, set []int, theta, rank, h []float64) error {
	if gr.model == nil || gr.model.blocks != panelsOf(len(set)) {
		gr.model = newSquare(len(set))
	}
	sq := gr.model
	clear(sq.at)
	if err := gr.arith.hessian(ctx, gr.gather(set), theta, sq); err != nil {
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
	s := gr.gather(set)
	if err := gr.slopes(ctx, s, d, b); err != nil {
		return err
	}
	if err := gr.arith.directions(ctx, s, d, c); err != nil {
		return err
	}
	if gr.sum != nil {
		step := gr.vector(&workingSet{index: s.index, points: s.points, delta: d})
		gr.linearProducts(step, step, c)
	}
	return nil
}

// Rebuild computes every gradient afresh from alpha, with all points active, from here on in
// float64 arithmetic if double. Where ctx ends it in its midst there are no gradients until it has
// been called again.
func (gr *Gradient) Rebuild(ctx context.Context, alpha []float64, double bool) error {
	if gr.now != gr.all {
		gr.held -= gr.now.held
		if err := gr.now.close(); err != nil {
			return err
		}
		gr.now = gr.all
	}
	gr.sleepers, gr.waking, gr.pending, gr.hollow = nil, nil, nil, true
	if err := gr.use(double); err != nil {
		return err
	}
	clear(gr.all.g)
	clear(gr.sum)
	if err := gr.apply(ctx, gr.all, support(alpha), func(i int) float64 { return alpha[i] }, gr.sum); err != nil {
		return err
	}
	gr.hollow = false
	return nil
}

// Scale multiplies every gradient by c, as all dual variables have been. All points have to be active.
func (gr *Gradient) Scale(c float64) {
	for i := range gr.all.g {
		gr.all.g[i] *= c
	}
	for j := range gr.sum {
		gr.sum[j] *= c
	}
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
