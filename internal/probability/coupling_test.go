package probability

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// pairsOf are the pairwise probabilities that agree with p.
func pairsOf(p []float64) []float64 {
	var r []float64
	for i := range p {
		for j := i + 1; j < len(p); j++ {
			r = append(r, p[i]/(p[i]+p[j]))
		}
	}
	return r
}

// solved is the minimum as the solution of the linear equations 21 of Wu, Lin and Weng (2004): Qp + b e = 0, e'p = 1.
func solved(t *testing.T, k int, pairs []float64) []float64 {
	t.Helper()
	a, right := mat.NewDense(k+1, k+1, nil), mat.NewVecDense(k+1, nil)
	at := 0
	for i := range k {
		a.Set(i, k, 1)
		a.Set(k, i, 1)
		for j := i + 1; j < k; j++ {
			r := pairs[at]
			at++
			a.Set(i, i, a.At(i, i)+(1-r)*(1-r))
			a.Set(j, j, a.At(j, j)+r*r)
			a.Set(i, j, -r*(1-r))
			a.Set(j, i, -r*(1-r))
		}
	}
	right.SetVec(k, 1)
	var x mat.VecDense
	if err := x.SolveVec(a, right); err != nil {
		t.Fatal(err)
	}
	return x.RawVector().Data[:k]
}

func TestCouple(t *testing.T) {
	rng := random(t, 4)
	for trial := range 300 {
		k := 2 + trial%12
		truth, sum := make([]float64, k), 0.0
		for i := range truth {
			truth[i] = math.Exp(3 * rng.NormFloat64())
			sum += truth[i]
		}
		for i := range truth {
			truth[i] /= sum
		}
		pairs := pairsOf(truth)
		c, p := NewCoupling(k), make([]float64, k)
		if c.Couple(p, pairs); slices.Min(pairs) > 2*leastPair && slices.Max(pairs) < 1-2*leastPair && distance(p, truth) > 1e-6 {
			t.Errorf("%d classes: %v where pairs agree on %v", k, p, truth)
		}
		for i := range pairs {
			pairs[i] = rng.Float64()
		}
		if trial%3 == 0 {
			pairs[0] = 1e-5
		}
		c.Couple(p, pairs) // in memory that has been used
		if want := solved(t, k, pairs); distance(p, want) > 1e-7 {
			t.Errorf("%d classes: %v, as equations %v", k, p, want)
		}
	}
}

func distance(a, b []float64) float64 {
	d := 0.0
	for i, x := range a {
		d = max(d, math.Abs(x-b[i]))
	}
	return d
}

// Of two classes the pair is the answer; certainty of all pairs is not a fault.
func TestCoupleAtEdges(t *testing.T) {
	c, p := NewCoupling(2), make([]float64, 2)
	if c.Couple(p, []float64{0.3}); math.Abs(p[0]-0.3) > 1e-9 || math.Abs(p[1]-0.7) > 1e-9 {
		t.Errorf("%v of 0.3", p)
	}
	for _, pairs := range [][]float64{{1, 1, 1}, {0, 0, 0}, {1, 0, 1}, {0, 0, 1}, {0.5, 0.5, 0.5}} {
		c, p := NewCoupling(3), make([]float64, 3)
		c.Couple(p, pairs)
		if sum := p[0] + p[1] + p[2]; math.Abs(sum-1) > 1e-12 || slices.Min(p) < 0 {
			t.Errorf("%v of %v", p, pairs)
		}
	}
}

func TestNormalise(t *testing.T) {
	rng := random(t, 5)
	of, f, p := make([]Sigmoid, 4), make([]float64, 4), make([]float64, 4)
	for range 100 {
		sum := 0.0
		for k := range of {
			of[k], f[k] = Sigmoid{-rng.Float64(), rng.NormFloat64()}, 3*rng.NormFloat64()
			sum += of[k].At(f[k])
		}
		Normalise(p, of, f)
		for k := range p {
			if want := of[k].At(f[k]) / sum; math.Abs(p[k]-want) > 1e-14 {
				t.Errorf("%v, want %v", p[k], want)
			}
		}
	}
	// All of them too small for a number: the least unlikely.
	Normalise(p, []Sigmoid{{-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}}, []float64{-2000, -1001, -1000, -3000})
	if want := 1 / (1 + math.Exp(-1)); math.Abs(p[2]-want) > 1e-12 || p[0] != 0 {
		t.Errorf("%v", p)
	}
	Normalise(p, []Sigmoid{{-1e308, 0}, {-1e308, 0}, {-1e308, 1e308}, {-1e308, 0}}, []float64{-1e308, -1e308, -1e308, -1e308})
	if !slices.Equal(p, []float64{0.25, 0.25, 0.25, 0.25}) {
		t.Errorf("%v of sigmoids without end", p)
	}
}
