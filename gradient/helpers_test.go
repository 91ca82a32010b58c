package gradient

import (
	"math/rand/v2"
	"testing"
)

// random returns a generator whose seed is shown if the test fails.
func random(t testing.TB, seed uint64) *rand.Rand {
	t.Helper()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 3))
}

func newGradient(t testing.TB, b *bank, o Options) *Gradient {
	t.Helper()
	if o.Scratch == "" {
		o.Scratch = t.TempDir()
	}
	gr, err := New(b.points, b.Bank, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := gr.Close(); err != nil {
			t.Error(err)
		}
	})
	return gr
}

// subset draws q distinct points below n in random order.
func subset(rng *rand.Rand, n, q int) []int { return rng.Perm(n)[:min(q, n)] }

func normals(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}
