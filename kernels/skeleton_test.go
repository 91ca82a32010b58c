package kernels

import (
	"math"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/testlevel"
)

// ladder is count values from low to high, each the same multiple of the one before.
func ladder(low, high float64, count int) []float64 {
	list := make([]float64, count)
	for i := range list {
		list[i] = low * math.Pow(high/low, float64(i)/float64(count-1))
	}
	return list
}

// exponentials is a bank of exponential kernels over all features, of the given widths.
func exponentials(kind kernelspec.Kind, gamma []float64) *kernelspec.Bank {
	b := &kernelspec.Bank{}
	for _, g := range gamma {
		b.Kernels = append(b.Kernels,
			kernelspec.Kernel{Kind: kind, Gamma: g, Set: kernelspec.AllFeatures})
	}
	return b
}

// TestSkeleton: every kernel of a family of widths is a sum of a few of them, to the digits of the
// arithmetic, on bases that the skeleton was not chosen on. So it is where the wide ones are
// marked.
func TestSkeleton(t *testing.T) {
	t.Parallel()
	rng := random(t, 5)
	thesis := make([]float64, 50)
	for i := range thesis {
		thesis[i] = math.Pow(1.2, -float64(i))
	}
	p := points(rng, 10, 3)
	for _, c := range []struct {
		name  string
		gamma []float64
		reach float64
		most  [2]int // kept in single and in double precision; 0: no skeleton
	}{
		{"2 sigma^2 = 1.2^0 .. 1.2^49", thesis, 250, [2]int{26, 32}},
		{"gamma 2^-20 .. 1", ladder(math.Exp2(-20), 1, 1000), 250, [2]int{26, 40}},
		{"gamma 1e-4 .. 1", ladder(1e-4, 1, 2000), 250, [2]int{26, 40}},
		{"gamma 1e-8 .. 1e8", ladder(1e-8, 1e8, 400), 10, [2]int{140, 200}},
		{"few", ladder(1e-3, 10, 7), 250, [2]int{}},
		{"far apart", ladder(1e-8, 1e8, 20), 10, [2]int{}},
		{"all alike", ladder(0.5, 0.5, 40), 10, [2]int{1, 1}},
		{"no distances", ladder(1e-3, 10, 50), 0, [2]int{}},
	} {
		for i, kind := range []kernelspec.Kind{kernelspec.Gauss, kernelspec.Laplace} {
			b := newBank(t, exponentials(kind, c.gamma), p.survey(t), false)
			if i > 0 {
				b.FindWide([]float64{c.reach})
			}
			both, err := NewSkeletons(t.Context(), b, []float64{c.reach}, 1)
			if err != nil {
				t.Fatal(err)
			}
			for at, double := range []bool{false, true} {
				s := both[at]
				if c.most[at] == 0 || s == nil {
					if s != nil || c.most[at] > 0 {
						t.Errorf("%s, double %t: a skeleton %v, want at most %d", c.name, double, s != nil, c.most[at])
					}
					continue
				}
				t.Logf("%s, double %t, wide %t: %d of %d", c.name, double, i > 0, s.Kept.Len(), b.Len())
				if s.Kept.Len() > c.most[at] {
					t.Errorf("%s, double %t: %d kernels, want %d at most", c.name, double, s.Kept.Len(), c.most[at])
				}
				exact := exactSingle
				if double {
					exact = exactDouble
				}
				kept, all := make([]float64, s.Kept.Len()), make([]float64, b.Len())
				for range 300 {
					base := c.reach * math.Pow(rng.Float64(), 1+6*rng.Float64())
					for r := range s.Kept.Groups[0].Members {
						kept[r] = math.Expm1(-s.Kept.Groups[0].Members[r].Gamma * base)
					}
					// The constants belong to kernels that are 1 at 0, or less if they are wide.
					s.Raise(all, kept, 0)
					for m, gamma := range c.gamma {
						want := math.Expm1(-gamma * base)
						if off := math.Abs(all[m] - want); off > 2*exact*s.spans[0].deviation[m] {
							t.Fatalf("%s, double %t: kernel %d at %g is off by %.2g of its deviation", c.name, double, m+1, base, off/s.spans[0].deviation[m])
						}
					}
				}
				for r := range kept {
					kept[r] = s.Kept.Groups[0].Members[r].atZero()
				}
				s.Raise(all, kept, 1)
				for m, v := range all {
					if want := b.Groups[0].Members[m].atZero(); math.Abs(v-want) > 1e-12*want {
						t.Fatalf("%s, double %t: kernel %d is %v at 0", c.name, double, m+1, v)
					}
				}
			}
		}
	}
}

// TestSkeletonOfMany: weights that are lowered give the sum that values that are raised give, and
// forms follow from the coefficients. Groups without a skeleton keep their kernels.
func TestSkeletonOfMany(t *testing.T) {
	t.Parallel()
	rng := random(t, 6)
	p := points(rng, 10, 3)
	list := allKinds([]int32{0, 2})
	list.Kernels = append(list.Kernels, exponentials(kernelspec.Gauss, ladder(1e-3, 1, 300)).Kernels...)
	b := newBank(t, list, p.survey(t), false)
	b.Scale = make([]float64, b.Len())
	for i := range b.Scale {
		b.Scale[i] = rng.Float64() * float64(i%7)
	}
	reach, err := b.Reaches(t.Context(), p, 2)
	if err != nil {
		t.Fatal(err)
	}
	both, err := NewSkeletons(t.Context(), b, reach, 2)
	if err != nil || both[0] == nil {
		t.Fatalf("no skeleton, %v", err)
	}
	s := both[0].Normalised()
	n := s.Kept.Len()
	if n >= b.Len() {
		t.Errorf("%d of %d kernels are kept", n, b.Len())
	}
	weight, value := make([]float64, b.Len()), make([]float64, n)
	low, high := make([]float64, n), make([]float64, b.Len())
	for range 20 {
		for i := range weight {
			weight[i] = rng.NormFloat64()
		}
		for i := range value {
			value[i] = rng.NormFloat64()
		}
		s.Lower(low, weight)
		s.Raise(high, value, 0)
		a, c, square := 0.0, 0.0, 0.0
		for i, x := range low {
			a += x * value[i]
		}
		for i, x := range high {
			c += x * weight[i]
			square += weight[i] * x * x
		}
		form := 0.0
		s.Forms(weight, func(first, count int, f, diagonal []float64) {
			for r := range count {
				if f == nil {
					form += diagonal[r] * value[first+r] * value[first+r]
					continue
				}
				for k := range count {
					form += f[r*count+k] * value[first+r] * value[first+k]
				}
			}
		})
		if math.Abs(a-c) > 1e-9*(1+math.Abs(a)) || math.Abs(form-square) > 1e-9*(1+math.Abs(form)) {
			t.Errorf("sums %v and %v, forms %v and %v", a, c, form, square)
		}
	}
}

// TestNormalizeBySkeleton: the kernels that a skeleton keeps give the scales of all, and their
// standard errors where a sample of the points represents all; where the distances of the data are
// far below the largest they do not, and all kernels are summed.
func TestNormalizeBySkeleton(t *testing.T) {
	t.Parallel()
	rng := random(t, 7)
	far := points(rng, 301, 3)
	far.x[300] = []float32{1e3, 1e3, 1e3}
	for name, c := range map[string]struct {
		p         *table
		low, high float64
	}{
		"all pairs":  {points(rng, 301, 3), 1e-4, 30},
		"a sample":   {points(rng, exactPairs+1, 3), 1e-4, 30},
		"an outlier": {far, 1e-6, 1e-3},
	} {
		if !testlevel.Tried(t, name, 2, 1) {
			continue
		}
		p := c.p
		list := exponentials(kernelspec.Laplace, []float64{0.3, 2})
		list.Kernels = append(list.Kernels,
			exponentials(kernelspec.Gauss, append(ladder(c.low, c.high, 120), c.low)).Kernels...)
		shape := p.survey(t)
		b := newBank(t, list, shape, false)
		reach, err := b.Reaches(t.Context(), p, 2)
		if err != nil {
			t.Fatal(err)
		}
		want, err := b.normalize(t.Context(), p, shape, nil, true, 2, 1, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for _, wide := range []bool{false, true} {
			if wide {
				b.FindWide(reach)
			}
			s, err := NewSkeletons(t.Context(), b, reach, 2)
			if err != nil || s[1] == nil {
				t.Fatalf("%s: no skeleton, %v", name, err)
			}
			got, err := b.normalize(t.Context(), p, shape, s[1], true, 2, 1, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for m, x := range want.Scale {
				if !(math.Abs(got.Scale[m]-x) <= 1e-8*x) {
					t.Errorf("%s: scale of kernel %d is %v, want %v", name, m+1, got.Scale[m], x)
				}
				if want.SampleSize > 0 && !(math.Abs(got.StandardError[m]-want.StandardError[m]) <= 1e-6*want.StandardError[m]) {
					t.Errorf("%s: standard error of kernel %d is %v, want %v", name, m+1, got.StandardError[m], want.StandardError[m])
				}
			}
		}
	}
}
