package files

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// These are the errors of the system by their meaning. Package syscall has the names of other
// systems as well, for the errors that this module and its tests make themselves.
var (
	// exhausted are errors of memory, disk space and descriptors that ran out.
	exhausted = []error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL,
		windows.ERROR_DISK_QUOTA_EXCEEDED, windows.ERROR_FILE_TOO_LARGE,
		windows.ERROR_TOO_MANY_OPEN_FILES, windows.ERROR_NOT_ENOUGH_MEMORY,
		windows.ERROR_OUTOFMEMORY, windows.ERROR_COMMITMENT_LIMIT,
		windows.ERROR_NO_SYSTEM_RESOURCES, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG,
		syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}
	broken = []error{windows.ERROR_IO_DEVICE, windows.ERROR_CRC, windows.ERROR_READ_FAULT,
		windows.ERROR_WRITE_FAULT, windows.ERROR_GEN_FAILURE, syscall.EIO}
	readerless = []error{windows.ERROR_BROKEN_PIPE, windows.ERROR_NO_DATA, syscall.EPIPE}
	// busy are the errors of a file that cannot be removed or replaced because it is open or
	// mapped.
	busy = []error{windows.ERROR_SHARING_VIOLATION, windows.ERROR_ACCESS_DENIED,
		windows.ERROR_USER_MAPPED_FILE, windows.ERROR_DELETE_PENDING, syscall.EBUSY}
	notEmpty = []error{windows.ERROR_DIR_NOT_EMPTY, syscall.ENOTEMPTY}
)
