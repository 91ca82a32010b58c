// Package host reads what the system reports of itself and of this process: memory that may be
// used and memory in use. On Linux it reads /proc and similar folders, which hold no files of the
// user.
package host

import "sync"

// Memory returns the number of bytes of memory that this process may use: the memory of the
// computer, or on Linux the least limit of its cgroups if that is less. It is 0 if that is unknown.
// The system is asked once: a budget holds until the end of a run, and a server that answers one row
// in a hundred microseconds has no time to read nine files for each.
var Memory = sync.OnceValue(readMemory)

// Budget returns the memory that a run takes if the user does not set it: 70 % of Memory, or 4
// GiB if that is unknown.
func Budget() int64 {
	if m := Memory() / 10 * 7; m > 0 {
		return m
	}
	return 4 << 30
}
