package npy

import (
	"math"
	"runtime/debug"

	"bigmkl/mmap"
)

// guarded calls read, which reads numbers of a mapped file into dst, and reports whether all of
// them were there. If somebody has cut the file short, its missing pages fault, and dst becomes
// NaN. Setting and resetting the flag takes some nanoseconds for each row.
func guarded[T float32 | float64](file *mmap.Map, dst []T, read func()) (whole bool) {
	defer func(old bool) {
		debug.SetPanicOnFault(old)
		if r := recover(); r != nil {
			if !file.Faulted(r) {
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
