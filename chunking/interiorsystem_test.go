package chunking

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl/internal/cholesky"
)

// repeated returns the matrix of q points, about half of which occur several times.
func repeated(rng *rand.Rand, q int) []float64 {
	points, h := make([][]float64, q), make([]float64, q*q)
	for i := range points {
		if i > 0 && rng.IntN(2) > 0 {
			points[i] = points[rng.IntN(i)]
			continue
		}
		points[i] = make([]float64, q)
		for k := range points[i] {
			points[i][k] = rng.NormFloat64()
		}
	}
	for i, x := range points {
		for j, y := range points {
			for k := range x {
				h[i*q+j] += x[k] * y[k]
			}
		}
	}
	return h
}

// TestRepeatedPoints: with equal rows merged the interior point and pairs have the same optimum, at the pace of many
// points and of few.
func TestRepeatedPoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for try := range 30 {
		q := 4 + rng.IntN(30)
		h, gradient := repeated(rng, q), make([]float64, q)
		p := &subproblem{coordinates: coordinates{kinked: true}}
		for k := range q {
			gradient[k] = rng.NormFloat64() * 3
			p.low, p.high, p.origin, p.kinks = append(p.low, -1), append(p.high, 1), append(p.origin, 0), append(p.kinks, 0.3)
		}
		want := &subproblem{coordinates: p.coordinates}
		want.solve(gradient, denseHessian(slices.Clone(h), q), 1e-10, 1e-10)
		in := newInterior(p, gradient, slices.Clone(h), 0, &cholesky.Factor{}, cholesky.InTurn)
		if !in.system.merged {
			continue
		}
		if try%2 == 0 {
			in.pace = paceOf(costly, true)
		}
		if !in.solve(1e-9) {
			t.Fatalf("problem %d: not solved", try)
		}
		value := func(x []float64) (v float64) {
			for i := range x {
				v += gradient[i]*x[i] - 0.3*math.Abs(x[i])
				for j := range x {
					v -= x[i] * h[i*q+j] * x[j] / 2
				}
			}
			return v
		}
		if got, best := value(in.round(fixed)), value(want.d); math.Abs(got-best) > 1e-7*(1+math.Abs(best)) {
			t.Errorf("problem %d: the objective is %.12g, pairs reach %.12g", try, got, best)
		}
	}
}

// TestMergedSystem: the merged and the whole matrix have the same products and solutions, and the whole one comes back.
func TestMergedSystem(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	const q = 40
	h := repeated(rng, q)
	s := newInteriorSystem(slices.Clone(h), q, true, &cholesky.Factor{}, cholesky.InTurn)
	if !s.merged || s.h.N >= q {
		t.Fatal("no rows are merged")
	}
	bound, x, right := make([]float64, q), make([]float64, q), make([]float64, q)
	for k := range q {
		bound[k], x[k] = math.Pow(10, float64(rng.IntN(6)-4)), rng.NormFloat64()
		right[k] = bound[k] * x[k]
	}
	s.times(1, x, 1, right)
	for i := range q {
		want := bound[i] * x[i]
		for j := range q {
			want += h[i*q+j] * x[j]
		}
		if math.Abs(right[i]-want) > 1e-10*(1+math.Abs(want)) {
			t.Errorf("product %d is %g, want %g", i, right[i], want)
		}
	}
	if !s.factorise(bound) {
		t.Fatal("not positive definite")
	}
	s.solve(right)
	for k, v := range right {
		if math.Abs(v-x[k]) > 1e-6 {
			t.Errorf("x[%d] is %g, want %g", k, v, x[k])
		}
	}
	if !slices.Equal(s.spread(), h) {
		t.Error("the matrix does not come back")
	}
}
