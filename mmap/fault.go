package mmap

import "unsafe"

// Faulted reports whether a recovered panic is a fault at an address within the map. The file was
// then cut short after it had been mapped, also if it has lost its name since. Faults become panics
// where debug.SetPanicOnFault is set.
func (m *Map) Faulted(recovered any) bool {
	fault, ok := recovered.(interface{ Addr() uintptr })
	if !ok {
		return false
	}
	all := m.Bytes()
	return fault.Addr()-uintptr(unsafe.Pointer(unsafe.SliceData(all))) < uintptr(len(all))
}
