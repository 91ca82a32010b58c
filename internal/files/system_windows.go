package files

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

const (
	// NoFollow makes OpenFile open a symbolic link itself, which is then no regular file.
	NoFollow = windows.O_FILE_FLAG_OPEN_REPARSE_POINT

	// HasModes is false because Windows keeps in lists of their own who may reach a file.
	HasModes = false
)

// Owned returns true. Windows does not report the owner along with the length of a file, and
// keeps the temporary folders of users apart.
func Owned(fs.FileInfo) bool { return true }

func mapFile(f *os.File, size int64, writable bool) ([]byte, error) {
	protection, access := uint32(windows.PAGE_READONLY), uint32(windows.FILE_MAP_READ)
	if writable {
		protection, access = windows.PAGE_READWRITE, windows.FILE_MAP_WRITE
	}
	mapping, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, protection,
		uint32(uint64(size)>>32), uint32(size), nil)
	if err != nil {
		return nil, err
	}
	// The view keeps the mapping alive.
	defer windows.CloseHandle(mapping)
	view, err := windows.MapViewOfFile(mapping, access, 0, 0, uintptr(size))
	if err != nil {
		return nil, err
	}
	// The pointer is read as one instead of being converted, because the address points to memory
	// that the garbage collector does not know.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&view)), int(size)), nil
}

// Unmap ends a map of File.Map.
func Unmap(data []byte) error {
	return windows.UnmapViewOfFile(uintptr(unsafe.Pointer(unsafe.SliceData(data))))
}

// lockFile locks the last byte that a file could have. Windows keeps others from reading a byte
// that is locked, and the content of a lock is to be read.
func lockFile(f *os.File) error {
	at := windows.Overlapped{Offset: math.MaxUint32 - 1, OffsetHigh: math.MaxInt32}
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return syscall.EWOULDBLOCK
	}
	return err
}

func diskSpace(dir string) (free, total int64, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	var mine, all uint64
	if err := windows.GetDiskFreeSpaceEx(path, &mine, &all, nil); err != nil {
		return 0, 0, err
	}
	return int64(min(mine, math.MaxInt64)), int64(min(all, math.MaxInt64)), nil
}

// syncFolder does nothing, because Windows does not write a folder to the disk on demand: a name
// may be lost if the power fails soon after.
func syncFolder(string) error { return nil }
