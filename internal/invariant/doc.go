// Package invariant checks, behind the build tag invariants, conditions that must hold whatever the
// input is. A broken one is a mistake in the program and causes a panic.
//
// Without the tag, Enabled is a constant false, and the compiler drops the code behind it:
//
//	if invariant.Enabled {
//		invariant.Check(low <= a && a <= high, "alpha[%d] = %v is outside its box", i, a)
//	}
//
// Expensive checks take turns by a count that the caller has anyway, and not by a clock or by
// chance, so a run with the tag is as repeatable as one without.
package invariant
