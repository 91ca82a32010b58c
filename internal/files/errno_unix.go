//go:build unix

package files

import "syscall"

// These are the errors of the system by their meaning.
var (
	// exhausted are errors of memory, disk space and descriptors that ran out.
	exhausted = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EMFILE,
		syscall.ENFILE, syscall.ENOMEM}
	broken     = []error{syscall.EIO}
	readerless = []error{syscall.EPIPE}
	// busy are the errors of a file that cannot be removed or replaced because it is open.
	busy     = []error{syscall.EBUSY}
	notEmpty = []error{syscall.ENOTEMPTY}
)
