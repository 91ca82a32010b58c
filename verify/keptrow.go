package verify

// kept is a row that is kept: all of its numbers, or those other than 0 if they take less.
type keptRow struct {
	id    int32
	index []int32
	value []float32
	dense bool
}

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

// lay writes the row, feature by feature.
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
