package verify

// keptRow is a row that is kept in memory: with all of its features or, if that takes less, with
// those other than 0.
type keptRow struct {
	id    int32
	index []int32   // features other than 0; nil if all are kept
	value []float32 // their values
	dense bool      // all are kept
}

// keepRow returns a copy of the row with that number and those features.
func keepRow(id int, x []float32) keptRow {
	k := keptRow{id: int32(id)}
	count := 0
	for _, v := range x {
		if v != 0 {
			count++
		}
	}
	if k.dense = 2*count >= len(x); k.dense {
		k.value = append(k.value, x...)
		return k
	}
	k.index, k.value = make([]int32, 0, count), make([]float32, 0, count)
	for j, v := range x {
		if v != 0 {
			k.index, k.value = append(k.index, int32(j)), append(k.value, v)
		}
	}
	return k
}

// expand writes all features of the row to dst.
func (k *keptRow) expand(dst []float32) {
	if k.dense {
		copy(dst, k.value)
		return
	}
	clear(dst)
	for i, j := range k.index {
		dst[j] = k.value[i]
	}
}
