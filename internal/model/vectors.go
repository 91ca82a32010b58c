package model

// SupportVectors are the training rows that a decision function is made of.
type SupportVectors struct {
	// Features is the number d of features of a row.
	Features int
	// Support lists the training rows of the support vectors, 0-based and ascending.
	Support []int32
	// Vectors holds the scaled support vectors, row-major with len(Support) x Features numbers. It
	// is nil if Sparse or Rows is set, or if every kernel is precomputed.
	Vectors []float32
	// Sparse holds the support vectors if the points were stored sparsely.
	Sparse *Sparse
	// Rows writes support vector s to dst. It is set in a classifier that Classifier returned, and
	// in models with vectors outside of memory.
	Rows func(s int, dst []float32) `json:"-"`

	// file is nil if the vectors are in memory.
	file *mapped
}

// HasVectors reports whether there are vectors and not only their rows.
func (v *SupportVectors) HasVectors() bool {
	return v.Vectors != nil || v.Sparse != nil || v.Rows != nil
}

// Seen reports whether there are features of support vectors. Without them the number of
// features is only a claim.
func (v *SupportVectors) Seen() bool { return v.HasVectors() && len(v.Support) > 0 && v.Features > 0 }

// Vector returns support vector s as a scaled row, or nil if there are none. The caller must
// not write to it, because it may be memory of the vectors.
func (v *SupportVectors) Vector(s int) []float32 {
	if v.Vectors != nil {
		return v.Vectors[s*v.Features : (s+1)*v.Features : (s+1)*v.Features]
	}
	if !v.HasVectors() {
		return nil
	}
	row := make([]float32, v.Features)
	v.Row(s, row)
	return row
}

// Row writes support vector s to dst, whose length is Features. There must be
// vectors.
func (v *SupportVectors) Row(s int, dst []float32) {
	switch {
	case v.Vectors != nil:
		copy(dst, v.Vector(s))
	case v.Sparse != nil:
		clear(dst)
		index, value := v.Sparse.Row(s)
		for e, j := range index {
			dst[j] = value[e]
		}
	default:
		v.Rows(s, dst)
	}
}

// Each calls visit for the features of support vector s that may differ from zero. It does nothing
// without vectors.
func (v *SupportVectors) Each(s int, visit func(feature int, x float32)) {
	if v.Sparse == nil {
		for j, x := range v.Vector(s) {
			visit(j, x)
		}
		return
	}
	index, value := v.Sparse.Row(s)
	for e, j := range index {
		visit(int(j), value[e])
	}
}

// Close unmaps the file of a model that Open returned. It has no support vectors from then
// on.
func (v *SupportVectors) Close() error {
	if v.file == nil {
		return nil
	}
	v.Vectors, v.Sparse, v.Rows = nil, nil, nil
	return v.file.data.Close()
}

// Mapped reports whether the support vectors stay in a file and take no memory of the process.
func (v *SupportVectors) Mapped() bool { return v.file != nil }

// Guard calls read, which may use the support vectors, in its own goroutine. If the file of the
// support vectors was cut short or written to since it was opened, Guard returns an error of class
// fail.Input, whatever read did. A file that another file replaced under its name is still there
// for the model, unchanged.
func (v *SupportVectors) Guard(read func() error) error {
	if v.file == nil {
		return read()
	}
	return v.file.guard(read)
}
