package random

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// families are the kinds of problems that are drawn equally often. Each has code of its own in the solver and in verify.
var families = []string{"plain", "gates", "projections", "med", "rkda", "missing", "centred", "posteriors", "rules"}

// mostPoses bounds the draws of a problem until one belongs to the family that was drawn: few data sets have views, for example.
const mostPoses = 200

// pose draws a family, and problems until one belongs to it. It writes their files.
func pose(t testing.TB, rng *rand.Rand, seed uint64, folder string) *posed {
	t.Helper()
	family := anyOf(rng, families...)
	for range mostPoses {
		if q := poseOnce(t, rng, seed, folder, family); q.belongs(family) {
			return q
		}
	}
	return poseOnce(t, rng, seed, folder, "plain")
}

// oneIn reports a chance of 1/n, and true for the family that was drawn.
func (q *posed) oneIn(n int, family string) bool { return q.IntN(n) == 0 || q.family == family }

// belongs reports whether the problem has what the family is named after. Every problem may be a plain one.
func (q *posed) belongs(family string) bool {
	switch family {
	case "gates":
		return q.gates != ""
	case "projections":
		return q.projected
	case "med":
		return q.mixture
	case "rkda":
		return slices.Contains(q.train, "rkda")
	case "missing":
		return q.missing
	case "centred":
		return q.centred
	case "posteriors":
		return slices.Contains(q.train, "--posteriors")
	case "rules":
		return slices.ContainsFunc(q.train, func(arg string) bool { return strings.HasPrefix(arg, "rule:") })
	}
	return true
}
