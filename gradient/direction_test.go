package gradient

import (
	"fmt"
	"slices"
	"testing"

	"bigmkl/cache"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/testlevel"
)

// linears is a bank without a kernel that takes rows.
func linears(t testing.TB, n int) *bank {
	list := &kernelspec.Bank{Sets: [][]int32{{0, 2}, {1}}, SetViews: []string{"", ""}, Kernels: []kernelspec.Kernel{
		{Kind: kernelspec.Linear, Set: kernelspec.AllFeatures}, {Kind: kernelspec.Linear, Set: 0}, {Kind: kernelspec.Linear, Set: 1},
	}}
	return newBank(t, "linear", uniform(random(t, 9), n, 3), list, false, []float64{1, 5, 0.25})
}

// TestAlong compares b, c and the gradients after steps of any length along directions over all points with their definitions, between
// passes of working sets, for every kind of kernel and in both precisions.
func TestAlong(t *testing.T) {
	t.Parallel()
	rng := random(t, 1)
	const n = 75
	for i, b := range append(banks(t, rng, n), linears(t, n)) {
		for j, double := range []bool{false, true} {
			if !testlevel.Diagonal(t, i, j, 2, 1) {
				continue
			}
			t.Run(fmt.Sprintf("%s/double=%v", b.name, double), func(t *testing.T) {
				f := follow(t, b, Options{Threads: 2, Memory: 1 << 30, Cache: cache.Options{Memory: 1 << 18, Mode: cache.Always}})
				if err := f.gr.Rebuild(t.Context(), f.alpha, double); err != nil {
					t.Fatal(err)
				}
				if double {
					f.eps = 1e-13
				}
				theta := make([]float64, b.Len())
				for m := range theta {
					theta[m] = rng.Float64()
				}
				for _, length := range []float64{1, 0.3, 0, -1.5} {
					f.pass(subset(rng, n, 20), normals(rng, 20), theta)
					f.along(normals(rng, n), length, theta)
				}
			})
		}
	}
}

// along looks along a direction and takes a step.
func (f *follower) along(d []float64, length float64, theta []float64) {
	f.Helper()
	b, c := normals(random(f.T, 0), len(theta)), normals(random(f.T, 0), len(theta)) // to be overwritten
	if err := f.gr.Along(f.Context(), d, make([]float64, len(b)), b, c, nil); err != nil {
		f.Fatal(err)
	}
	g, size := f.gradients()
	alpha := f.alpha
	f.alpha = d
	h, far := f.gradients()
	f.alpha = alpha
	for m := range theta {
		slope, curve := 0.0, 0.0
		for i, x := range d {
			slope += x * g[m][i]
			curve += x * h[m][i]
		}
		f.close(fmt.Sprintf("b of kernel %d", m), b[m], slope, f.b.size()[m]*size*far)
		f.close(fmt.Sprintf("c of kernel %d", m), c[m], curve, f.b.size()[m]*far*far)
	}
	for i, x := range d {
		f.alpha[i] += length * x
	}
	combined, v := normals(random(f.T, 0), len(d)), normals(random(f.T, 0), len(theta))
	if err := f.gr.Advance(f.Context(), length, f.alpha, theta, combined, v); err != nil {
		f.Fatal(err)
	}
	f.compare(theta, combined, v)
}

// TestAlongHasTheSameBits: threads, shards, the cache and where the gradients live change no bit.
func TestAlongHasTheSameBits(t *testing.T) {
	t.Parallel()
	rng := random(t, 2)
	const n = 1400
	for _, b := range []*bank{newBank(t, "mixed", uniform(rng, n, 5), allKinds([]int32{1, 3, 4}), false, nil), linears(t, n)} {
		first, theta := normals(rng, n), make([]float64, b.Len())
		for m := range theta {
			theta[m] = rng.Float64()
		}
		var want *transcript
		for i, o := range []Options{
			{Threads: 1, Memory: 1 << 30},
			{Threads: 3, Shards: 1},
			{Threads: 2, Memory: 1 << 30, Cache: cache.Options{Memory: 1 << 28, Mode: cache.Always}},
		} {
			o.Scratch = t.TempDir()
			gr := newGradient(t, b, o)
			r, alpha, d := &transcript{}, make([]float64, n), slices.Clone(first)
			x, y, combined := make([]float64, b.Len()), make([]float64, b.Len()), make([]float64, n)
			for k := range 3 {
				for i := range alpha {
					alpha[i] += 0.7 * d[i]
				}
				if err := gr.Along(t.Context(), d, make([]float64, len(x)), x, y, nil); err != nil {
					t.Fatal(err)
				}
				r.add("b", x)
				r.add("c", y)
				if err := gr.Advance(t.Context(), 0.7, alpha, theta, combined, x); err != nil {
					t.Fatal(err)
				}
				r.add("combined gradient", combined)
				r.add("V", x)
				d[k] = 0
			}
			if want == nil {
				want = r
			} else if what := want.differs(r); what != "" {
				t.Errorf("%s: other bits in %s with options %d", b.name, what, i)
			}
			if s := gr.Stats().Cache; o.Cache.Mode == cache.Always && b.name == "mixed" && s.Hits == 0 {
				t.Error("no row came from the cache")
			}
		}
	}
}
