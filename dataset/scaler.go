package dataset

// scaler turns raw rows into what a store holds of them: the features that are not zero once they are scaled and rounded.
type scaler struct {
	*Scaling
	filled []int32   // features, ascending, that are not zero where a row leaves them out
	zeros  []float32 // what they are there
	sum    []float64 // of each feature over the rows, less its scaled zero
	index  []int32   // the last row's non-zeros, ascending
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

// row scales a row into index and value and adds it to sum. What a row leaves out costs nothing where it is zero.
func (c *scaler) row(r *Row) error {
	index, value := c.index[:0], c.value[:0]
	filled, zeros := c.filled, c.zeros
	for k, j := range r.Index {
		skip := 0
		for skip < len(filled) && filled[skip] < j {
			skip++
		}
		index, value = append(index, filled[:skip]...), append(value, zeros[:skip]...)
		filled, zeros = filled[skip:], zeros[skip:]
		zero := float32(0)
		if len(filled) > 0 && filled[0] == j {
			zero = zeros[0]
			filled, zeros = filled[1:], zeros[1:]
		}
		v, ok := c.apply(int(j), r.Value[k])
		if !ok {
			return c.overflow(r, k)
		}
		c.sum[j] += float64(v) - float64(zero)
		if v != 0 {
			index, value = append(index, j), append(value, v)
		}
	}
	c.index, c.value = append(index, filled...), append(value, zeros...)
	return nil
}

// mean is the mean of each feature over n rows, of the rounded values: what centring subtracts it from.
func (c *scaler) mean(n int) []float32 {
	mean := make([]float32, len(c.sum))
	for j := range mean {
		mean[j] = float32(float64(c.zero(j)) + c.sum[j]/float64(n))
	}
	return mean
}
