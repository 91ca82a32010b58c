package mmap

import (
	"os"
	"unsafe"
)

// Evict gives up the resident pages of a part of a map of a file. They come back from the file when they
// are read again, whatever was written to them before. Pages that lie in the part only partly stay, and
// so do all of an anonymous map, which has no file.
func (m *Map) Evict(part []byte) error {
	m.assertOpen()
	if m.anonymous || len(part) == 0 {
		return nil
	}
	page := os.Getpagesize()
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(part))) % uintptr(page))
	if skip >= len(part) {
		return nil
	}
	part = part[skip:]
	if part = part[:len(part)/page*page]; len(part) == 0 {
		return nil
	}
	return advise(part, dontNeed, false)
}
