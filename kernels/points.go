package kernels

// Points is a set of n points of d scaled features. They are stored twice over: as panels, [d][32]
// float32 with zeros behind the last point, and as rows. Panel returns memory of the points
// themselves and may be called for dense points only. All methods may be called from several
// goroutines at once.
type Points interface {
	Len() int
	Dim() int
	Panel(p int) []float32
	Row(i int, dst []float32)
}

// Nonzeros is implemented by points that may be stored by their non-zero features. Sparse reports
// whether they are. Nonzeros gives the features of point i in ascending order with their values;
// the slices belong to the points and must not be written to.
type Nonzeros interface {
	Sparse() bool
	Nonzeros(i int) (index []int32, value []float32)
}

// IsSparse reports whether the points are stored by their non-zero features.
func IsSparse(points Points) bool {
	_, ok := nonzeros(points)
	return ok
}

// nonzeros returns the points as Nonzeros, and whether they are sparse.
func nonzeros(points Points) (Nonzeros, bool) {
	n, ok := points.(Nonzeros)
	return n, ok && n.Sparse()
}
