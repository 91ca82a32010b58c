package verify

import "slices"

// This file reads support vectors that are stored by their features other than 0.

// gatherSupport does for support vector s what gather does for a row.
func (w *bases) gatherSupport(dst []float64, s int, set []int32, from int, centred bool) {
	v := w.m.Sparse
	if v == nil {
		w.gather(dst, w.m.Vector(s), set, from, centred)
		return
	}
	index, value := v.Row(s)
	// Both lists ascend, so each search continues from where the one before ended.
	at := 0
	if set == nil {
		at, _ = slices.BinarySearch(index, int32(from))
	}
	// A feature that is not stored is 0, and -mean once it is centred.
	for k := range dst {
		j := int32(from + k)
		if set != nil {
			j = set[from+k]
			n, _ := slices.BinarySearch(index[at:], j)
			at += n
		}
		dst[k] = 0
		if at < len(index) && index[at] == j {
			dst[k] = float64(value[at])
			at++
		}
		if centred {
			dst[k] -= w.mean[j]
		}
	}
}

// addSparseProducts adds the inner products over all features of the rows with support vectors
// that are stored sparsely, one term for each stored feature. Neither is centred, which would
// fill in all features: points with few features other than 0 lie around the origin.
func (w *bases) addSparseProducts(rows []row, lo, hi int) {
	t := hi - lo
	for s := range t {
		index, value := w.m.Sparse.Row(lo + s)
		for r := range rows {
			x, sum := rows[r].x, 0.0
			for e, j := range index {
				sum += float64(x[j]) * float64(value[e])
			}
			w.base[r*t+s] = sum
		}
		for _, x := range value {
			w.selfZ[s] += float64(x) * float64(x)
		}
	}
	for r := range rows {
		for _, x := range rows[r].x {
			w.selfX[r] += float64(x) * float64(x)
		}
	}
}
