package invariant

import "fmt"

// Check panics with the text if invariants are checked and ok is false.
func Check(ok bool, format string, args ...any) {
	if Enabled && !ok {
		panic("invariant: " + fmt.Sprintf(format, args...))
	}
}

// Turn reports whether a check that is made once in every calls is due. It is due at the first one
// too.
func Turn(count, every int64) bool { return Enabled && count%every == 0 }
