package decode

import "golang.org/x/sys/unix"

// limitMemory bounds the writable memory of the process. An allocation beyond it ends the process.
func limitMemory(most int64) {
	limit := unix.Rlimit{Cur: uint64(most), Max: uint64(most)}
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &limit) // watchMemory is there in any case.
}
