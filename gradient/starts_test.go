package gradient

import (
	"context"
	"fmt"
	"math"
	"testing"

	"bigmkl/internal/simd"
)

// TestStarts: gradients that are built again have the bits of those that are computed, whichever groups are known of the
// same dual variables. Known groups cost no kernel value.
func TestStarts(t *testing.T) {
	t.Parallel()
	for _, b := range banks(t, random(t, 17), 75) {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			rng := random(t, 19)
			n, starts := b.points.Len(), &Starts{}
			var alphas [2][]float64
			for k := range alphas {
				alphas[k] = normals(rng, n)
				for _, i := range subset(rng, n, n/2) {
					alphas[k][i] = 0
				}
			}
			named := func(prefix string) Options {
				o := Options{Threads: 2, Starts: starts}
				o.Cache.Memory = 64 << 20
				for k := range b.Groups {
					if k%2 == 0 {
						o.GroupNames = append(o.GroupNames, fmt.Sprint(k))
					} else {
						o.GroupNames = append(o.GroupNames, fmt.Sprint(prefix, k))
					}
				}
				return o
			}
			first, second := newGradient(t, b, named("first")), newGradient(t, b, named("second"))
			plain := newGradient(t, b, Options{Threads: 2})
			names := starts.names(&first.engine)
			for _, double := range []bool{false, true} {
				for at, alpha := range [][]float64{alphas[0], alphas[1], alphas[0]} {
					var entries [3]int64
					for k, gr := range []*Gradient{plain, first, second} {
						before := gr.Stats().Entries
						if err := gr.Rebuild(context.Background(), alpha, double); err != nil {
							t.Fatal(err)
						}
						entries[k] = gr.Stats().Entries - before
					}
					if !sameValues(plain, first) || !sameValues(plain, second) {
						t.Fatalf("double %v, dual variables %d: the values differ", double, at)
					}
					if names == nil {
						continue
					}
					if at == 2 && (entries[1] != 0 || entries[2] != 0) {
						t.Errorf("%d and %d kernel values for known gradients", entries[1], entries[2])
					}
					if at < 2 && entries[0] > 0 && !(entries[1] == entries[0] && entries[2] < entries[0]) {
						t.Errorf("kernel values %d, %d of them first and %d second", entries[0], entries[1], entries[2])
					}
				}
			}
			if names != nil && (starts.held == 0 || starts.held > starts.most) {
				t.Errorf("%d bytes are held of %d", starts.held, starts.most)
			}
			if err := starts.Close(); err != nil || starts.held != 0 || len(starts.list) != 0 {
				t.Errorf("%d bytes are held after the end: %v", starts.held, err)
			}
		})
	}
}

// sameValues reports whether two gradients of the same points and kernels have the same bits at every point.
func sameValues(a, b *Gradient) bool {
	x, y, m := a.Values(), b.Values(), a.bank.Len()
	for i := range a.points.Len() {
		for k := range m {
			if at := (i/simd.Width*m+k)*simd.Width + i%simd.Width; math.Float64bits(x[at]) != math.Float64bits(y[at]) {
				return false
			}
		}
	}
	return true
}

// TestStartsGiveUp: the starts that were not asked for the longest time go first, and those that were not kept are computed.
func TestStartsGiveUp(t *testing.T) {
	t.Parallel()
	rng := random(t, 23)
	b := newBank(t, "one group", uniform(rng, 40, 5), gaussians(5), false, nil)
	n, starts := b.points.Len(), &Starts{}
	o := Options{Starts: starts, GroupNames: make([]string, len(b.Groups))}
	for k := range o.GroupNames {
		o.GroupNames[k] = fmt.Sprint(k)
	}
	one := int64(8 * (n + panelsOf(n)*32*b.Len()))
	o.Cache.Memory = 4 * (2*one + one/2) // a quarter of it has room for two
	gr, plain := newGradient(t, b, o), newGradient(t, b, Options{})
	var alphas [3][]float64
	for k := range alphas {
		alphas[k] = normals(rng, n)
	}
	for step, c := range []struct {
		alpha int
		known bool
	}{{0, false}, {1, false}, {0, true}, {2, false}, {0, true}, {1, false}, {0, true}, {2, false}} {
		before := gr.Stats().Entries
		for _, gr := range []*Gradient{gr, plain} {
			if err := gr.Rebuild(context.Background(), alphas[c.alpha], false); err != nil {
				t.Fatal(err)
			}
		}
		if !sameValues(gr, plain) {
			t.Errorf("step %d: the values differ", step)
		}
		if known := gr.Stats().Entries == before; known != c.known {
			t.Errorf("step %d: known %v, want %v", step, known, c.known)
		}
		if starts.held > starts.most {
			t.Errorf("step %d: %d bytes of %d", step, starts.held, starts.most)
		}
	}
	if err := starts.Close(); err != nil {
		t.Error(err)
	}
}
