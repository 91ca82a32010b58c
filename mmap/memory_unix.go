//go:build unix

package mmap

import "golang.org/x/sys/unix"

// allocate returns private memory that is zero.
func allocate(size int64) ([]byte, error) {
	return unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON)
}

// release gives memory of allocate back.
func release(data []byte) error { return unix.Munmap(data) }

// advise passes advice about whole pages of a map to the kernel.
func advise(data []byte, a advice, _ bool) error {
	advice := [...]int{unix.MADV_NORMAL, unix.MADV_SEQUENTIAL, unix.MADV_RANDOM, unix.MADV_WILLNEED,
		unix.MADV_DONTNEED}
	return unix.Madvise(data, advice[a])
}
