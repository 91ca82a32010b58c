package loss

import (
	"math"
	"sync"
	"testing"

	"bigmkl/chunking"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/toy"
)

// sharing is a gradient that runs every shared item at once, the last one first.
type sharing struct{ gradienttest.Dense }

func (sharing) Share(items int, do func(item int)) {
	var group sync.WaitGroup
	for item := items - 1; item >= 0; item-- {
		group.Go(func() { do(item) })
	}
	group.Wait()
}

// TestBlocksSameBits checks that a loss gives the same bits whether threads share its loops or not,
// for more points than a block has and in calls one after the other.
func TestBlocksSameBits(t *testing.T) {
	const n = 3*chunking.BlockPoints + 17
	rng := toy.Random(t, 23)
	y, labels, weight, f := make([]float64, n), make([]int8, n), make([]float64, n), make([]float64, n)
	below, above := make([]float64, n), make([]float64, n)
	for i := range y {
		y[i], labels[i], weight[i] = rng.NormFloat64(), int8(1-2*(i%2)), rng.Float64()
		below[i], above[i] = min(0, y[i]), 1+math.Abs(y[i])
	}
	for name, newLoss := range map[string]func() chunking.Loss{
		"hinge":          func() chunking.Loss { return NewHinge(labels, [2]float64{0.1, 0.1}, nil) },
		"weighted hinge": func() chunking.Loss { return NewHinge(labels, [2]float64{1, 3}, weight) },
		"squared hinge":  func() chunking.Loss { return NewSquaredHinge(labels, [2]float64{1, 3}, weight) },
		"insensitive":    func() chunking.Loss { return NewInsensitive(y, 0.3, nil, 0.1) },
		"survival":       func() chunking.Loss { return NewSurvival(y, nil, 0.3, nil, 0.1, 0.2) },
		"intervals":      func() chunking.Loss { return NewSurvival(below, above, 0.3, nil, 0.1, 0.2) },
		"one class":      func() chunking.Loss { return NewOneClass(n, 0.2, nil) },
	} {
		alone, shared := newLoss(), newLoss()
		chunking.New(n, 0, shared, nothing{}, &sharing{}, 1, chunking.Tuning{})
		for call := range 8 {
			for i := range f {
				f[i] += math.Pow(10, -float64(call)) * rng.NormFloat64()
			}
			b, s := alone.Primal(f)
			c, z := shared.Primal(f)
			if b != c || s != z || alone.Linear(f) != shared.Linear(f) {
				t.Errorf("%s, call %d: bias %v and %v, loss %v and %v, linear %v and %v", name, call, b, c, s, z,
					alone.Linear(f), shared.Linear(f))
			}
		}
	}
}

// nothing is a norm of no kernels.
type nothing struct{ chunking.Norm }

func (nothing) Weights(theta, V []float64) float64 { return 0 }
func (nothing) Primal(w []float64) float64         { return 0 }
func (nothing) Dual(V []float64) float64           { return 0 }
