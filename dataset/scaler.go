package dataset

import "slices"

// scaler turns raw rows into what a store holds of them: the features that are not zero once they are scaled and rounded.
type scaler struct {
	*Scaling
	filled []int32   // features, ascending, that are not zero where a row leaves them out
	zeros  []float32 // what they are there
	sum    []float64 // of each feature over the rows, less its scaled zero
	given  []float32 // of the last row: the values that it does not leave out
	index  []int32   // its non-zeros, ascending
	value  []float32
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
	given, index, value := room(c.given, len(r.Index)), room(c.index, most), room(c.value, most)
	at, size := 0, 0 // in filled, of index
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

// room is a slice of n elements, in the memory of s where that suffices.
func room[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// fill writes what rows leave out to the first lanes of a panel of zeros.
func (c *scaler) fill(panel []float32, lanes int) {
	for k, j := range c.filled {
		row := panel[int(j)*PanelWidth:][:lanes]
		for i := range row {
			row[i] = c.zeros[k]
		}
	}
}

// mean is the mean of each feature over n rows, of the rounded values: what centring subtracts it from.
func (c *scaler) mean(n int) []float32 {
	mean := make([]float32, len(c.sum))
	for j := range mean {
		mean[j] = float32(float64(c.zero(j)) + c.sum[j]/float64(n))
	}
	return mean
}
