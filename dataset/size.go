package dataset

import (
	"fmt"
	"math/bits"

	"bigmkl/internal/fail"
)

// Size describes the shape of a data set and the disk space of its scratch files. The rows as they
// were read are there until the points are packed.
type Size struct {
	Rows, Features int
	// Nonzeros counts the values of the scaled points that are not zero.
	Nonzeros int64
	Sparse   bool
	// Mapped is true for points that lie in a file of the user, and not in a scratch file.
	Mapped bool
	// Spool and Points are the bytes of the rows as they were read and of the packed points.
	Spool, Points int64
}

// Lengths counts rows by their number of values. It rounds these numbers up by less than one
// percent, so there are few different ones.
type Lengths map[int]int

// Add counts a row of n values.
func (l Lengths) Add(n int) {
	if unit := bits.Len(uint(n)) - 8; unit > 0 {
		n = (n + 1<<unit - 1) >> unit << unit
	}
	l[n]++
}

// TooLarge is the error of class fail.Budget for data whose scratch files need more than
// StoreOptions.Disk, or whose labels and features need more than StoreOptions.Memory. If not even
// the rows as they were read fit, they were counted to the end. Sparse and Points are then the
// larger of what is possible.
type TooLarge struct {
	Size
	Limit int64
	// Memory is the number of bytes that reading takes if that exceeds the limit. It is 0 if the
	// limit is the disk's.
	Memory int64
	// Lengths counts the rows by their number of values.
	Lengths Lengths
	// Classes lists the classes that occur, in order.
	Classes []string
}

var _ error = (*TooLarge)(nil)

// Error states how much the data need and what the limit is.
func (e *TooLarge) Error() string {
	if e.Memory > 0 {
		return fmt.Sprintf("%d points of %d features need 48 d + 12 n = %d bytes of memory to "+
			"be read, the limit is %d", e.Rows, e.Features, e.Memory, e.Limit)
	}
	return fmt.Sprintf("%d rows of %d features take %d bytes of scratch files to be read, the "+
		"limit is %d", e.Rows, e.Features, e.Spool+e.Points, e.Limit)
}

// Unwrap returns fail.Budget, so errors.Is finds the class.
func (e *TooLarge) Unwrap() error { return fail.Budget }
