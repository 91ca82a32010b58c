package gradient

import (
	"fmt"
	"slices"
	"testing"

	"bigmkl/cache"
	"bigmkl/internal/testlevel"
)

// TestShrink: gradients of active points are kept up to date while others sleep, and on waking those are, too, whenever
// they were left and whatever changed since.
func TestShrink(t *testing.T) {
	t.Parallel()
	rng := random(t, 1)
	const n = 75
	for i, b := range banks(t, rng, n) {
		for j, double := range []bool{false, true} {
			if !testlevel.Diagonal(t, i, j, 2, 1) {
				continue
			}
			t.Run(fmt.Sprintf("%s/double=%v", b.name, double), func(t *testing.T) {
				f := follow(t, b, Options{Threads: 2, Memory: 1 << 30, Cache: cache.Options{Memory: 1 << 18, Mode: cache.Always}})
				theta := make([]float64, b.Len())
				for m := range theta {
					theta[m] = rng.Float64()
				}
				if err := f.gr.Rebuild(t.Context(), f.alpha, double); err != nil {
					t.Fatal(err)
				}
				if double {
					f.eps = 1e-13
				}
				f.pass(subset(rng, n, 50), normals(rng, 50), theta)
				for range 2 {
					active := upTo(n)
					for _, share := range []int{2, 3, 40} { // one point in so many is left
						active = slices.DeleteFunc(active, func(int) bool { return rng.IntN(share) == 0 })
						if err := f.gr.Shrink(t.Context(), active, f.alpha); err != nil {
							t.Fatal(err)
						}
						for range 2 {
							f.partial(active, theta, func(k int) []float64 { return normals(rng, k) }, subset(rng, len(active), 12))
						}
					}
					if err := f.gr.Wake(t.Context(), f.alpha); err != nil {
						t.Fatal(err)
					}
					f.pass(nil, nil, theta)
					f.pass(subset(rng, n, 30), normals(rng, 30), theta)
				}
				// A rebuild wakes as well.
				if err := f.gr.Shrink(t.Context(), upTo(n/2), f.alpha); err != nil {
					t.Fatal(err)
				}
				if err := f.gr.Rebuild(t.Context(), f.alpha, double); err != nil {
					t.Fatal(err)
				}
				f.pass(subset(rng, n, 30), normals(rng, 30), theta)
			})
		}
	}
}

// partial is a pass over active points alone: combined is right on them and is left as it is elsewhere, and so is v.
func (f *follower) partial(active []int, theta []float64, draw func(int) []float64, places []int) {
	f.Helper()
	n := len(f.alpha)
	var set []int
	for _, k := range places {
		set = append(set, active[k])
	}
	delta := draw(len(set))
	rank := draw(len(theta))
	f.model(set, theta, rank, delta)
	for k, i := range set {
		f.alpha[i] += delta[k]
	}
	combined, v := draw(n), draw(len(theta))
	before, old := slices.Clone(combined), slices.Clone(v)
	if err := f.gr.Pass(f.Context(), set, delta, f.alpha, theta, combined, v); err != nil {
		f.Fatal(err)
	}
	g, size := f.gradients()
	for i := range combined {
		if _, ok := slices.BinarySearch(active, i); !ok {
			if combined[i] != before[i] {
				f.Fatalf("the combined gradient of sleeping point %d was written", i)
			}
			continue
		}
		want, allowed := 0.0, 0.0
		for m, th := range theta {
			want += th * g[m][i]
			allowed += th * f.b.size()[m] * size
		}
		f.close(fmt.Sprintf("combined gradient of active point %d", i), combined[i], want, allowed)
	}
	if !slices.Equal(v, old) {
		f.Fatal("V was written while points sleep")
	}
}
