package gradient

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"bigmkl/cache"
	"bigmkl/internal/testlevel"
)

// follower keeps alpha beside a gradient and compares every answer with the definition.
type follower struct {
	*testing.T
	b     *bank
	gr    *Gradient
	alpha []float64
	eps   float64 // allowed error relative to the magnitudes summed

	of   []float64 // the alpha of what gradients has made last
	by   *bank     // and its bank
	last [][]float64
}

func follow(t *testing.T, b *bank, o Options) *follower {
	return &follower{T: t, b: b, gr: newGradient(t, b, o), alpha: make([]float64, len(b.points.x)), eps: 2e-5}
}

// gradients are g_m = K_m alpha, and the sum of the magnitudes.
func (f *follower) gradients() (g [][]float64, size float64) {
	n := len(f.alpha)
	defer func() { f.of, f.by, f.last = slices.Clone(f.alpha), f.b, g }()
	for _, a := range f.alpha {
		size += math.Abs(a)
	}
	if f.by == f.b && slices.Equal(f.of, f.alpha) {
		return f.last, size
	}
	for _, k := range f.b.k() {
		row := make([]float64, n)
		for i := range row {
			for j, a := range f.alpha {
				row[i] += k[i*n+j] * a
			}
		}
		g = append(g, row)
	}
	return g, size
}

func (f *follower) close(what string, got, want, size float64) {
	f.Helper()
	if !(math.Abs(got-want) <= f.eps*size) {
		f.Fatalf("%s: %s: %v, want %v: off by %.2g, allowed %.2g", f.b.name, what, got, want, math.Abs(got-want), f.eps*size)
	}
}

func (f *follower) pass(set []int, delta, theta []float64) {
	f.Helper()
	for k, i := range set {
		f.alpha[i] += delta[k]
	}
	combined, v := normals(random(f.T, 0), len(f.alpha)), normals(random(f.T, 0), len(theta)) // to be overwritten
	if err := f.gr.Pass(f.Context(), set, delta, f.alpha, theta, combined, v); err != nil {
		f.Fatal(err)
	}
	f.compare(theta, combined, v)
}

func (f *follower) compare(theta, combined, v []float64) {
	f.Helper()
	g, size := f.gradients()
	for i, got := range combined {
		want, allowed := 0.0, 0.0
		for m, th := range theta {
			want += th * g[m][i]
			allowed += th * f.b.size()[m] * size
		}
		f.close(fmt.Sprintf("combined gradient of point %d", i), got, want, allowed)
	}
	for m, got := range v {
		want := 0.0
		for i, a := range f.alpha {
			want += a * g[m][i]
		}
		f.close(fmt.Sprintf("V of kernel %d", m), got, want, f.b.size()[m]*size*size)
	}
}

// model compares Hessian and Directions on a set.
func (f *follower) model(set []int, theta, rank, d []float64) {
	f.Helper()
	n, q := len(f.alpha), len(set)
	g, size := f.gradients()
	h := make([]float64, q*q)
	if err := f.gr.Hessian(f.Context(), set, theta, rank, h); err != nil {
		f.Fatal(err)
	}
	for a, i := range set {
		for b, j := range set {
			want, allowed := 0.0, 0.0
			for m, k := range f.b.k() {
				want += theta[m] * k[i*n+j]
				allowed += theta[m] * f.b.size()[m]
				if rank != nil {
					want += rank[m] * g[m][i] * g[m][j]
					allowed += math.Abs(rank[m]) * f.b.size()[m] * f.b.size()[m] * size * size
				}
			}
			f.close(fmt.Sprintf("Hessian %d, %d", i, j), h[a*q+b], want, allowed)
			if h[a*q+b] != h[b*q+a] {
				f.Fatalf("%s: the Hessian is not symmetric: %v and %v", f.b.name, h[a*q+b], h[b*q+a])
			}
		}
	}
	row := make([]int32, len(theta))
	for m := range row {
		row[m] = int32(m%4) - 1
	}
	mixed := normals(random(f.T, 0), 3*q) // to be overwritten
	if err := f.gr.Mix(f.Context(), set, row, theta, mixed); err != nil {
		f.Fatal(err)
	}
	for r := range 3 {
		for a, i := range set {
			want, allowed := 0.0, 0.0
			for m := range theta {
				if row[m] == int32(r) {
					want += theta[m] * g[m][i]
					allowed += math.Abs(theta[m]) * f.b.size()[m] * size
				}
			}
			f.close(fmt.Sprintf("row %d of the mixture at %d", r, i), mixed[r*q+a], want, allowed)
		}
	}
	b, c := normals(random(f.T, 0), len(theta)), normals(random(f.T, 0), len(theta)) // to be overwritten
	if err := f.gr.Directions(f.Context(), set, d, b, c); err != nil {
		f.Fatal(err)
	}
	length := 0.0
	for _, x := range d {
		length += math.Abs(x)
	}
	for m, k := range f.b.k() {
		slope, curve := 0.0, 0.0
		for a, i := range set {
			slope += d[a] * g[m][i]
			for e, j := range set {
				curve += d[a] * k[i*n+j] * d[e]
			}
		}
		f.close(fmt.Sprintf("b of kernel %d", m), b[m], slope, length*f.b.size()[m]*size)
		f.close(fmt.Sprintf("c of kernel %d", m), c[m], curve, length*length*f.b.size()[m])
	}
}

// TestAgainstDefinition runs Pass, Hessian, Directions and Rebuild on every kind of bank, in single and double precision.
func TestAgainstDefinition(t *testing.T) {
	t.Parallel()
	rng := random(t, 1)
	for j, n := range []int{5, 97} {
		for i, b := range banks(t, rng, n) {
			if n > 5 && !testlevel.Diagonal(t, i, j, 3, 1) {
				continue
			}
			t.Run(fmt.Sprintf("%s/n=%d", b.name, n), func(t *testing.T) {
				f := follow(t, b, Options{Threads: 2, Memory: 1 << 30, Cache: cache.Options{Memory: 1 << 20, Mode: cache.Always}})
				kernels := b.Len()
				weights := func() (theta, rank []float64) {
					theta, rank = normals(rng, kernels), normals(rng, kernels)
					for m := range theta {
						if theta[m] = math.Abs(theta[m]); rng.IntN(4) == 0 {
							theta[m], rank[m] = 0, 0
						}
					}
					return theta, rank
				}
				for _, double := range []bool{false, true} {
					if double {
						if err := f.gr.Rebuild(t.Context(), f.alpha, true); err != nil {
							t.Fatal(err)
						}
						f.eps = 1e-13
					}
					f.gr.Scale(0.75)
					for i := range f.alpha {
						f.alpha[i] *= 0.75
					}
					for _, q := range []int{1, 40, 0, 33, 70, 8} {
						set := subset(rng, n, q)
						delta := normals(rng, len(set))
						for k := range delta {
							if rng.IntN(5) == 0 {
								delta[k] = 0
							}
						}
						theta, rank := weights()
						if len(set) > 0 {
							f.model(set, theta, rank, delta)
							f.model(set, theta, nil, normals(rng, len(set)))
						}
						theta, _ = weights()
						f.pass(set, delta, theta)
					}
				}
			})
		}
	}
}

// TestNothing: sets without points, directions of zero and weights of zero need no special treatment.
func TestNothing(t *testing.T) {
	t.Parallel()
	rng := random(t, 2)
	for _, b := range banks(t, rng, 40) {
		f := follow(t, b, Options{Threads: 3, Memory: 1 << 30})
		zero := make([]float64, b.Len())
		f.pass(nil, nil, zero)
		f.pass([]int{3, 5}, []float64{0, 0}, normals(rng, b.Len()))
		f.pass([]int{3, 5}, []float64{1, -1}, zero)
		f.model([]int{7}, zero, zero, []float64{0})
		f.model([]int{9, 2}, zero, nil, []float64{1, 0})
	}
}

// TestRebuild: from any state, to any alpha, in either precision and back.
func TestRebuild(t *testing.T) {
	t.Parallel()
	rng := random(t, 3)
	p := uniform(rng, 700, 4)
	b := newBank(t, "rebuilt", newTable(p.x[:300]), allKinds([]int32{0, 2}), false, nil)
	f := follow(t, b, Options{Threads: 2, Memory: 1 << 30, Cache: cache.Options{Memory: 1 << 20}})
	theta := make([]float64, b.Len())
	for m := range theta {
		theta[m] = rng.Float64()
	}
	for _, double := range []bool{false, true, true, false, true} {
		f.eps = 2e-5
		if double {
			f.eps = 1e-13
		}
		f.alpha = normals(rng, 300)
		for i := range f.alpha {
			if rng.IntN(3) == 0 {
				f.alpha[i] = 0
			}
		}
		if err := f.gr.Rebuild(t.Context(), f.alpha, double); err != nil {
			t.Fatal(err)
		}
		f.pass(nil, nil, theta)
		f.pass([]int{5, 299, 31, 32}, normals(rng, 4), theta)
	}
	clear(f.alpha)
	if err := f.gr.Rebuild(t.Context(), f.alpha, false); err != nil {
		t.Fatal(err)
	}
	f.eps = 0
	f.pass(nil, nil, theta)
}

// TestStats: passes, and the points in them that changed.
func TestStats(t *testing.T) {
	t.Parallel()
	rng := random(t, 4)
	b := newBank(t, "counted", uniform(rng, 1200, 3), gaussians(2), false, nil)
	gr := newGradient(t, b, Options{Threads: 1, Memory: 1 << 30, Cache: cache.Options{Memory: 1 << 26, Mode: cache.Always}})
	alpha, combined, v := make([]float64, 1200), make([]float64, 1200), make([]float64, 2)
	pass := func(set []int, delta ...float64) {
		for k, i := range set {
			alpha[i] += delta[k]
		}
		if err := gr.Pass(t.Context(), set, delta, alpha, []float64{1, 1}, combined, v); err != nil {
			t.Fatal(err)
		}
	}
	pass([]int{1, 2, 3}, 1, 0, -1)
	pass([]int{3, 4}, 1, 1)
	pass(nil)
	s := gr.Stats()
	if s.Passes != 3 || s.Rows != 4 || s.Cache.Hits != 1 || s.Cache.Misses != 3 {
		t.Errorf("%+v", s)
	}
	for i := range alpha {
		alpha[i] = 1
	}
	if err := gr.Rebuild(t.Context(), alpha, true); err != nil {
		t.Fatal(err)
	}
	if s := gr.Stats(); s.Rows != 1204 || s.Passes < 4 || s.Cache.Hits != 1 {
		t.Errorf("after a rebuild: %+v", s)
	}
}
