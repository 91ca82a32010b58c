package loss_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bigmkl/chunking"
	"bigmkl/internal/loss"
)

// smoothedOf lists losses with kinks, of targets y.
func smoothedOf(y, weight []float64) map[string]chunking.Loss {
	return map[string]chunking.Loss{
		"hinge":     loss.NewHinge(signs(y), [2]float64{0.7, 1.4}, weight),
		"tube":      loss.NewInsensitive(y, 0.7, weight, 0.3),
		"one class": loss.NewOneClass(len(y), 0.3, nil),
	}
}

// highest is the largest value of lin(a) - r/2 a^2 - a f over the box of point i, by a search.
func highest(l chunking.Separable, i int, ridge, f float64) float64 {
	kink := 0.0
	if k, ok := l.(chunking.Kinked); ok {
		kink = k.Kink(i)
	}
	value := func(a float64) float64 {
		return a*(l.Slope(i, 0)-f) - kink*math.Abs(a) - ridge/2*a*a
	}
	low, high := l.Box(i)
	for range 200 {
		a, b := low+(high-low)/3, high-(high-low)/3
		if value(a) < value(b) {
			low = a
		} else {
			high = b
		}
	}
	return value((low + high) / 2)
}

// TestSmoothed: a smoothed loss is the conjugate of lin with its ridge, lies below the loss by r/2 C_i^2 a point at most, and has its best
// bias.
func TestSmoothed(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 37))
		n := 2 + rng.IntN(30)
		y, f, weight := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range y {
			y[i], f[i], weight[i] = rng.NormFloat64(), rng.NormFloat64(), 0.2+rng.Float64()
		}
		ridge := math.Pow(10, -3*rng.Float64())
		for name, sharp := range smoothedOf(y, weight) {
			l := loss.Smooth(sharp, ridge)
			total := 0.0
			if s, ok := sharp.(chunking.Summed); ok {
				total = s.Sum()
			}
			if own := l.(chunking.Summed).Sum(); own != total {
				t.Errorf("%s: the dual variables sum to %g and not to %g", name, own, total)
			}
			bias, sum := l.Primal(f)
			want, most := total*bias, 0.0
			for i := range f {
				want += highest(sharp.(chunking.Separable), i, ridge, f[i]+bias)
				low, high := sharp.Box(i)
				most += ridge / 2 * max(low*low, high*high)
			}
			if !(math.Abs(sum-want) <= 1e-9*(1+math.Abs(want))) {
				t.Errorf("seed %d, %s: the loss is %.12g, by a search %.12g", seed, name, sum, want)
			}
			if of := sharp.At(f, bias); !(sum <= of+1e-12*(1+math.Abs(of))) || !(sum >= of-most-1e-12*(1+math.Abs(of))) {
				t.Errorf("seed %d, %s: the loss is %.12g, the smoothed one %.12g, %.3g below at most", seed, name, of, sum, most)
			}
			for range 100 {
				if other := bias + rng.NormFloat64()*math.Pow(10, -5*rng.Float64()); l.At(f, other) < sum-1e-12*(1+math.Abs(sum)) {
					t.Fatalf("seed %d, %s: bias %g is better than %g", seed, name, other, bias)
				}
			}
			// lin and its slope: differences of lin, away from the kink at 0.
			alpha := make([]float64, n)
			for i := range alpha {
				low, high := sharp.Box(i)
				alpha[i] = low + (high-low)*(0.1+0.3*rng.Float64())
			}
			const h = 1e-6
			at := rng.IntN(n)
			slope := l.(chunking.Separable).Slope(at, alpha[at])
			if k, ok := sharp.(chunking.Kinked); ok {
				slope -= math.Copysign(k.Kink(at), alpha[at])
			}
			before := l.Linear(alpha)
			alpha[at] += h
			if difference := (l.Linear(alpha) - before) / h; !(math.Abs(difference-slope) <= 1e-5*(1+ridge)) {
				t.Errorf("seed %d, %s: lin has the slope %.9g, the difference is %.9g", seed, name, slope, difference)
			}
		}
	}
}

// TestSmoothLeaves: what is curved already, and a ridge of 0, change nothing, and Sharp gives back what was smoothed.
func TestSmoothLeaves(t *testing.T) {
	t.Parallel()
	y := []float64{1, -1, 2}
	for name, sharp := range smoothedOf(y, nil) {
		if loss.Smooth(sharp, 0) != sharp || loss.Sharp(sharp) != sharp || loss.Sharp(loss.Smooth(sharp, 1)) != sharp {
			t.Errorf("%s: another loss", name)
		}
	}
	for _, task := range []string{"least squares", "squared hinge"} {
		if l := taskLoss(task, y, nil, 1); loss.Smooth(l, 1) != l {
			t.Errorf("%s is smoothed", task)
		}
	}
}
