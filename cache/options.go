package cache

import (
	"errors"
	"fmt"

	"bigmkl/internal/fail"
)

// Mode selects which rows are kept.
type Mode uint8

var _ fmt.Stringer = Mode(0)

const (
	Auto   Mode = iota // Rows are kept if measurements show that it saves time.
	Always             // Every row is kept as far as the budgets allow.
	Never              // No row is kept.
)

var modeNames = [...]string{Auto: "auto", Always: "always", Never: "never"}

// ParseMode returns the mode named auto, always or never. Another name gives an error of class
// fail.Usage.
func ParseMode(s string) (Mode, error) {
	for m, name := range modeNames {
		if s == name {
			return Mode(m), nil
		}
	}
	return Auto, fail.New(fail.Usage, "unknown cache mode %s", fail.Quote(s)).
		WithHint("one of auto, always, never")
}

// String returns the name that ParseMode reads.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return "unknown"
}

// Options are the settings of a cache. Only RowBytes must be set.
type Options struct {
	// RowBytes is the length of every row in bytes, until Narrow.
	RowBytes int64
	// Memory is the largest number of bytes of memory that the cache takes. If it is less than a
	// row needs, nothing is kept.
	Memory int64
	// Disk is the largest number of bytes on the disk of Dir. If it is 0, there is no disk tier.
	Disk int64
	// Dir is the folder of the file of rows, which has no name where the system allows that. If it is empty, the temporary
	// folder of the system is used.
	Dir  string
	Mode Mode
	// Threads is the number of threads that compute rows together. If it is 0, there is one.
	Threads int
	// Reserve is the number of bytes of the file system that stay free. If it is 0, the larger of 1
	// GiB and 5 % of the size is used.
	Reserve int64
}

// maxRowBytes is the largest length of a row, 256 TiB. Sums of two lengths then fit 64 bits easily.
const maxRowBytes = 1 << 48

// validate returns all faults of the options as one error of class fail.Usage.
func (o Options) validate() error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fail.New(fail.Usage, format, args...))
		}
	}
	check(o.RowBytes > 0 && o.RowBytes <= maxRowBytes, "cache row of %d bytes is out of range",
		o.RowBytes)
	check(o.Memory >= 0, "cache memory of %d bytes is negative", o.Memory)
	check(o.Disk >= 0, "cache disk space of %d bytes is negative", o.Disk)
	check(o.Threads >= 0, "%d threads are too few", o.Threads)
	check(o.Reserve >= 0, "disk reserve of %d bytes is negative", o.Reserve)
	check(int(o.Mode) < len(modeNames), "unknown cache mode %d", o.Mode)
	return errors.Join(faults...)
}
