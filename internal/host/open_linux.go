package host

import "os"

// RSS returns the resident memory of this process in bytes, mapped files included, or 0 if that is unknown.
func RSS() int64 { return field("/proc/self/status", "VmRSS:") }

// OpenFiles returns the number of files and sockets that this process has open, or 0 if that is unknown.
func OpenFiles() int {
	f, err := os.Open("/proc/self/fd")
	if err != nil {
		return 0
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	return max(len(names)-1, 0) // without the folder itself
}
