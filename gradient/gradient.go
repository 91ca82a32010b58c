package gradient

import (
	"bigmkl/cache"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

// stored holds g_m = K_m alpha for every kernel of a bank on every point. One method may run at a
// time.
type stored struct {
	fields
	arith    arithmetic
	double   bool // arith is float64
	stats    Stats
	sleepers []Sleeper

	// waking is the points that were active when a Wake that was cut began. It is nil if none was
	// cut.
	waking  []int32
	hollow  bool      // a Rebuild was cut, so that the gradients are of no use
	pending *Pending  // a Pass that was cut; nil: none was
	rowless bool      // all kernels are linear
	sum     []float64 // sum_i alpha_i (x_i - shift); nil: no kernel is linear

	// constants is what sums leave out of wide kernels (kernels.Bank.Constants).
	constants []float64

	// What follows is kept to be used again: the last working set, which one iteration asks for
	// three times, and the memory of the last pass.
	last    *workingSet
	vectors update

	// collected is the gradients of all ranks for a checkpoint; nil: none was written or read.
	collected *mmap.Map

	// The last direction over all points and its part of sum; see Along. Both are nil before the
	// first.
	along *field
	step  []float64

	// views has the gradients of each of several columns as those of one; nil: there is one column.
	views []*stored
	// energies is V_m of each column, [column][kernel], as the last pass has summed it.
	energies []float64
}

// newStored returns the gradients of alpha = 0, in float32 arithmetic or in float64.
//
// It takes 8 n M bytes, in memory as far as Options.Memory goes and in a mapped file beyond.
func newStored(points kernels.Points, bank *kernels.Bank, o Options, double bool) (*stored, error) {
	if o.Workspace == nil {
		o.Workspace = &Workspace{}
	}
	gr := &stored{fields: fields{points: points, bank: bank, opt: o, team: team{o.Ranks}, readAll: true}, constants: bank.Constants()}
	var err error
	if gr.all, err = gr.whole(); err != nil {
		return nil, err
	}
	// All points are active at first, and the gradients of alpha = 0 are zero as the memory is.
	gr.now = gr.all
	// Without the build tag invariants this does nothing.
	kernels.AssertProducts(bank, points)
	var some bool
	if some, gr.rowless = linearKernels(bank); some {
		gr.sum = make([]float64, points.Dim()*o.columns())
	}
	if err = gr.makeTables(); err == nil {
		gr.viewColumns()
		err = gr.use(double)
	}
	if err != nil {
		gr.tables.close()
		gr.all.close()
		return nil, err
	}
	return gr, nil
}

// use goes over to float64 or float32 arithmetic on all points. The cache begins afresh, because
// its rows are those of one precision.
func (gr *stored) use(double bool) error {
	gr.changes++ // what follows makes gradients anew
	// The cache goes on with rows of the same precision, on all points.
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
		m, err := newPass[float64](&gr.fields, &gr.stats)
		if err != nil {
			return err
		}
		gr.arith = m
		return nil
	}
	m, err := newPass[float32](&gr.fields, &gr.stats)
	if err != nil {
		return err
	}
	gr.arith = m
	return nil
}

// Stats returns the counts so far.
func (gr *stored) Stats() Stats {
	s := gr.stats
	if gr.arith != nil {
		s.Cache = addStats(s.Cache, gr.arith.cacheStats())
	}
	return s
}

// OwnRows is the number of points whose gradients this rank has while all are active.
func (gr *stored) OwnRows() int {
	return min(gr.all.mine[1]*simd.Width, gr.all.n) - min(gr.all.mine[0]*simd.Width, gr.all.n)
}

// Close releases memory and scratch files, and returns the first error in doing so.
func (gr *stored) Close() error {
	var err error
	if gr.arith != nil {
		var s cache.Stats
		s, err = gr.arith.close()
		gr.arith, gr.stats.Cache = nil, addStats(gr.stats.Cache, s)
	}
	if gr.collected != nil {
		if e := gr.collected.Close(); err == nil {
			err = e
		}
		gr.collected = nil
	}
	if e := gr.tables.close(); err == nil {
		err = e
	}
	// The active field may be that of all points; to close a field twice does no harm.
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

// Scale multiplies every gradient by c, as all dual variables have been. All points have to be
// active.
//
// Rows in the cache do not depend on alpha and stay.
func (gr *stored) Scale(c float64) {
	gr.changes++
	for i := range gr.all.g {
		gr.all.g[i] *= c
	}
	for j := range gr.sum {
		gr.sum[j] *= c
	}
}

// Values returns g_m of all kernels on all points, [panel][kernel][32], in the order in which the
// bank stores kernels. They are those of the last call of State, or may be filled in for Resume.
//
// Where several ranks hold them, rank 0 alone has them all, in a file of their own.
func (gr *stored) Values() []float64 {
	switch {
	case gr.team.alone():
		return gr.all.g
	case gr.collected == nil:
		return nil
	}
	return mmap.View[float64](gr.collected)
}
