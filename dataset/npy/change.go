package npy

import (
	"errors"
	"math"
	"os"
	"runtime/debug"
	"unsafe"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// guarded runs read, which touches the map. Pages beyond the end of a file that someone has cut short fault: numbers that
// are no longer there become NaN and Err tells why. Setting and resetting the flag takes some nanoseconds a row.
func guarded[T float32 | float64](m *Matrix, dst []T, read func()) {
	defer func(old bool) {
		debug.SetPanicOnFault(old)
		if r := recover(); r != nil {
			if !m.holds(r) {
				panic(r)
			}
			m.lost.Store(true)
			for j := range dst {
				dst[j] = T(math.NaN())
			}
		}
	}(debug.SetPanicOnFault(true))
	read()
}

// holds tells whether a panic is a fault at an address within the map.
func (m *Matrix) holds(r any) bool {
	fault, ok := r.(interface{ Addr() uintptr })
	if !ok {
		return false
	}
	all := m.file.Bytes()
	return fault.Addr()-uintptr(unsafe.Pointer(unsafe.SliceData(all))) < uintptr(len(all))
}

// Err is fail.Input once the file has been cut short or written to since it was opened: what was read of it may be of two
// matrices. A file that was replaced by another of its name is still there for us, unchanged.
func (m *Matrix) Err() error {
	now, err := files.Stat(m.path)
	written := err == nil && os.SameFile(now, m.info) && (now.Size() != m.info.Size() || !now.ModTime().Equal(m.info.ModTime()))
	if m.lost.Load() || written {
		return m.changed()
	}
	return nil
}

func (m *Matrix) changed() error {
	return fail.New(fail.Input, "%w", errors.New("the file changed while it was in use")).At(m.path, 0, 0)
}
