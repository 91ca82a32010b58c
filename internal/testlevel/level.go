// Package testlevel sets how thorough the tests are to be. The environment variable BIGMKL_LONG
// asks for a level. A plain go test ./... is below all of them.
package testlevel

import (
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Levels of BIGMKL_LONG. Each includes what the one before asks for.
const (
	// EveryKind is the level of .ci/run. Tests run that take long by their nature, with few
	// repetitions.
	EveryKind = 1
	// ManyTimes is the level of .ci/long. Tests that draw or repeat something do so many times.
	ManyTimes = 2
)

// Reached reports whether BIGMKL_LONG asks for at least the level. It is 0 if it is not a number.
func Reached(level int) bool {
	if level <= EveryKind { // Below ManyTimes the answer to the other question is always the same.
		note()
	}
	asked, _ := strconv.Atoi(os.Getenv("BIGMKL_LONG"))
	return asked >= level
}

// SkipBelow skips a test that is run from the level on.
func SkipBelow(t testing.TB, level int) {
	t.Helper()
	if !Reached(level) {
		t.Skipf("BIGMKL_LONG is below %d", level)
	}
}

// Repeats returns how often a test draws or repeats what it does: many times from ManyTimes on, or a Share
// of that, a few times from EveryKind on, and half as often below.
func Repeats(few, many int) int {
	switch {
	case Reached(ManyTimes):
		return max(few, many/int(Share))
	case Reached(EveryKind):
		return few
	}
	return (few + 1) / 2
}

// Seed is what a run of a test binary draws its cases by: the number of BIGMKL_SEED, or one that differs
// from run to run.
var Seed = func() uint64 {
	if seed, err := strconv.ParseUint(os.Getenv("BIGMKL_SEED"), 10, 64); err == nil {
		return seed
	}
	return rand.Uint64()
}()

// Share is the number of BIGMKL_SHARE: a run draws one in so many of the cases that its level has. It is
// for builds that only repeat tests of another build, with the race detector or other instructions, and for
// the short form of .ci/long.
var Share = func() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("BIGMKL_SHARE"), 10, 32); err == nil && n > 0 {
		return n
	}
	return 1
}()

// Sample skips the test, a case of a table, unless it is among the one in so many that the seed draws: one
// in plain below EveryKind, one in some below ManyTimes, and all from there on, or a Share of these. It names the seed,
// with which BIGMKL_SEED draws the same cases again.
func Sample(t testing.TB, plain, some uint64) {
	t.Helper()
	of, until := oneIn(plain, some)
	switch {
	case of <= 1:
	case Drawn(t.Name(), of):
		t.Logf("drawn by BIGMKL_SEED=%d, one in %d", Seed, of)
	default:
		t.Skipf("BIGMKL_SEED=%d leaves it out: one in %d is drawn %s", Seed, of, until)
	}
}

// Tried reports whether a run tries a case of a table without a test of its own. It draws as Sample does. The name
// separates the cases of a test.
func Tried(t testing.TB, name string, plain, some uint64) bool {
	t.Helper()
	of, until := oneIn(plain, some)
	if of <= 1 {
		return true
	}
	nameSeed(t, until)
	return Drawn(t.Name()+"\x00"+name, of)
}

// oneIn returns one in how many cases a run tries, and a description of the runs that do so.
func oneIn(plain, some uint64) (of uint64, until string) {
	switch {
	case Reached(ManyTimes):
		return Share, "with this BIGMKL_SHARE"
	case some == plain:
		return plain * Share, "while BIGMKL_LONG is below 2"
	case Reached(EveryKind):
		return uint64(shared(int(plain), int(some))), "while BIGMKL_LONG is below 2"
	}
	return plain * Share, "while BIGMKL_LONG is below 1"
}

// Drawn reports whether the seed draws a name, as it does one in so many.
func Drawn(name string, of uint64) bool {
	h := fnv.New64a()
	h.Write([]byte(name))
	return spread(h.Sum64())%of == 0
}

// spread mixes the seed into the hash of a name. The product spreads the seed over all bits, so
// neighbouring seeds draw other names.
func spread(hash uint64) uint64 {
	x := hash ^ Seed*0x9e3779b97f4a7c15
	return (x ^ x>>29) * 0xbf58476d1ce4e5b9 >> 33
}

// Stride returns how far apart the cases of a long row are that a run tries, beginning with one that it
// draws: some from EveryKind on, and plain below. From ManyTimes on it is Share, and not above plain.
func Stride(plain, some int) int {
	switch {
	case Reached(ManyTimes):
		return min(plain, int(Share))
	case some != plain && Reached(EveryKind):
		return shared(plain, some)
	}
	return plain
}

// shared returns one in how many cases a run at EveryKind tries: one in some, or a Share of these, but no fewer than a
// plain run tries. Cases that are rarer at EveryKind than below are no fewer for a Share.
func shared(plain, some int) int {
	return max(some, min(some*int(Share), plain))
}
