package invariant

import "fmt"

// Check panics with the text if invariants are checked and this one is broken.
func Check(ok bool, format string, args ...any) {
	if Enabled && !ok {
		panic("invariant: " + fmt.Sprintf(format, args...))
	}
}

// Turn tells whether it is the turn of a check that is made every so many times, at the first of them too.
func Turn(count, every int64) bool { return Enabled && count%every == 0 }
