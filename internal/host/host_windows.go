package host

import (
	"math"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	kernel32           = windows.NewLazySystemDLL("kernel32.dll")
	globalMemoryStatus = kernel32.NewProc("GlobalMemoryStatusEx")
	processMemoryInfo  = kernel32.NewProc("K32GetProcessMemoryInfo")
)

// memoryStatus is MEMORYSTATUSEX.
type memoryStatus struct {
	length, load uint32
	total        uint64
	others       [6]uint64
}

// processMemory is PROCESS_MEMORY_COUNTERS_EX.
type processMemory struct {
	size, faults   uint32
	peakWorkingSet uintptr
	others         [7]uintptr
	private        uintptr
}

// readMemory returns the memory of the machine. Limits of a
// job object are not looked at.
func readMemory() int64 {
	status := memoryStatus{length: uint32(unsafe.Sizeof(memoryStatus{}))}
	if ok, _, _ := globalMemoryStatus.Call(uintptr(unsafe.Pointer(&status))); ok == 0 {
		return 0
	}
	return int64(min(status.total, math.MaxInt64))
}

// PeakRSS returns the largest resident set of this process so far in bytes.
func PeakRSS() int64 { return int64(ownMemory().peakWorkingSet) }

// RSSAnon returns the private memory of this process in bytes, whether it is resident or not.
func RSSAnon() int64 { return int64(ownMemory().private) }

// ownMemory returns zeros if the system does not tell.
func ownMemory() (m processMemory) {
	m.size = uint32(unsafe.Sizeof(m))
	ok, _, _ := processMemoryInfo.Call(uintptr(windows.CurrentProcess()),
		uintptr(unsafe.Pointer(&m)), uintptr(m.size))
	if ok == 0 {
		return processMemory{}
	}
	return m
}
