package gradient

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl/cache"
	"bigmkl/internal/kernelspec"
	"bigmkl/kernels"
)

// balancedNormals are normal numbers that sum to 0, up to rounding.
func balancedNormals(rng *rand.Rand, n int) []float64 {
	v := normals(rng, n)
	mean := 0.0
	for _, x := range v {
		mean += x / float64(n)
	}
	for i := range v {
		v[i] -= mean
	}
	return v
}

// widths is a bank that has mostly exponentials of the same distance, with other kernels around them, and its
// skeletons. Wide kernels are marked if wide is set.
func widths(t *testing.T, p *table, scale, wide bool) (*bank, [2]*kernels.Skeleton) {
	t.Helper()
	list := allKinds([]int32{1, 3, 4}, []int32{0})
	for i := range 300 {
		list.Kernels = append(list.Kernels, kernelspec.Kernel{
			Kind: kernelspec.Gauss, Set: kernelspec.AllFeatures,
			Gamma: 1e-3 * math.Pow(1e4, float64(i)/299)})
	}
	var factors []float64
	if scale {
		for i := range list.Kernels {
			factors = append(factors, float64(i%5)/2)
		}
	}
	b := newBank(t, "widths", p, list, false, factors)
	reach, err := b.Reaches(t.Context(), p, 1)
	if err != nil {
		t.Fatal(err)
	}
	if wide {
		b.FindWide(reach)
	}
	s, err := kernels.NewSkeletons(t.Context(), b.Bank, reach, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, own := range s {
		if own == nil {
			t.Fatal("no skeleton")
		}
		s[i] = own.Normalised()
	}
	return b, s
}

// TestSkeleton: gradients of a skeleton give the results of the gradients of all kernels, in every method and in
// both precisions, and hold less. So do gradients of k - 1 for wide kernels, up to constants that no
// step sees.
func TestSkeleton(t *testing.T) {
	t.Parallel()
	rng := random(t, 31)
	const n = 97
	p := uniform(rng, n, 5)
	for _, c := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		scale, wide := c[0], c[1]
		b, _ := widths(t, p, scale, false)
		lowered, skeletons := widths(t, p, scale, wide)
		constants := lowered.Constants()
		if wide != (constants != nil) {
			t.Fatalf("constants %v", constants)
		}
		o := Options{Threads: 2, Memory: 1 << 30, Cache: cache.Options{Memory: 1 << 20, Mode: cache.Always}}
		plain := newGradient(t, b, o)
		o.Skeletons = skeletons
		lean := newGradient(t, lowered, o)
		if len(lean.Values()) >= len(plain.Values()) {
			t.Errorf("%d numbers are held of %d", len(lean.Values()), len(plain.Values()))
		}
		alpha, m := make([]float64, n), b.Len()
		theta, rank := normals(rng, m), normals(rng, m)
		for i := range theta {
			theta[i] = math.Abs(theta[i])
		}
		row := make([]int32, m)
		for i := range row {
			row[i] = int32(i%4) - 1
		}
		eps := 2e-5
		near := func(what string, got, want []float64) {
			t.Helper()
			size := 0.0
			for _, x := range want {
				size = max(size, math.Abs(x))
			}
			for i := range got {
				if !(math.Abs(got[i]-want[i]) <= eps*size) {
					t.Fatalf("%s %d: %v, want %v of %v", what, i, got[i], want[i], size)
				}
			}
		}
		var out [2][4][]float64
		each := func(f func(gr *Gradient, out *[4][]float64) error, names ...string) {
			t.Helper()
			for i, gr := range []*Gradient{plain, lean} {
				if err := f(gr, &out[i]); err != nil {
					t.Fatal(err)
				}
			}
			for k, name := range names {
				near(name, out[1][k], out[0][k])
			}
		}
		pass := func(set []int, delta []float64) {
			t.Helper()
			for k, i := range set {
				alpha[i] += delta[k]
			}
			each(func(gr *Gradient, out *[4][]float64) error {
				out[0], out[1] = make([]float64, n), make([]float64, m)
				return gr.Pass(t.Context(), set, delta, alpha, theta, out[0], out[1])
			}, "combined", "V")
		}
		for _, double := range []bool{false, true} {
			if double {
				eps = 1e-10
				each(func(gr *Gradient, _ *[4][]float64) error { return gr.Rebuild(t.Context(), alpha, true) })
			}
			for _, q := range []int{40, 8} {
				set, delta := subset(rng, n, q), balancedNormals(rng, q)
				each(func(gr *Gradient, out *[4][]float64) error {
					out[0], out[1], out[2] = make([]float64, q*q), make([]float64, m), make([]float64, m)
					if err := gr.Hessian(t.Context(), set, theta, rank, out[0]); err != nil {
						return err
					}
					if wide && gr == plain {
						if err := centreModel(t.Context(), 2, out[0], q); err != nil {
							return err
						}
					}
					return gr.Directions(t.Context(), set, delta, out[1], out[2])
				}, "Hessian", "b", "c")
				one := []float64{1}
				each(func(gr *Gradient, out *[4][]float64) error {
					out[0], out[1] = make([]float64, m), make([]float64, m)
					err := gr.Directions(t.Context(), set[:1], one, out[0], out[1])
					for i, x := range constants {
						if x != 0 && gr == plain {
							out[1][i] = x // a wide kernel is 0 at the largest distance
						}
					}
					return err
				}, "b of one point", "k(x,x)")
				pass(set, delta)
				each(func(gr *Gradient, out *[4][]float64) error {
					out[0] = make([]float64, 3*q)
					return gr.Mix(t.Context(), set, row, rank, out[0])
				}, "mixed")
			}
			active := slices.DeleteFunc(upTo(n), func(i int) bool { return i%3 == 1 })
			each(func(gr *Gradient, _ *[4][]float64) error { return gr.Shrink(t.Context(), active, alpha) })
			pass([]int{0, 2, 33}, []float64{1, 2, -3})
			each(func(gr *Gradient, _ *[4][]float64) error { return gr.Wake(t.Context(), alpha) })
			pass(nil, nil)
			d := balancedNormals(rng, n)
			each(func(gr *Gradient, out *[4][]float64) error {
				out[0], out[1] = make([]float64, m), make([]float64, m)
				return gr.Along(t.Context(), d, make([]float64, m), out[0], out[1], nil)
			}, "b of all", "c of all")
			for i := range alpha {
				alpha[i] += 0.1 * d[i]
			}
			each(func(gr *Gradient, out *[4][]float64) error {
				out[0], out[1] = make([]float64, n), make([]float64, m)
				return gr.Advance(t.Context(), 0.1, alpha, theta, out[0], out[1])
			}, "combined", "V")
			// What the skeleton is off by is found by the check.
			sample := subset(rng, n, 20)
			e := make([]float64, m)
			if err := lean.Deviations(t.Context(), sample, normals(rng, 20), alpha, e); err != nil {
				t.Fatal(err)
			}
			size := 0.0
			for _, v := range out[0][1] {
				size = max(size, math.Abs(v))
			}
			for i, x := range e {
				if math.Abs(x) > 100*eps*size {
					t.Errorf("kernel %d is off by %v of %v", i+1, x, size)
				}
			}
		}
	}
}
