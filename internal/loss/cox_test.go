package loss_test

import (
	"math"
	"slices"
	"testing"

	"bigmkl/internal/loss"
	"bigmkl/internal/toy"
)

// coxTimes draws times of which some are censored, with ties and rows that are censored before any event.
func coxTimes(t *testing.T, seed uint64, n int, ties bool) (times, f []float64) {
	rng := toy.Random(t, seed)
	times, f = make([]float64, n), make([]float64, n)
	for i := range times {
		times[i] = 1 + 5*rng.Float64()
		if ties {
			times[i] = math.Ceil(3 * rng.Float64() * rng.Float64() * 3)
		}
		if rng.Float64() < 0.4 {
			times[i] = -times[i]
		}
		f[i] = 2 * rng.NormFloat64()
	}
	times[0], times[1] = 2, -0.5
	return times, f
}

// partial is the negative logarithm of the partial likelihood by its definition, with weights of the rows and ties after Efron.
func partial(times, w, f []float64) (total float64) {
	seen := map[float64]bool{}
	for _, t := range times {
		if t <= 0 || seen[t] {
			continue
		}
		seen[t] = true
		risk, dying, weights, deaths := 0.0, 0.0, 0.0, 0
		for j, other := range times {
			if math.Abs(other) >= t {
				risk += w[j] * math.Exp(f[j])
			}
			if other == t {
				dying += w[j] * math.Exp(f[j])
				deaths++
				weights += w[j]
				total -= w[j] * f[j]
			}
		}
		for l := range deaths {
			total += weights / float64(deaths) * math.Log(risk-float64(l)/float64(deaths)*dying)
		}
	}
	return total
}

// TestCox: the loss is the partial likelihood of its definition, Respond and Curvature are its derivatives, and lin with its
// slopes is the conjugate: Fenchel's inequality is an equality where alpha responds to f.
func TestCox(t *testing.T) {
	const cost = 0.7
	for seed := range uint64(20) {
		for _, ties := range []bool{false, true} {
			n := 2 + int(seed)*2
			times, f := coxTimes(t, seed, n, ties)
			w := slices.Repeat([]float64{1}, n)
			l := loss.NewCox(times, cost, nil)
			if seed%2 == 1 {
				for i, rng := 0, toy.Random(t, seed+200); i < n; i++ {
					w[i] = math.Exp(2 * rng.NormFloat64())
				}
				l = loss.NewCox(times, cost, w)
			}
			size := max(1, slices.Max(w)) // of what rounding is a share
			want := cost * partial(times, w, f)
			if got := l.At(f, 3); !toy.Near(got, want, 1e-12) {
				t.Fatalf("seed %d, ties %v: the loss is %.15g, by its definition %.15g", seed, ties, got, want)
			}
			alpha, slopes := make([]float64, n), make([]float64, n)
			l.Respond(f, alpha)
			sum := 0.0
			for i, a := range alpha {
				const h = 1e-5
				g := append([]float64{}, f...)
				g[i] += h
				up := partial(times, w, g)
				g[i] -= 2 * h
				if numeric := -cost * (up - partial(times, w, g)) / (2 * h); math.Abs(numeric-a) > 1e-8*size {
					t.Fatalf("seed %d, ties %v: alpha[%d] = %.12g, by differences %.12g", seed, ties, i, a, numeric)
				}
				if low, high := l.Box(i); !(a >= low && a <= high) {
					t.Errorf("alpha[%d] = %g outside of its box", i, a)
				}
				sum += a
			}
			if math.Abs(sum) > 1e-12*size {
				t.Errorf("seed %d: alpha sums to %g", seed, sum)
			}
			// lin at the response, and below at others: lin(alpha) = min_u alpha'u + L(u).
			lin := l.Linear(alpha)
			at := func(u []float64) float64 {
				s := l.At(u, 0)
				for i, a := range alpha {
					s += a * u[i]
				}
				return s
			}
			if !toy.Near(lin, at(f), 1e-11) {
				t.Fatalf("seed %d, ties %v: lin is %.15g, Fenchel's equality has %.15g", seed, ties, lin, at(f))
			}
			if !l.Slopes(alpha, slopes) {
				t.Fatalf("seed %d: a response outside of the domain", seed)
			}
			shift := slopes[0] - f[0]
			for i, u := range slopes {
				if alpha[i] != 0 && math.Abs(u-f[i]-shift) > 1e-8 {
					t.Fatalf("seed %d, ties %v: slope[%d] = %.12g and %.12g, where the others differ by %.12g", seed, ties, i, u, f[i], shift)
				}
			}
			// W by differences of the response.
			z, wz, other := make([]float64, n), make([]float64, n), make([]float64, n)
			rng := toy.Random(t, seed+100)
			const h = 1e-5
			moved := make([]float64, n)
			for i := range z {
				z[i] = rng.NormFloat64()
				moved[i] = f[i] + h*z[i]
			}
			l.Curvature(f)(z, wz)
			l.Respond(moved, other)
			for i := range z {
				moved[i] = f[i] - h*z[i]
			}
			back := make([]float64, n)
			l.Respond(moved, back)
			for i, w := range wz {
				if numeric := -(other[i] - back[i]) / (2 * h); math.Abs(numeric-w) > 1e-8*size {
					t.Fatalf("seed %d, ties %v: (Wz)[%d] = %.12g, by differences %.12g", seed, ties, i, w, numeric)
				}
			}
			// The end of the domain: inside just before it, outside behind it.
			d := make([]float64, n)
			for i := range d {
				d[i] = other[i] - alpha[i]
			}
			reach := l.Reach(alpha, d)
			if math.IsInf(reach, 1) {
				continue
			}
			for _, share := range []float64{1 - 1e-6, 1 + 1e-3} {
				for i, a := range alpha {
					moved[i] = a + share*reach*d[i]
				}
				if inside := l.Slopes(moved, slopes); inside != (share < 1) {
					t.Errorf("seed %d, ties %v: a step of %g of the reach is inside: %v", seed, ties, share, inside)
				}
			}
		}
	}
}

// TestCoxFar: values that no exponential holds overflow nothing.
func TestCoxFar(t *testing.T) {
	times, f := coxTimes(t, 3, 50, true)
	l := loss.NewCox(times, 1, nil)
	for i := range f {
		f[i] *= 1000
	}
	alpha, slopes, wz := make([]float64, len(f)), make([]float64, len(f)), make([]float64, len(f))
	l.Respond(f, alpha)
	l.Slopes(alpha, slopes)
	l.Curvature(f)(slopes, wz)
	for i := range f {
		if s := alpha[i] + slopes[i] + wz[i]; math.IsNaN(s) || math.IsInf(s, 0) {
			t.Fatalf("row %d: %g, %g, %g", i, alpha[i], slopes[i], wz[i])
		}
	}
	if x := l.At(f, 0) + l.Linear(alpha); math.IsNaN(x) || math.IsInf(x, 0) {
		t.Errorf("the loss or lin is no number: %g, %g", l.At(f, 0), l.Linear(alpha))
	}
}
