package gradient

import (
	"slices"
	"testing"
)

// TestWorkspace: gradients that share memory, in turn and in both precisions, have the models that each has
// alone.
func TestWorkspace(t *testing.T) {
	t.Parallel()
	rng := random(t, 71)
	shared := &Workspace{}
	var pairs [][2]*Gradient
	var counts []int
	for _, n := range []int{70, 140, 40} {
		b := newBank(t, "", uniform(rng, n, 4), gaussians(3), false, nil)
		pairs = append(pairs, [2]*Gradient{
			newGradient(t, b, Options{Threads: 2, Memory: 1 << 20}),
			newGradient(t, b, Options{Threads: 2, Memory: 1 << 20, Workspace: shared}),
		})
		counts = append(counts, n)
	}
	theta := []float64{0.5, 0, 0.25}
	for round := range 4 {
		for k, pair := range pairs {
			n := counts[k]
			set := subset(rng, n, n/(1+round%2)-3)
			d := balancedNormals(rng, len(set))
			var h, c [2][]float64
			for i, gr := range pair {
				if round == 2 {
					if err := gr.Rebuild(t.Context(), make([]float64, n), true); err != nil {
						t.Fatal(err)
					}
				}
				h[i], c[i] = make([]float64, len(set)*len(set)), make([]float64, 3)
				if err := gr.Hessian(t.Context(), set, theta, theta, h[i]); err != nil {
					t.Fatal(err)
				}
			}
			// The second half of the iteration asks for the bases that the first half has left.
			for i, gr := range pair {
				if err := gr.Directions(t.Context(), set, d, make([]float64, 3), c[i]); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(h[0], h[1]) || !slices.Equal(c[0], c[1]) {
				t.Errorf("round %d, %d points: other models with shared memory", round, n)
			}
		}
	}
}
