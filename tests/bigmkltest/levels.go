package bigmkltest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl/internal/testlevel"
)

// InTurn skips the test, case n of a table, unless it is its turn: a run below EveryKind takes one of so many
// neighbours, which the seed draws, so that every row of the table has its share. BIGMKL_SEED draws the same again.
func InTurn(t testing.TB, n, of int) {
	t.Helper()
	if testlevel.Reached(testlevel.EveryKind) {
		return
	}
	if (uint64(n)+testlevel.Seed)%uint64(of) != 0 {
		t.Skipf("BIGMKL_SEED=%d leaves it out: one of %d neighbours is drawn while BIGMKL_LONG is below %d", testlevel.Seed, of, testlevel.EveryKind)
	}
	t.Logf("drawn by BIGMKL_SEED=%d, one of %d neighbours", testlevel.Seed, of)
}

// IsDrawn reports whether case n of a table of many is run: one in so many, four times as many from EveryKind on,
// and every one from ManyTimes on.
func IsDrawn(n, of int) bool {
	switch {
	case testlevel.Reached(testlevel.ManyTimes):
		return true
	case testlevel.Reached(testlevel.EveryKind):
		of = max(1, of/4)
	}
	return (uint64(n)+testlevel.Seed)%uint64(of) == 0
}

// NameInTurn is InTurn of a case of a table in the order of names.
func NameInTurn[C any](t testing.TB, table map[string]C, name string, of int) {
	t.Helper()
	InTurn(t, slices.Index(slices.Sorted(maps.Keys(table)), name), of)
}

// Directions are those along which a test compares the slope of n parameters with differences: those of the
// parameters one by one, and below EveryKind a single one in which all of them move.
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
	return axes
}
