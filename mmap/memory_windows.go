package mmap

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// allocate returns private memory that is zero. Windows sets all of it aside in memory and page
// files at once, so it fails earlier than a system that waits for the first use of a page.
func allocate(size int64) ([]byte, error) {
	start, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_RESERVE|windows.MEM_COMMIT,
		windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	// The pointer is read as one instead of being converted, because the address points to memory
	// that the garbage collector does not know.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&start)), int(size)), nil
}

// release gives memory of allocate back.
func release(data []byte) error {
	return windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(data))), 0,
		windows.MEM_RELEASE)
}

// advise frees the pages of anonymous memory that are not needed any more. Windows takes no other
// advice, and reclaims the pages of files by itself.
func advise(data []byte, a advice, anonymous bool) error {
	if a != dontNeed || !anonymous {
		return nil
	}
	start := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	if err := windows.VirtualFree(start, uintptr(len(data)), windows.MEM_DECOMMIT); err != nil {
		return err
	}
	_, err := windows.VirtualAlloc(start, uintptr(len(data)), windows.MEM_COMMIT,
		windows.PAGE_READWRITE)
	return err
}
