package arrays

import "io"

// coordinates is a matrix of which each value has a row and a column (COO).
type coordinates struct {
	*values
	row, col *elements
	at       int
}

// next implements stream.
func (c *coordinates) next() (value, error) {
	if c.at == c.data.Rows {
		return value{}, io.EOF
	}
	i, err := c.row.int()
	if err != nil {
		return value{}, err
	}
	j, err := c.col.int()
	if err != nil {
		return value{}, err
	}
	c.at++
	if i < 0 || i >= int64(c.rows) || j < 0 || j >= int64(c.cols) {
		return value{}, c.file.fault("value %d has row %d and column %d, counted from 0, in a matrix of "+
			"%d x %d", c.at, i, j, c.rows, c.cols)
	}
	x, err := c.number()
	return value{int32(i), int32(j), x}, err
}
