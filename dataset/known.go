package dataset

// Known distinguishes the features that rows of a training have from others. A model of these rows rejects rows with features
// beyond its own, and whoever holds rows out of a training leaves such features out of them.
type Known struct {
	seen []bool
	row  Row
}

// Note notes the features of a row of the training.
func (k *Known) Note(r *Row) {
	for _, j := range r.Index {
		for len(k.seen) <= int(j) {
			k.seen = append(k.seen, false)
		}
		k.seen[j] = true
	}
}

// Cut returns a row without the features that no row of the training has. It is valid until the next call.
func (k *Known) Cut(r Row) Row {
	k.row.Index, k.row.Value = k.row.Index[:0], k.row.Value[:0]
	for i, j := range r.Index {
		if int(j) < len(k.seen) && k.seen[j] {
			k.row.Index, k.row.Value = append(k.row.Index, j), append(k.row.Value, r.Value[i])
		}
	}
	r.Index, r.Value = k.row.Index, k.row.Value
	return r
}
