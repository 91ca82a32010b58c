package gradienttest

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl/chunking"
)

// Case is a gradient to be tested, with the kernel matrices that it should have.
type Case struct {
	N       int         // points, at least 8
	Kernels [][]float64 // of each kernel: N x N, row-major and symmetric
	// New returns the gradient of alpha = 0, in single precision. It closes what it opens by
	// Cleanup.
	New func(t testing.TB) chunking.Gradient
	// Single and Double bound the rounding of a gradient before and after a Rebuild in double
	// precision, as a share of what a sum would be if all of its terms had one sign.
	Single, Double float64
}

// runner is a gradient beside the one that it should agree with.
type runner struct {
	*rounding
	Case
	grad     chunking.Gradient
	want     *Dense
	rng      *rand.Rand
	alpha    []float64
	balanced bool // changes sum to 0
}

// perKernel gives a vector of a number for each kernel.
func (r *runner) perKernel() []float64 { return make([]float64, len(r.size)) }

// must ends the test at an error.
func (r *runner) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// change draws a working set of active points, nil meaning all, and a change of alpha on it. The
// set has from one point to all of them, in any order: no gradient may rely on an order.
func (r *runner) change(active []int) (set []int, delta []float64) {
	if active == nil {
		for i := range r.N {
			active = append(active, i)
		}
	}
	set = slices.Clone(active)
	r.rng.Shuffle(len(set), func(a, b int) { set[a], set[b] = set[b], set[a] })
	set = set[:1+r.rng.IntN(len(set))]
	delta = make([]float64, len(set))
	for k := range set {
		delta[k] = r.rng.NormFloat64()
	}
	if r.balanced {
		mean := 0.0
		for _, x := range delta {
			mean += x / float64(len(delta))
		}
		for k := range delta {
			delta[k] -= mean
		}
	}
	for k, i := range set {
		r.alpha[i] += delta[k]
		r.moved += math.Abs(delta[k])
	}
	return set, delta
}

// pass does a pass with both gradients and compares combined and V.
func (r *runner) pass(ctx context.Context, set []int, delta []float64) {
	r.Helper()
	combined, v := make([]float64, r.N), make([]float64, len(r.Kernels))
	r.must(r.grad.Pass(ctx, set, delta, r.alpha, r.theta, combined, v))
	r.compareWith(combined, v, set, delta)
}

// compareWith takes the pass of the definitions and compares.
func (r *runner) compareWith(combined, v []float64, set []int, delta []float64) {
	r.Helper()
	wantCombined, wantV := make([]float64, r.N), r.perKernel()
	r.must(r.want.Pass(r.Context(), set, delta, r.alpha, r.theta, wantCombined, wantV))
	r.compareVectors(combined, v, wantCombined, wantV)
}

// advance takes some passes to get away from alpha = 0.
func (r *runner) advance() {
	r.Helper()
	for range 3 {
		set, delta := r.change(nil)
		r.pass(r.Context(), set, delta)
	}
}
