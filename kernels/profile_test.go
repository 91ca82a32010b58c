package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
	"bigmkl/internal/testlevel"
)

// widths are families of gamma from which profiles are made.
func widths(rng *rand.Rand) map[string][]float64 {
	list := map[string][]float64{
		"2 sigma^2 = 1.2^0 .. 1.2^49": nil,

		"gamma 1e-4 .. 1":      ladder(1e-4, 1, 500),
		"gamma 1e-9 .. 1e8":    ladder(1e-9, 1e8, 18),
		"very wide":            ladder(1e-10, 1e-8, 10),
		"very narrow":          ladder(1e6, 1e8, 10),
		"all alike":            slices.Repeat([]float64{0.3}, 10),
		"constants and others": append(make([]float64, 4), ladder(1e-3, 10, 9)...),
	}
	thesis := make([]float64, 50)
	for i := range thesis {
		thesis[i] = math.Pow(1.2, -float64(i))
	}
	list["2 sigma^2 = 1.2^0 .. 1.2^49"] = thesis
	random := make([]float64, 8+rng.IntN(40))
	for i := range random {
		random[i] = math.Pow(10, -6+12*rng.Float64())
	}
	list["random"] = random
	return list
}

// direct is the sum of kernels at s less that at a typical base, and what a relative change of s by 1
// would add to it.
func direct(gamma, weight []float64, s, typical float64) (value, slope float64) {
	for m, g := range gamma {
		d := math.Exp(-g*typical) * math.Expm1(-g*(s-typical))
		if s < typical {
			d = -math.Exp(-g*s) * math.Expm1(-g*(typical-s))
		}
		value += weight[m] * d
		slope += weight[m] * g * math.Exp(-g*s)
	}
	return value, slope
}

// TestProfile compares profiles with sums over the kernels, on bases from 0 to the largest numbers and
// for weights between which there are many powers of 10.
func TestProfile(t *testing.T) {
	t.Parallel()
	t.Run("float32", func(t *testing.T) { testProfile[float32](t, 0x1p-23, profileSingle) })
	t.Run("float64", func(t *testing.T) { testProfile[float64](t, 0x1p-52, profileDouble) })
}

func testProfile[T simd.Real](t *testing.T, eps, allowed float64) {
	rng := random(t, 11)
	p := points(rng, 10, 3)
	kinds := []kernelspec.Kind{kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare}
	round := 0
	for name, gamma := range widths(rng) {
		for _, typical := range []float64{0, 1e-3, 1, 200, 1e5} {
			for _, decades := range []float64{0, 3, 20} {
				g := &newBank(t, exponentials(kinds[round%3], gamma), p.survey(t), false).Groups[0]
				round++
				weight := make([]float64, len(gamma))
				for m := range weight {
					weight[m] = math.Pow(10, -decades*rng.Float64())
				}
				f, err := NewProfile[T](t.Context(), g, weight, typical, 1)
				if err != nil {
					t.Fatal(err)
				}
				if f == nil {
					// Only kernels that are all far wider than the points have none.
					if high := slices.Max(gamma); !(high*typical > 0 && high*typical < 0x1p-30) {
						t.Errorf("%s, typical base %g: no profile", name, typical)
					}
					continue
				}
				bytes, most := int64(len(f.pieces.Coef))*int64(4<<precision[T]()), ProfileBytes[T](g)
				if bytes > most {
					t.Errorf("%s, typical base %g: %d bytes, counted as %d", name, typical, bytes, most)
				}
				typical := typical
				if typical == 0 {
					typical = 1 / slices.Max(gamma)
				}
				constant := 0.0
				for m, w := range weight {
					constant += w * math.Exp(-gamma[m]*typical)
				}
				if math.Abs(f.Constant-constant) > 1e-14*constant {
					t.Errorf("%s: constant %v, want %v", name, f.Constant, constant)
				}
				change, _ := direct(gamma, weight, 0, typical)
				base := []T{0, T(typical), f.pieces.Shift, T(math.MaxFloat32 / 2)}
				low, high := math.Log10(float64(f.pieces.Shift))-3, math.Log10(float64(f.pieces.Shift))+float64(f.pieces.Octaves)*0.302
				for range testlevel.Repeats(400, 800) {
					base = append(base, T(math.Pow(10, low+(high-low)*rng.Float64())))
				}
				got := make([]T, len(base))
				f.Evaluate(got, base)
				worst := 0.0
				for i, s := range base {
					want, slope := direct(gamma, weight, float64(s), typical)
					size := change + change - want
					// The base with its shift is rounded.
					bound := allowed*size + 3*eps*max(math.Abs(want), change) + eps*slope*float64(s+f.pieces.Shift)
					off := math.Abs(float64(got[i]) - want)
					if !(off <= bound) {
						t.Fatalf("%s, typical base %g: %v at %v, want %v", name, typical, got[i], s, want)
					}
					worst = max(worst, off/size)
				}
				if typical == 200 && decades == 0 {
					t.Logf("%s: %d octaves, largest error %.2g", name, f.pieces.Octaves, worst)
				}
			}
		}
	}
}

// TestNoProfile: few kernels, weights that are not numbers and kernels that are something else have no
// profile, and constants none by themselves.
func TestNoProfile(t *testing.T) {
	t.Parallel()
	p := points(random(t, 12), 10, 3)
	ones := slices.Repeat([]float64{1}, 8)
	with := func(x float64) []float64 { return append([]float64{x}, ones[1:]...) }
	for name, c := range map[string]struct {
		kind   kernelspec.Kind
		gamma  []float64
		weight []float64
		most   int
	}{
		"few":              {kernelspec.Gauss, ladder(1e-3, 1, 7), ones[1:], 0},
		"few with weights": {kernelspec.Gauss, ladder(1e-3, 1, 8), with(0), 1},
		"negative":         {kernelspec.Gauss, ladder(1e-3, 1, 8), with(-1), 1},
		"infinite":         {kernelspec.Gauss, ladder(1e-3, 1, 8), with(math.Inf(1)), 1},
		"no number":        {kernelspec.Gauss, ladder(1e-3, 1, 8), with(math.NaN()), 1},
		"constants":        {kernelspec.Gauss, make([]float64, 8), ones, 0},
		"far apart":        {kernelspec.Gauss, ladder(1e-280, 1e280, 8), ones, 1},
		"polynomials":      {kernelspec.Poly, ones, ones, 0},
	} {
		list := exponentials(c.kind, c.gamma)
		for i := range list.Kernels {
			list.Kernels[i].Degree = 2
		}
		g := &newBank(t, list, p.survey(t), false).Groups[0]
		f, err := NewProfile[float64](t.Context(), g, c.weight, 1, 2)
		if f != nil || err != nil {
			t.Errorf("%s: %v, %v", name, f, err)
		}
		if bytes := ProfileBytes[float64](g); (bytes > 0) != (c.most > 0) {
			t.Errorf("%s: counted as %d bytes", name, bytes)
		}
	}
}

// TestProfileOfThreads: the coefficients equal the coefficients from one thread.
func TestProfileOfThreads(t *testing.T) {
	t.Parallel()
	rng := random(t, 13)
	g := &newBank(t, exponentials(kernelspec.Gauss, ladder(1e-4, 1, 300)), points(rng, 10, 3).survey(t), false).Groups[0]
	weight := make([]float64, 300)
	for m := range weight {
		weight[m] = rng.Float64()
	}
	one, err := NewProfile[float64](t.Context(), g, weight, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	three, err := NewProfile[float64](t.Context(), g, weight, 2, 3)
	if err != nil || !slices.Equal(one.pieces.Coef, three.pieces.Coef) {
		t.Errorf("other coefficients of three threads, %v", err)
	}
}

// TestTypicalBase: the median distance of points on a line that all lie far from 0.
func TestTypicalBase(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 3, 63, 64, 65, 1000} {
		set := &Set{Dim: 1}
		for i := range n {
			set.IDs = append(set.IDs, int32(i))
			set.Dense = append(set.Dense, 7+float32(i)/float32(n))
		}
		b := newBank(t, exponentials(kernelspec.Laplace, []float64{1}), SurveySet(set, make([]float32, 1)), false)
		got := NewEvaluator[float64](b).TypicalBase(&b.Groups[0], set)
		// Half of the distances between uniform numbers are above 1 - sqrt(1/2).
		if n < 2 && got != 0 || n == 2 && got != 0.5 || n > 60 && math.Abs(got-0.293) > 0.03 {
			t.Errorf("%d points: typical base %v", n, got)
		}
	}
}

// BenchmarkNewProfile takes the time of profiles of 10,000 kernels.
func BenchmarkNewProfile(b *testing.B) {
	g := &newBank(b, exponentials(kernelspec.Gauss, ladder(1e-4, 1, 10000)), points(random(b, 14), 10, 3).survey(b), false).Groups[0]
	weight := slices.Repeat([]float64{1}, 10000)
	for b.Loop() {
		if f, err := NewProfile[float32](b.Context(), g, weight, 100, 1); f == nil || err != nil {
			b.Fatal(err)
		}
	}
}
