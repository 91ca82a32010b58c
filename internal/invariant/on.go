//go:build invariants

package invariant

// Enabled is true if invariants are checked.
const Enabled = true
