package surface

import (
	"math"
	"math/rand/v2"
	"testing"
)

// search measures f wherever the search asks, and returns the points and values.
func search(s Search, factors int, f func(x []float64) float64) (points [][]float64, values []float64) {
	for {
		x := s.Next(factors, points, values)
		if x == nil {
			return points, values
		}
		points, values = append(points, x), append(values, f(x))
	}
}

// random returns a generator whose seed is told.
func random(t *testing.T, seed uint64) *rand.Rand {
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// TestKnownQuadratic: after the design one step finds the least point of a convex quadratic, and the
// step after it ends there.
func TestKnownQuadratic(t *testing.T) {
	rng := random(t, 262001)
	for factors := 1; factors <= 11; factors++ {
		least, root := make([]float64, factors), make([][]float64, factors)
		for m := range least {
			least[m] = 0.1 * (2*rng.Float64() - 1)
			root[m] = make([]float64, factors)
			for h := range root[m] {
				root[m][h] = rng.NormFloat64()
			}
			root[m][m] += 4
		}
		points, values := search(Default, factors, func(x []float64) float64 {
			s := 3.0
			for _, row := range root {
				y := 0.0
				for h, c := range row {
					y += c * (x[h] - least[h])
				}
				s += y * y
			}
			return s
		})
		design := (factors + 1) * (factors + 2) / 2
		if len(points) != design+1 {
			t.Fatalf("%d factors: %d points after the design of %d, want 1", factors, len(points)-design, design)
		}
		if best := Best(values); best != design || distance(points[best], least) > 1e-9 {
			t.Errorf("%d factors: point %d is the best, %g from the least point", factors, best,
				distance(points[best], least))
		}
	}
}

// TestDesign compares the design of three kernels, of which one is pinned, with that of the thesis.
func TestDesign(t *testing.T) {
	want := [][]float64{{0, 0}, {0.3, 0}, {-0.3, 0}, {0, 0.3}, {0, -0.3}, {0.3, 0.3}}
	got := Default.Design(2)
	if len(got) != len(want) {
		t.Fatalf("%d points, want %d", len(got), len(want))
	}
	for i := range want {
		if distance(got[i], want[i]) != 0 {
			t.Errorf("point %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// TestFitIsOfLeastNorm: a factor along which nothing was measured has no coefficients, and the fit
// goes through as many points as it can.
func TestFitIsOfLeastNorm(t *testing.T) {
	points := [][]float64{{0, 0}, {0.3, 0}, {-0.3, 0}}
	q := Fit(points, []float64{1, 1 + 0.09 - 0.3, 1 + 0.09 + 0.3}) // 1 - x + x^2
	want := Quadratic{Constant: 1, Linear: []float64{-1, 0}, Hessian: [][]float64{{2, 0}, {0, 0}}}
	if math.Abs(q.Constant-want.Constant) > 1e-12 {
		t.Errorf("constant %g", q.Constant)
	}
	for m := range want.Linear {
		if math.Abs(q.Linear[m]-want.Linear[m]) > 1e-12 {
			t.Errorf("linear coefficient %d is %g", m, q.Linear[m])
		}
		for h := range want.Linear {
			if math.Abs(q.Hessian[m][h]-want.Hessian[m][h]) > 1e-11 {
				t.Errorf("entry %d, %d of H is %g", m, h, q.Hessian[m][h])
			}
		}
	}
}

// TestLeastSquares: of more points than coefficients, the fit is the one whose residuals are
// orthogonal to every monomial.
func TestLeastSquares(t *testing.T) {
	rng := random(t, 262002)
	points := Default.Design(3)
	for range 10 {
		points = append(points, []float64{rng.Float64(), rng.Float64(), rng.Float64()})
	}
	values := make([]float64, len(points))
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	q, row := Fit(points, values), make([]float64, coefficients(3))
	sums := make([]float64, len(row))
	for i, x := range points {
		setMonomials(row, x)
		for j, v := range row {
			sums[j] += v * (values[i] - q.Value(x))
		}
	}
	for j, s := range sums {
		if math.Abs(s) > 1e-10 {
			t.Errorf("the residuals have the product %g with monomial %d", s, j)
		}
	}
}

// TestIndefiniteStaysNear: along a saddle, each step stays within the radius of the best point that
// was measured before it and within the box, and the search ends at its last step at the latest.
func TestIndefiniteStaysNear(t *testing.T) {
	s := Default
	points, values := search(s, 3, func(x []float64) float64 {
		return x[0]*x[0] - x[1]*x[1] + 0.1*x[2]*x[0] + 0.2*x[1]
	})
	design := len(s.Design(3))
	if steps := len(points) - design; steps < 1 || steps > s.MostSteps {
		t.Fatalf("%d steps", steps)
	}
	for k := design; k < len(points); k++ {
		if far := distance(points[k], points[Best(values[:k])]); far > s.Radius+1e-12 {
			t.Errorf("point %d is %g from the best one", k, far)
		}
		for _, v := range points[k] {
			if math.Abs(v) > s.Box {
				t.Errorf("point %d is outside of the box: %v", k, points[k])
			}
		}
	}
	// s falls without end along x_1 < 0. So the least point is at the edge of the box.
	if best := points[Best(values)]; math.Abs(best[1]+1) > 1e-9 {
		t.Errorf("the best point is %v", best)
	}
}

// TestLeastPointOfARegion compares the least point with the least of many points of the region.
func TestLeastPointOfARegion(t *testing.T) {
	rng := random(t, 262003)
	for range 50 {
		q := newQuadratic(2, []float64{0, rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(),
			rng.NormFloat64(), rng.NormFloat64()})
		r := region{[]float64{2*rng.Float64() - 1, 2*rng.Float64() - 1}, 1, 0.6}
		x := q.minimum(r)
		if distance(r.project(x), x) > 1e-12 {
			t.Fatalf("%v is outside of the region around %v", x, r.centre)
		}
		least := math.Inf(1)
		const grid = 200
		for i := range grid {
			for j := range grid {
				y := []float64{2*float64(i)/(grid-1) - 1, 2*float64(j)/(grid-1) - 1}
				if r.contains(y) {
					least = min(least, q.Value(y))
				}
			}
		}
		if q.Value(x) > least+1e-9 {
			t.Errorf("%g at %v, and %g elsewhere in the region", q.Value(x), x, least)
		}
	}
}

// TestFlatStays: values that are all the same end the search at the design.
func TestFlatStays(t *testing.T) {
	points, _ := search(Default, 4, func([]float64) float64 { return 0.25 })
	if len(points) != 15 {
		t.Errorf("%d points, want the 15 of the design", len(points))
	}
}
