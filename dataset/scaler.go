package dataset

import "slices"

// scaler turns raw rows into what a store holds of them: the features that are not zero after
// scaling and rounding.
type scaler struct {
	*Scaling
	// filled lists, in ascending order, the features that are not zero in rows that leave them out.
	filled []int32
	// zeros holds the values of the features of filled in such rows.
	zeros []float32
	// sum adds up each feature over the rows, each value less the scaled zero.
	sum []float64
	// given holds the scaled values that the last row gives, zeros included.
	given []float32
	// index lists the features of the last row that are not zero, and value their values.
	index []int32
	value []float32
}

func newScaler(s *Scaling, d int) *scaler {
	c := &scaler{Scaling: s, sum: make([]float64, d)}
	if len(s.Offset) == 0 {
		return c
	}
	for j := range d {
		if z := s.zero(j); z != 0 {
			c.filled, c.zeros = append(c.filled, int32(j)), append(c.zeros, z)
		}
	}
	return c
}

// row scales a row and adds it to sum.
func (c *scaler) row(r *Row) error {
	most := len(c.filled) + len(r.Index)
	given, index, value := resize(c.given, len(r.Index)), resize(c.index, most),
		resize(c.value, most)
	at, size := 0, 0 // These are the next places in filled and in index.
	for k, j := range r.Index {
		for at < len(c.filled) && c.filled[at] < j {
			index[size], value[size] = c.filled[at], c.zeros[at]
			at, size = at+1, size+1
		}
		zero := float32(0)
		if at < len(c.filled) && c.filled[at] == j {
			zero = c.zeros[at]
			at++
		}
		v, ok := c.apply(int(j), r.Value[k])
		if !ok {
			return c.overflow(r, k)
		}
		given[k] = v
		c.sum[j] += float64(v) - float64(zero)
		if v != 0 {
			index[size], value[size] = j, v
			size++
		}
	}
	copy(index[size:], c.filled[at:])
	size += copy(value[size:], c.zeros[at:])
	c.given, c.index, c.value = given, index[:size], value[:size]
	return nil
}

// resize returns a slice of n elements, in the memory of s if that suffices. Its contents are
// undefined.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// fill writes the values of features that rows leave out to the first lanes of a panel of zeros.
func (c *scaler) fill(panel []float32, lanes int) {
	for k, j := range c.filled {
		row := panel[int(j)*PanelWidth:][:lanes]
		for i := range row {
			row[i] = c.zeros[k]
		}
	}
}

// mean returns the mean of each feature over n rows, from the rounded values, because centring
// subtracts it from those.
func (c *scaler) mean(n int) []float32 {
	mean := make([]float32, len(c.sum))
	for j := range mean {
		mean[j] = float32(float64(c.zero(j)) + c.sum[j]/float64(n))
	}
	return mean
}
