package gradient

import "bigmkl/cache"

// engine changes and reads the gradients of a field, in the arithmetic of one precision. It does not know which
// points sleep, nor whether a pass was cut.
type engine struct {
	fields
	arith   arithmetic
	double  bool // arith is float64
	stats   Stats
	rowless bool      // all kernels are linear
	sum     []float64 // sum_i alpha_i (x_i - shift); nil: no kernel is linear

	// constants is what sums leave out of wide kernels (kernels.Bank.Constants).
	constants []float64

	largest []float64 // with the build tag invariants the a_m of checked.termSizes; else nil

	// What follows is kept to be used again: the last working set, which one iteration asks for
	// three times, and the memory of the last pass.
	last    *workingSet
	vectors update
}

// use goes over to float64 or float32 arithmetic on all points. The cache begins again, because
// its rows have one precision.
func (gr *engine) use(double bool) error {
	gr.changes++ // what follows makes gradients again
	// The cache continues with rows of the same precision, on all points.
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
func (gr *engine) Stats() Stats {
	s := gr.stats
	if gr.arith != nil {
		s.Cache = addStats(s.Cache, gr.arith.cacheStats())
	}
	return s
}

// close releases the cache and the table of base rows, and returns the first error in doing so.
func (gr *engine) close() error {
	var err error
	if gr.arith != nil {
		var s cache.Stats
		s, err = gr.arith.close()
		gr.arith, gr.stats.Cache = nil, addStats(gr.stats.Cache, s)
	}
	if e := gr.tables.close(); err == nil {
		err = e
	}
	return err
}

// Scale multiplies every gradient by c, as all dual variables have been. All points have to be
// active.
//
// Rows in the cache do not depend on alpha and stay.
func (gr *engine) Scale(c float64) {
	gr.changes++
	for i := range gr.all.g {
		gr.all.g[i] *= c
	}
	for j := range gr.sum {
		gr.sum[j] *= c
	}
}
