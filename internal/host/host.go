// Package host reads what the system reports of itself and of this process: memory that may be
// used and memory in use. On Linux it reads /proc and similar folders, which hold no files of the
// user.
package host

// Budget returns the memory that a run takes if the user does not set it: 70 % of Memory, or 4
// GiB if that is unknown.
func Budget() int64 {
	if m := Memory() / 10 * 7; m > 0 {
		return m
	}
	return 4 << 30
}
