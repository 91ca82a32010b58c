package bigmkltest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl/internal/testlevel"
)

// InTurn skips the test, case n of a table, unless it is its turn. A run takes one of so many neighbours, and the
// seed draws it. So each row of the table has its share. It takes twice as many from EveryKind on, and all from
// ManyTimes on. BIGMKL_SEED draws the same again.
func InTurn(t testing.TB, n, of int) {
	t.Helper()
	switch {
	case !IsDrawn(n, of):
		t.Skipf("BIGMKL_SEED=%d leaves it out: one of %d neighbours is drawn", testlevel.Seed, neighbours(of))
	case neighbours(of) > 1:
		t.Logf("drawn by BIGMKL_SEED=%d, one of %d neighbours", testlevel.Seed, neighbours(of))
	}
}

// IsDrawn reports whether InTurn runs case n of a table.
func IsDrawn(n, of int) bool { return (uint64(n)+testlevel.Seed)%uint64(neighbours(of)) == 0 }

// neighbours returns of how many cases one is run, of which a plain run takes one of so many.
func neighbours(of int) int { return testlevel.Stride(of, (of+1)/2) }

// NameInTurn is InTurn of a case of a table in the order of names.
func NameInTurn[C any](t testing.TB, table map[string]C, name string, of int) {
	t.Helper()
	InTurn(t, slices.Index(slices.Sorted(maps.Keys(table)), name), of)
}

// Directions are the directions along which a test compares the slope of n parameters with differences: the
// parameters one by one; below ManyTimes two drawn parameters, and a single one in which all of them move; and
// below EveryKind that one alone.
func Directions(rng *rand.Rand, n int) [][]float64 {
	along := make([]float64, n)
	for k := range along {
		along[k] = rng.NormFloat64()
	}
	if !testlevel.Reached(testlevel.EveryKind) {
		return [][]float64{along}
	}
	axes := make([][]float64, n)
	for k := range axes {
		axes[k] = make([]float64, n)
		axes[k][k] = 1
	}
	if testlevel.Reached(testlevel.ManyTimes) {
		return axes
	}
	rng.Shuffle(n, func(a, b int) { axes[a], axes[b] = axes[b], axes[a] })
	return append(axes[:min(2, n)], along)
}
