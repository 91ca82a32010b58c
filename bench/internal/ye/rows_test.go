package ye

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl/internal/discriminant"
)

// TestDiscriminantRows: rows of two classes that are apart are told apart by nearest means, whatever the numbers of the classes; kernels have a trace
// of n once they are centred; rows are drawn from the first classes alone.
func TestDiscriminantRows(t *testing.T) {
	const seed = 7
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	d := &scaledRows{count: 3}
	for i := range 90 {
		c := i % 3
		d.features = append(d.features, []float64{0.4*float64(c) + 0.05*rng.NormFloat64(), rng.Float64()})
		d.classes, d.labels = append(d.classes, int32(2-c)), append(d.labels, string(rune('a'+c)))
	}
	train, test := make([]int, 60), make([]int, 30)
	for i := range 90 {
		if i < 60 {
			train[i] = i
		} else {
			test[i-60] = i
		}
	}
	p := d.problem(train)
	for m, k := range p.Kernels {
		trace, sum := 0.0, 0.0
		for i := range train {
			trace += k.At(i, i)
			for j := range train {
				sum += k.At(i, j)
			}
		}
		if n := float64(len(train)); math.Abs(trace-sum/n-n) > 1e-9*n {
			t.Errorf("kernel %d has a centred trace of %g", m, trace-sum/n)
		}
	}
	p.Lambda, p.Gap = 1e-2, 1e-3
	s, err := discriminant.Solve(context.Background(), discriminant.CPMWrapper, p)
	if err != nil || s.Gap > p.Gap {
		t.Fatal(err, s)
	}
	if a := d.testMeans(s, p, train, test); a != 100 {
		t.Errorf("%g %% of rows that are apart", a)
	}
	drawn := d.draw(2, 20, rng)
	if len(drawn.labels) != 40 || slices.Contains(drawn.labels, "c") || drawn.count != 2 {
		t.Errorf("%d rows drawn, labels %v", len(drawn.labels), drawn.labels)
	}
}
