package kernels

// Points is a set of n points of d scaled features. They are read as panels, [d][32] float32 with
// zeros behind the last point, or one by one as rows. Panel returns memory of the points themselves
// and may be called for dense points only. All methods may be called from several goroutines at
// once.
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

// Panel is up to 32 points as the columns of tiles: for each feature a row of 32 numbers, with
// zeros behind the last point. A panel of sparse points of many features leaves out the rows that
// are all zero, and keeps one row of zeros for them. That saves memory and changes no bit of a
// sparse product, because what is left out is zero either way.
type Panel struct {
	First   int       // number of the first point
	Len     int       // number of points
	IDs     []int32   // numbers of the points; nil if they lie side by side
	Dense   []float32 // the rows
	place   []int32   // the row of each feature, 0 for the row of zeros; nil if row j is feature j
	index   [][]int32 // non-zeros of each point; nil if the points are dense
	value   [][]float32
	unknown bool // the bank was made for other points and does not know their norms
}

// id is the number of point j of the panel among all points.
func (p *Panel) id(j int) int {
	if p.IDs != nil {
		return int(p.IDs[j])
	}
	return p.First + j
}

// row returns the 32 numbers of feature j.
func (p *Panel) row(j int) []float32 {
	if p.place != nil {
		j = int(p.place[j])
	}
	return p.Dense[j*width : (j+1)*width]
}
