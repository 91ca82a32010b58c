package cache

import (
	"errors"
	"math"

	"bigmkl/internal/fail"
)

// Mode says which rows are kept.
type Mode uint8

const (
	Auto   Mode = iota // the rows of which keeping is measured to pay
	Always             // every row, as far as the budgets go
	Never              // none
)

var modeNames = [...]string{Auto: "auto", Always: "always", Never: "never"}

// ParseMode reads auto, always or never.
func ParseMode(s string) (Mode, error) {
	for m, name := range modeNames {
		if s == name {
			return Mode(m), nil
		}
	}
	return Auto, fail.New(fail.Usage, "unknown cache mode %s", fail.Quote(s)).WithHint("one of auto, always, never")
}

// String is the name that ParseMode reads.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return "unknown"
}

// Options of a cache. RowBytes is the only field that must be set.
type Options struct {
	RowBytes int64  // length of every row, until Narrow
	Memory   int64  // bytes of memory for everything here; less than a row keeps none
	Disk     int64  // bytes of allocated blocks in Dir; 0 is no disk tier
	Dir      string // where the private folder is made; "" is the system's temporary folder
	Mode     Mode
	Threads  int   // that compute rows together; 0 is one
	Reserve  int64 // free bytes of the file system never to be touched; 0 is the larger of 1 GiB and 5 % of its size
}

// maxRowBytes keeps block numbers in 32 bits with room to spare: 256 TiB.
const maxRowBytes = math.MaxInt32 / 2 * blockBytes

// Validate names every fault of the options.
func (o Options) Validate() error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fail.New(fail.Usage, format, args...))
		}
	}
	check(o.RowBytes > 0 && o.RowBytes <= maxRowBytes, "cache row of %d bytes is out of range", o.RowBytes)
	check(o.Memory >= 0, "cache memory of %d bytes is negative", o.Memory)
	check(o.Disk >= 0, "cache disk space of %d bytes is negative", o.Disk)
	check(o.Threads >= 0, "%d threads are too few", o.Threads)
	check(o.Reserve >= 0, "disk reserve of %d bytes is negative", o.Reserve)
	check(int(o.Mode) < len(modeNames), "unknown cache mode %d", o.Mode)
	return errors.Join(faults...)
}
