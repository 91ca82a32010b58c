package gradient

import (
	"slices"
	"testing"

	"bigmkl/cache"
	"bigmkl/internal/kernelspec"
)

// withoutLinear is a bank of all kinds but the one that gates keep from being centred.
func withoutLinear(sets ...[]int32) *kernelspec.Bank {
	list := allKinds(sets...)
	list.Kernels = slices.DeleteFunc(list.Kernels, func(k kernelspec.Kernel) bool { return k.Kind == kernelspec.Linear })
	return list
}

// TestGatesOfOne: gates that are 1 everywhere change no bit.
func TestGatesOfOne(t *testing.T) {
	t.Parallel()
	rng := random(t, 1)
	p := uniform(rng, 333, 5)
	list := withoutLinear([]int32{1, 3, 4})
	scale, ones := make([]float64, len(list.Kernels)), make(etas, len(list.Kernels))
	for m := range scale {
		scale[m], ones[m] = 0.1+rng.Float64(), make([]float64, len(p.x))
		for i := range ones[m] {
			ones[m][i] = 1
		}
	}
	o := Options{Threads: 2, Memory: 1 << 30, Cache: cache.Options{Memory: 1 << 22, Mode: cache.Always}}
	for _, spherical := range []bool{false, true} {
		for _, shrink := range []bool{false, true} {
			want, _ := script(t, newBank(t, "plain", p, list, spherical, scale), o, shrink)
			got, _ := script(t, newGatedBank(t, "gated", p, list, spherical, scale, ones), o, shrink)
			if what := want.differs(got); what != "" {
				t.Errorf("spherical %v, shrink %v: other bits in %s", spherical, shrink, what)
			}
		}
	}
}

// TestMovedGates: after gates have moved and a rebuild, answers have the bits of gradients that never had other gates, and no base
// row has been computed again.
func TestMovedGates(t *testing.T) {
	t.Parallel()
	rng := random(t, 2)
	const n = 300
	p := uniform(rng, n, 5)
	list := allKinds([]int32{1, 3, 4})
	kernels := len(list.Kernels)
	eta, later := newEtas(rng, kernels, n), newEtas(rng, kernels, n)
	slices.Reverse(later)
	o := Options{Threads: 2, Memory: 1 << 30, DoubleRows: 1 << 26, Cache: cache.Options{Memory: 1 << 26, Mode: cache.Always}}
	for _, double := range []bool{false, true} {
		own := make(etas, kernels)
		for m := range own {
			own[m] = slices.Clone(eta[m])
		}
		f := follow(t, newGatedBank(t, "moved", p, list, false, nil, own), o)
		if err := f.gr.Rebuild(t.Context(), f.alpha, double); err != nil {
			t.Fatal(err)
		}
		if double {
			f.eps = 1e-13
		}
		set, theta := subset(rng, n, 90), make([]float64, kernels)
		for m := range theta {
			theta[m] = rng.Float64()
		}
		f.pass(set, normals(rng, len(set)), theta)
		before := f.gr.Stats().Cache
		for m := range own {
			copy(own[m], later[m])
		}
		fresh := follow(t, newGatedBank(t, "fresh", p, list, false, nil, later), o)
		copy(fresh.alpha, f.alpha)
		for _, g := range []*follower{f, fresh} {
			if err := g.gr.Rebuild(t.Context(), g.alpha, double); err != nil {
				t.Fatal(err)
			}
		}
		if after := f.gr.Stats().Cache; after.Misses != before.Misses || after.Hits == before.Hits {
			t.Errorf("double %v: the cache had %+v before and %+v after", double, before, after)
		}
		f.b = fresh.b // the definition by the gates that hold now
		delta := normals(rng, len(set))
		var transcripts [2]*transcript
		for i, g := range []*follower{f, fresh} {
			r := &transcript{}
			h, b, c := make([]float64, len(set)*len(set)), make([]float64, kernels), make([]float64, kernels)
			if err := g.gr.Hessian(t.Context(), set, theta, theta, h); err != nil {
				t.Fatal(err)
			}
			if err := g.gr.Directions(t.Context(), set, delta, b, c); err != nil {
				t.Fatal(err)
			}
			combined, v := make([]float64, n), make([]float64, kernels)
			for k, at := range set {
				g.alpha[at] += delta[k]
			}
			if err := g.gr.Pass(t.Context(), set, delta, g.alpha, theta, combined, v); err != nil {
				t.Fatal(err)
			}
			r.add("Hessian", h)
			r.add("b", b)
			r.add("c", c)
			r.add("combined gradient", combined)
			r.add("V", v)
			transcripts[i] = r
			if i == 0 {
				g.compare(theta, combined, v)
			}
		}
		if what := transcripts[0].differs(transcripts[1]); what != "" {
			t.Errorf("double %v: other bits in %s", double, what)
		}
	}
}
