package norm

import (
	"math"
	"slices"
	"testing"

	"bigmkl/internal/invariant"
	"bigmkl/internal/toy"
)

// TestAssertWeights: weights that differ from the weights of the norm, or from their length, are
// detected.
func TestAssertWeights(t *testing.T) {
	if !invariant.Enabled {
		t.Skip("invariants are checked with -tags invariants")
	}
	V := []float64{4, 1, 0.5, 9}
	for _, p := range toy.Norms {
		n := NewBlock(p, nil)
		theta := make([]float64, len(V))
		length := n.Weights(theta, V)
		spoiled := slices.Clone(theta)
		for m := range spoiled {
			spoiled[m] *= 1.001
		}
		if !panics(func() { n.assertWeights(p, n.conjugate(), spoiled, V, length) }) {
			t.Errorf("p = %.4g: weights that are too large pass", p)
		}
		if !panics(func() { n.assertWeights(p, n.conjugate(), theta, V, length*1.001) }) {
			t.Errorf("p = %.4g: a length that is too large passes", p)
		}
	}
}

// panics reports whether f panics.
func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

// TestAssertOverflow: numbers that overflow are the data's fault, and reported elsewhere.
func TestAssertOverflow(t *testing.T) {
	n := NewBlock(1.5, nil)
	n.assertWeights(1.5, n.conjugate(), []float64{math.NaN(), 1}, []float64{math.Inf(1), 1}, math.NaN())
}
