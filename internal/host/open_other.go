//go:build !linux

package host

// RSS returns 0, for unknown.
func RSS() int64 { return 0 }

// OpenFiles returns 0, for unknown.
func OpenFiles() int { return 0 }
