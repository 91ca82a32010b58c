package gradienttest

import (
	"math"
	"reflect"
	"slices"

	"bigmkl/chunking"
)

// optional is a part of the suite for gradients that implement one more interface.
func optional[T any](check func(part T, r *runner)) func(r *runner) {
	return func(r *runner) {
		part, ok := r.grad.(T)
		if !ok {
			r.Skipf("the gradient is no %v", reflect.TypeFor[T]())
		}
		check(part, r)
	}
}

// mixer checks sums over kernels, by rows that exclude some kernels.
func mixer(m chunking.Mixer, r *runner) {
	r.advance()
	set, delta := r.change(nil)
	r.pass(r.Context(), set, delta)
	const rows = 2
	row, factor := make([]int32, len(r.size)), make([]float64, len(r.size))
	scale := 0.0
	for k := range row {
		row[k], factor[k] = int32(k%(rows+1))-1, r.rng.NormFloat64()
		scale += math.Abs(factor[k]) * r.size[k] * r.moved
	}
	got, want := make([]float64, rows*len(set)), make([]float64, rows*len(set))
	r.must(m.Mix(r.Context(), set, row, factor, got))
	r.must(r.want.Mix(r.Context(), set, row, factor, want))
	r.compare("mixed", got, want, func(int) float64 { return scale })
}

// scaler checks what follows when all variables are multiplied by a number.
func scaler(s chunking.Scaler, r *runner) {
	r.advance()
	const factor = 1.7
	s.Scale(factor)
	r.want.Scale(factor)
	for i := range r.alpha {
		r.alpha[i] *= factor
	}
	r.moved *= factor
	r.pass(r.Context(), nil, nil)
	r.advance()
}

// shrinker checks that what sleeps stays as it was, that what is active is right, and that all is
// right after waking. It shrinks twice, so there are points that were left out at different
// times.
func shrinker(s chunking.Shrinker, r *runner) {
	r.advance()
	var active []int
	for i := range r.N {
		if i%4 != 1 {
			active = append(active, i)
		}
	}
	for range 2 { // generations of sleepers
		r.must(s.Shrink(r.Context(), active, r.alpha))
		for range 2 {
			set, delta := r.change(active)
			const mark = -12345
			combined, v := slices.Repeat([]float64{mark}, r.N), slices.Repeat([]float64{mark}, len(r.size))
			r.must(r.grad.Pass(r.Context(), set, delta, r.alpha, r.theta, combined, v))
			want, ignored := make([]float64, r.N), make([]float64, len(r.size))
			r.must(r.want.Pass(r.Context(), set, delta, r.alpha, r.theta, want, ignored))
			for i := range combined {
				if _, awake := slices.BinarySearch(active, i); awake {
					r.compare("combined of an active point", combined[i:i+1], want[i:i+1], r.combinedScale)
				} else if combined[i] != mark {
					r.Fatalf("a pass has written the combined gradient of point %d, which sleeps", i)
				}
			}
			for m, x := range v {
				if x != mark {
					r.Fatalf("a pass has written V of kernel %d while points sleep", m)
				}
			}
		}
		active = active[:len(active)*2/3]
	}
	r.must(s.Wake(r.Context(), r.alpha))
	r.pass(r.Context(), nil, nil)
	r.advance()
}

// looker checks a look at sleeping points, which changes nothing but what it reports, and that
// some of these can be made active. Changes sum to 0, as the changes of a solver do.
func looker(l chunking.Looker, r *runner) {
	r.balanced = true
	r.advance()
	var active []int
	for i := range r.N {
		if i%4 < 2 {
			active = append(active, i)
		}
	}
	// pass passes over the active points alone. mark is what is left of vectors that it must not
	// write.
	const mark = -12345
	pass := func() {
		set, delta := r.change(active)
		r.must(r.grad.Pass(r.Context(), set, delta, r.alpha, r.theta, make([]float64, r.N), r.perKernel()))
		r.must(r.want.Pass(r.Context(), set, delta, r.alpha, r.theta, make([]float64, r.N), r.perKernel()))
	}
	// look reports whether there was one.
	look := func() bool {
		combined := slices.Repeat([]float64{mark}, r.N)
		want := make([]float64, r.N)
		r.must(r.want.Pass(r.Context(), nil, nil, r.alpha, r.theta, want, r.perKernel()))
		seen, err := l.Look(r.Context(), r.alpha, r.theta, combined)
		r.must(err)
		for i, x := range combined {
			if _, awake := slices.BinarySearch(active, i); !seen || awake {
				if x != mark {
					r.Fatalf("a look has written the combined gradient of point %d, active: %v", i, awake)
				}
				continue
			}
			r.compare("combined of a sleeping point", combined[i:i+1], want[i:i+1], r.combinedScale)
		}
		return seen
	}
	r.must(l.Shrink(r.Context(), active, r.alpha))
	pass()
	seen := look()
	active = active[:len(active)*2/3] // a second generation of sleepers
	r.must(l.Shrink(r.Context(), active, r.alpha))
	for m := range r.theta {
		r.theta[m] = r.rng.Float64()
	}
	pass()
	if look() != seen {
		r.Error("the gradient looks at some times and not at others")
	}
	var roused []int
	for i := range r.N {
		if _, awake := slices.BinarySearch(active, i); !awake && i%3 == 0 {
			roused = append(roused, i)
		}
	}
	r.must(l.Rouse(r.Context(), roused, r.alpha))
	active = slices.Concat(active, roused)
	slices.Sort(active)
	pass()
	look()
	// With all support vectors active a pass that changes nothing may sum V, which has to be right.
	combined, v := make([]float64, r.N), slices.Repeat([]float64{mark}, len(r.size))
	r.must(r.grad.Pass(r.Context(), nil, nil, r.alpha, r.theta, combined, v))
	want, wantV := make([]float64, r.N), r.perKernel()
	r.must(r.want.Pass(r.Context(), nil, nil, r.alpha, r.theta, want, wantV))
	for _, i := range active {
		r.compare("combined of an active point", combined[i:i+1], want[i:i+1], r.combinedScale)
	}
	for m, x := range v {
		if x != mark {
			r.compare("V", v[m:m+1], wantV[m:m+1], func(int) float64 { return r.energyScale(m) })
		}
	}
	r.must(l.RebuildActive(r.Context(), active, r.alpha, true))
	r.must(r.want.Rebuild(r.Context(), r.alpha, true))
	r.tolerance = r.Double
	pass()
	look()
	r.must(l.Wake(r.Context(), r.alpha))
	r.pass(r.Context(), nil, nil)
	r.advance()
}

// checker checks that what is computed again is the definition, and that a gradient in double
// precision agrees with it.
func checker(c chunking.Checker, r *runner) {
	r.advance()
	r.must(r.grad.Rebuild(r.Context(), r.alpha, true))
	r.must(r.want.Rebuild(r.Context(), r.alpha, true))
	r.tolerance = r.Double
	sample := []int{0, 3, r.N - 1}
	got, err := c.Afresh(r.Context(), sample, r.alpha, r.theta)
	r.must(err)
	combined, v := make([]float64, r.N), make([]float64, len(r.size))
	r.must(r.want.Pass(r.Context(), nil, nil, r.alpha, r.theta, combined, v))
	want := make([]float64, len(sample))
	for k, i := range sample {
		want[k] = combined[i]
	}
	r.compare("afresh", got, want, r.combinedScale)
	d, e := []float64{1, -2, 0.5}, make([]float64, len(r.size))
	r.must(c.Deviations(r.Context(), sample, d, r.alpha, e))
	r.compare("deviations", e, make([]float64, len(e)), func(m int) float64 { return 4 * r.size[m] * r.moved })
}

// far checks a direction over all points, and a step along it.
func far(f chunking.Far, r *runner) {
	r.advance()
	d := make([]float64, r.N)
	for range 2 {
		size := 0.0
		for i := range d {
			d[i] = r.rng.NormFloat64()
			size += math.Abs(d[i])
		}
		b, c, wantB, wantC := r.perKernel(), r.perKernel(), r.perKernel(), r.perKernel()
		image, wantImage := make([]float64, r.N), make([]float64, r.N)
		r.must(f.Along(r.Context(), d, r.theta, b, c, image))
		r.must(r.want.Along(r.Context(), d, r.theta, wantB, wantC, wantImage))
		r.moved += size
		r.compare("d'g", b, wantB, r.energyScale)
		r.compare("d'Kd", c, wantC, r.energyScale)
		r.compare("Kd", image, wantImage, r.combinedScale)
		const step = 0.3
		for i := range d {
			r.alpha[i] += step * d[i]
		}
		combined, v := make([]float64, r.N), make([]float64, len(r.size))
		r.must(f.Advance(r.Context(), step, r.alpha, r.theta, combined, v))
		wantCombined, wantV := make([]float64, r.N), r.perKernel()
		r.must(r.want.Advance(r.Context(), step, r.alpha, r.theta, wantCombined, wantV))
		r.compareVectors(combined, v, wantCombined, wantV)
	}
}
