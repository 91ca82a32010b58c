package gradient

import "testing"

// TestModelOfFewer: of many groups only the last counts, and the second set is smaller than the first: what the first has left
// in the scratch memory does not reach the model of the second.
func TestModelOfFewer(t *testing.T) {
	t.Parallel()
	rng := random(t, 8)
	const n = 300
	p := uniform(rng, n, 70)
	b := newBank(t, "many groups", p, single(70), false, nil)
	theta := make([]float64, b.Len())
	theta[b.Len()-1] = 1
	large, small := subset(rng, n, 200), subset(rng, n, 40)
	h, want := make([]float64, 200*200), make([]float64, 40*40)
	if err := newGradient(t, b, Options{Threads: 1, Memory: 1 << 30}).Hessian(t.Context(), small, theta, nil, want); err != nil {
		t.Fatal(err)
	}
	gr := newGradient(t, b, Options{Threads: 1, Memory: 1 << 30})
	for _, set := range [][]int{large, small} {
		if err := gr.Hessian(t.Context(), set, theta, nil, h); err != nil {
			t.Fatal(err)
		}
	}
	for i, x := range want {
		if h[i] != x {
			t.Fatalf("entry %d is %v after a larger set, %v alone", i, h[i], x)
		}
	}
}
