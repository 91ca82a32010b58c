package testlevel

import "testing"

// Diagonal reports whether a run tries the case in row i and column j of a table. From ManyTimes on it
// tries all of them. Below it tries one case in so many, some from EveryKind on and plain below: those
// on diagonals that the seed draws. So each row is tried if there are at least so many columns, and each
// column if there are so many rows. The seed is named where a case is tried.
func Diagonal(t testing.TB, i, j, plain, some int) bool {
	t.Helper()
	of := Stride(plain, some)
	if (uint64(i+j)+Seed)%uint64(of) != 0 {
		return false
	}
	if of > 1 {
		t.Logf("case (%d, %d) is drawn by BIGMKL_SEED=%d, one in %d", i, j, Seed, of)
	}
	return true
}
