package dataset

import (
	"fmt"
	"math/bits"

	"bigmkl/internal/fail"
)

// Size is the shape of a data set and what its scratch files take of the disk: the rows as they came, which are there
// until the points are packed, and the points.
type Size struct {
	Rows, Features int
	Nonzeros       int64 // of the scaled points
	Sparse         bool
	Spool, Points  int64 // bytes
}

// Lengths counts rows by how many values they have, rounded up by less than a hundredth so that there are few different ones.
type Lengths map[int]int

// Add counts a row of n values.
func (l Lengths) Add(n int) {
	if unit := bits.Len(uint(n)) - 8; unit > 0 {
		n = (n + 1<<unit - 1) >> unit << unit
	}
	l[n]++
}

// TooLarge is the error of data whose scratch files need more than StoreOptions.Disk allows, or whose labels and features need more than
// StoreOptions.Memory: a fail.Budget. If not even the rows as they came did fit, they were counted to the end, and Sparse and Points are
// those that take most.
type TooLarge struct {
	Size
	Limit   int64
	Memory  int64    // bytes that reading takes, more than the limit; 0 if it is that of the disk
	Lengths Lengths  // rows by their number of values
	Classes []string // that occur, in order
}

// Error says what is needed to read the data.
func (e *TooLarge) Error() string {
	if e.Memory > 0 {
		return fmt.Sprintf("%d points of %d features need 48 d + 12 n = %d bytes of memory to be read, the limit is %d", e.Rows, e.Features, e.Memory, e.Limit)
	}
	return fmt.Sprintf("%d rows of %d features take %d bytes of scratch files to be read, the limit is %d", e.Rows, e.Features, e.Spool+e.Points, e.Limit)
}

// Unwrap gives the class.
func (e *TooLarge) Unwrap() error { return fail.Budget }
