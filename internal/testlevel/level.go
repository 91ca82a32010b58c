// Package testlevel says how thorough the tests are to be. The environment variable BIGMKL_LONG
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

// Repeats returns how often a test draws or repeats what it does: many times from ManyTimes on, a few
// times from EveryKind on, and half as often below.
func Repeats(few, many int) int {
	switch {
	case Reached(ManyTimes):
		return many
	case Reached(EveryKind):
		return few
	}
	return (few + 1) / 2
}

// draw differs from one run of a test binary to the next.
var draw = rand.Uint64()

// Sample skips the test, a case of a table, unless it is among the one in so many that a run below
// EveryKind draws.
func Sample(t testing.TB, of uint64) {
	t.Helper()
	name := fnv.New64a()
	name.Write([]byte(t.Name()))
	if !Reached(EveryKind) && (name.Sum64()^draw)%of != 0 {
		t.Skipf("one in %d is drawn while BIGMKL_LONG is below %d", of, EveryKind)
	}
}
