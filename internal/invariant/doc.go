// Package invariant checks, behind the build tag invariants, what must be true whatever the input: a broken one is a mistake
// of ours, and a panic.
//
// Without the tag Enabled is a constant false, and what stands behind it is not compiled:
//
//	if invariant.Enabled {
//		invariant.Check(low <= a && a <= high, "alpha[%d] = %v is outside its box", i, a)
//	}
//
// Expensive checks take turns by a count that the caller has anyway, so that a run with the tag is as repeatable as one
// without: no clock and no chance.
package invariant
