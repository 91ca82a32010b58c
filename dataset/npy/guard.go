package npy

import (
	"math"
	"runtime/debug"
	"unsafe"

	"bigmkl/mmap"
)

// guarded runs read, which touches the map. Pages beyond the end of a file that someone has cut short fault: numbers that
// are no longer there become NaN and Err tells why. Setting and resetting the flag takes some nanoseconds a row.
func guarded[T float32 | float64](file *mmap.Map, dst []T, read func()) (whole bool) {
	defer func(old bool) {
		debug.SetPanicOnFault(old)
		if r := recover(); r != nil {
			if !holds(file, r) {
				panic(r)
			}
			whole = false
			for j := range dst {
				dst[j] = T(math.NaN())
			}
		}
	}(debug.SetPanicOnFault(true))
	read()
	return true
}

// holds tells whether a panic is a fault at an address within the map.
func holds(file *mmap.Map, r any) bool {
	fault, ok := r.(interface{ Addr() uintptr })
	if !ok {
		return false
	}
	all := file.Bytes()
	return fault.Addr()-uintptr(unsafe.Pointer(unsafe.SliceData(all))) < uintptr(len(all))
}
