package dataset

import "bigmkl/mmap"

// csr holds the non-zeros of all points in compressed sparse rows, as views of one scratch file.
// Those of point i lie at offset[i] to offset[i+1]-1.
type csr struct {
	offset []int64
	index  []int32
	value  []float32
}

// newCSR divides a memory of csrBytes(n, nonzeros) bytes among the three arrays.
func newCSR(memory []byte, n int, nonzeros int64) csr {
	index := (int64(n) + 1) * 8
	value := index + nonzeros*4
	return csr{mmap.Slice[int64](memory[:index]), mmap.Slice[int32](memory[index:value]),
		mmap.Slice[float32](memory[value:])}
}

// row returns the features of point i that are not zero, and their values.
func (c *csr) row(i int) ([]int32, []float32) {
	from, to := c.offset[i], c.offset[i+1]
	return c.index[from:to:to], c.value[from:to:to]
}

// put appends point i. The points before it must have been put.
func (c *csr) put(i int, index []int32, value []float32) {
	from := c.offset[i]
	copy(c.index[from:], index)
	c.offset[i+1] = from + int64(copy(c.value[from:], value))
}
