package gradient

import (
	"testing"

	"bigmkl/chunking"
	"bigmkl/internal/gradienttest"
)

// A Gradient has all that the solver can make use of.
var (
	_ chunking.Far     = (*Gradient)(nil)
	_ chunking.Mixer   = (*Gradient)(nil)
	_ chunking.Looker  = (*Gradient)(nil)
	_ chunking.Checker = (*Gradient)(nil)
	_ chunking.Scaler  = (*Gradient)(nil)
	_ chunking.Sharer  = (*Gradient)(nil)
)

// TestSuite: the gradient of every bank keeps the contract that the solver relies on.
func TestSuite(t *testing.T) {
	t.Parallel()
	for _, b := range banks(t, random(t, 11), 60) {
		t.Run(b.name, func(t *testing.T) {
			gradienttest.Run(t, gradienttest.Case{
				N: len(b.points.x), Kernels: b.k(), Single: 1e-4, Double: 1e-6,
				New: func(t testing.TB) chunking.Gradient {
					return newGradient(t, b, Options{Threads: 2, Scratch: t.TempDir()})
				},
			})
		})
	}
}
