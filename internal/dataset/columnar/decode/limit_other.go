//go:build !linux

package decode

// limitMemory does nothing: this system has no limit that fits, and watchMemory looks at the
// memory.
func limitMemory(int64) {}
