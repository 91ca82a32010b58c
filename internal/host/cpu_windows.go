package host

import (
	"time"

	"golang.org/x/sys/windows"
)

// CPU returns the time that processors have worked for this process, or 0 if that is unknown.
func CPU() time.Duration {
	var created, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &user); err != nil {
		return 0
	}
	// Both are lengths of time, in units of 100 ns.
	units := func(t windows.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return time.Duration(100 * (units(kernel) + units(user)))
}
