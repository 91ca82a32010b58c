package probability

import (
	"math"
	"math/rand/v2"
	"testing"
)

func random(t *testing.T, seed uint64) *rand.Rand {
	t.Helper()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0x706c617474)) // "platt"
}

// likelihood is what Fit minimises, in the words of Platt (1999).
func likelihood(s Sigmoid, f []float64, positive []bool) float64 {
	count := [2]float64{}
	for _, y := range positive {
		if y {
			count[1]++
		} else {
			count[0]++
		}
	}
	sum := 0.0
	for i, x := range f {
		t := 1 / (count[0] + 2)
		if positive[i] {
			t = (count[1] + 1) / (count[1] + 2)
		}
		z := s.A*x + s.B
		sum += t*math.Log1p(math.Exp(z)) + (1-t)*math.Log1p(math.Exp(-z))
	}
	return sum
}

// searched is the minimum by nested searches over A <= 0 and B, which do not use derivatives.
func searched(f []float64, positive []bool, scale float64) Sigmoid {
	golden := func(low, high float64, value func(float64) float64) float64 {
		r := (math.Sqrt(5) - 1) / 2
		a, b := high-r*(high-low), low+r*(high-low)
		va, vb := value(a), value(b)
		for range 90 {
			if va < vb {
				high, b, vb = b, a, va
				a = high - r*(high-low)
				va = value(a)
			} else {
				low, a, va = a, b, vb
				b = low + r*(high-low)
				vb = value(b)
			}
		}
		return (low + high) / 2
	}
	best := func(a float64) float64 {
		return golden(-60, 60, func(b float64) float64 { return likelihood(Sigmoid{a, b}, f, positive) })
	}
	a := golden(-60/scale, 0, func(a float64) float64 { return likelihood(Sigmoid{a, best(a)}, f, positive) })
	return Sigmoid{a, best(a)}
}

// draw gives decision values of n rows whose classes follow a sigmoid.
func draw(rng *rand.Rand, n int, s Sigmoid, scale float64) (f []float64, positive []bool) {
	for range n {
		x := scale * rng.NormFloat64()
		f, positive = append(f, x), append(positive, rng.Float64() < s.At(x))
	}
	return
}

func TestFitIsTheMinimum(t *testing.T) {
	rng := random(t, 1)
	for trial := range 28 {
		scale := math.Pow(10, float64(trial%7-3))
		f, positive := draw(rng, 5+rng.IntN(80), Sigmoid{(rng.Float64()*5 - 4) / scale, rng.NormFloat64()}, scale)
		got, want := Fit(f, positive), searched(f, positive, scale)
		if v, w := likelihood(got, f, positive), likelihood(want, f, positive); !got.Valid() || v > w+1e-11*w {
			t.Errorf("%d values to %g: %v with %v, searched %v with %v", len(f), scale, got, v, want, w)
		}
		if d := math.Abs(got.A-want.A) * scale; d > 1e-4*(1+math.Abs(want.A)*scale) {
			t.Errorf("%d values to %g: %v, searched %v", len(f), scale, got, want)
		}
	}
}

// At the optimum the probabilities have the mean of the targets.
func TestFitAtEdges(t *testing.T) {
	rng := random(t, 2)
	split := func(n, positives int, at func(i int, positive bool) float64) (f []float64, positive []bool) {
		for i := range n {
			positive = append(positive, i < positives)
			f = append(f, at(i, i < positives))
		}
		return
	}
	side := func(_ int, p bool) float64 {
		if p {
			return 1 + rng.Float64()
		}
		return -1 - rng.Float64()
	}
	for name, c := range map[string]struct {
		n, positives int
		at           func(i int, positive bool) float64
		flat         bool
	}{
		"separable":     {200, 90, side, false},
		"far apart":     {100, 50, func(i int, p bool) float64 { return 1e6 * side(i, p) }, false},
		"two values":    {10, 4, func(_ int, p bool) float64 { return map[bool]float64{true: 1, false: -1}[p] }, false},
		"one positive":  {1000, 1, side, false},
		"one negative":  {1000, 999, side, false},
		"tiny values":   {100, 30, func(i int, p bool) float64 { return 1e-200 * side(i, p) }, false},
		"large values":  {100, 30, func(i int, p bool) float64 { return 1e200 * side(i, p) }, false},
		"no spread":     {100, 30, func(int, bool) float64 { return -0.7 }, true},
		"zeros":         {100, 30, func(int, bool) float64 { return 0 }, true},
		"rounding":      {100, 30, func(i int, _ bool) float64 { return 1 + 1e-16*float64(i) }, true},
		"wrong way":     {200, 90, func(i int, p bool) float64 { return -side(i, p) }, true},
		"all positive":  {20, 20, func(int, bool) float64 { return rng.NormFloat64() }, false},
		"all negative":  {20, 0, func(int, bool) float64 { return rng.NormFloat64() }, false},
		"one value":     {1, 1, func(int, bool) float64 { return 3 }, true},
		"from far away": {100, 50, func(i int, p bool) float64 { return 1e8 + side(i, p) }, false},
	} {
		f, positive := split(c.n, c.positives, c.at)
		s := Fit(f, positive)
		if !s.Valid() {
			t.Errorf("%s: %v", name, s)
			continue
		}
		if c.flat != (s.A == 0) && c.positives > 0 && c.positives < c.n {
			t.Errorf("%s: %v", name, s)
		}
		mean, want := 0.0, float64(c.positives)/float64(c.n)*(float64(c.positives)+1)/(float64(c.positives)+2)+float64(c.n-c.positives)/float64(c.n)/(float64(c.n-c.positives)+2)
		for _, x := range f {
			mean += s.At(x) / float64(c.n)
		}
		if math.Abs(mean-want) > 1e-6 {
			t.Errorf("%s: %v has a mean of %v, the targets one of %v", name, s, mean, want)
		}
	}
}

// A sigmoid that data were drawn from is found again, and its unit does not matter.
func TestFitFindsTheTruth(t *testing.T) {
	rng := random(t, 3)
	truth := Sigmoid{-1.7, 0.4}
	f, positive := draw(rng, 200_000, truth, 1)
	s := Fit(f, positive)
	if math.Abs(s.A-truth.A) > 0.03 || math.Abs(s.B-truth.B) > 0.03 {
		t.Errorf("%v from data of %v", s, truth)
	}
	for _, unit := range []float64{0x1p-40, 0x1p30} {
		g := make([]float64, len(f))
		for i, x := range f {
			g[i] = x * unit
		}
		if r := Fit(g, positive); r.A*unit != s.A || r.B != s.B {
			t.Errorf("%v in units of %g, %v in others", s, unit, r)
		}
	}
}

func TestAt(t *testing.T) {
	for _, s := range []Sigmoid{{-1, 0}, {-1e300, 1e300}, {0, 0.3}, {-0.5, -700}} {
		last := 0.0
		for f := -1e3; f <= 1e3; f += 0.5 {
			p, q := s.At(f), Sigmoid{-s.A, -s.B}.At(f)
			if !(p >= last && p <= 1) || math.Abs(p+q-1) > 1e-15 {
				t.Fatalf("%v at %v: %v and %v after %v", s, f, p, q, last)
			}
			last = p
		}
	}
	for _, s := range []Sigmoid{{math.NaN(), 0}, {0, math.NaN()}, {math.Inf(-1), 0}, {-1, math.Inf(1)}, {1, 0}} {
		if s.Valid() {
			t.Errorf("%v is valid", s)
		}
	}
}
