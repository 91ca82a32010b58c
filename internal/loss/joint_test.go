package loss

import (
	"math"
	"testing"

	"bigmkl/internal/datasettest"
)

// TestJointCostIsALoss: lin is linear, with the slopes of Slope, and the errors equal the errors of the loss with a cost of 1.
func TestJointCostIsALoss(t *testing.T) {
	rng := datasettest.Random(t, 265)
	y, weight, f, alpha := make([]int8, 40), make([]float64, 40), make([]float64, 40), make([]float64, 40)
	for i := range y {
		y[i] = int8(2*(i%2) - 1)
		weight[i], f[i], alpha[i] = 0.1+rng.Float64(), rng.NormFloat64(), float64(y[i])*rng.Float64()
	}
	squared := NewSquaredHinge(y, [2]float64{1, 2}, weight)
	l := NewJointCost(squared)
	lin, square := 0.0, 0.0
	for i, a := range alpha {
		lin += l.Slope(i, a) * a
		square += l.Identity(i) * a * a
		cost := weight[i]
		if y[i] > 0 {
			cost *= 2
		}
		if math.Abs(l.Identity(i)*cost-1) > 1e-12 || l.Curvature(i) != 0 {
			t.Fatalf("point %d of cost %g: entry %g, curvature %g", i, cost, l.Identity(i), l.Curvature(i))
		}
		low, high := l.Box(i)
		if wantLow, wantHigh := squared.Box(i); low != wantLow || high != wantHigh {
			t.Fatalf("box %d is %g to %g", i, low, high)
		}
	}
	if got := l.Linear(alpha); math.Abs(got-lin) > 1e-12*math.Abs(lin) || math.Abs(got-square/2-squared.Linear(alpha)) > 1e-12 {
		t.Errorf("lin = %.15g, its slopes give %.15g, the loss with a cost %.15g", got, lin, squared.Linear(alpha)+square/2)
	}
	bias, sum := l.Primal(f)
	if wantBias, want := squared.Primal(f); bias != wantBias || sum != want || l.At(f, bias) != want {
		t.Errorf("Primal gives %g, %g", bias, sum)
	}
}
