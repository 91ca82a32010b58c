package kernels

import "bigmkl/internal/simd"

const width = simd.Width

// Points is a set of n points of d scaled features, as panels ([d][32] float32, padded with zeros) and as rows. Panel may
// fill the buffer that it is handed, one of PanelBuffer, or return memory of its own.
type Points interface {
	Len() int
	Dim() int
	Panel(p int, buf []float32) []float32
	Row(i int, dst []float32)
}

// Nonzeros is implemented by points that may be stored by their non-zero features, ascending; the slices are not written to.
type Nonzeros interface {
	Sparse() bool
	Nonzeros(i int) (index []int32, value []float32)
}

// nonzeros gives the points as such if they are sparse.
func nonzeros(points Points) (Nonzeros, bool) {
	n, ok := points.(Nonzeros)
	return n, ok && n.Sparse()
}

// IsSparse tells whether the points are stored by their non-zero features.
func IsSparse(points Points) bool {
	_, ok := nonzeros(points)
	return ok
}

// PanelBuffer is what one goroutine hands to Panel: room for a panel if the points are stored sparsely, otherwise nil.
func PanelBuffer(points Points) []float32 {
	if IsSparse(points) {
		return make([]float32, points.Dim()*width)
	}
	return nil
}

// Panel is up to 32 points as the columns of tiles.
type Panel struct {
	First int       // number of the first point
	Len   int       // number of points
	IDs   []int32   // numbers of the points, where they do not lie side by side
	Dense []float32 // [d][32], padded with zeros
}

// id is the number of point j of the panel.
func (p *Panel) id(j int) int {
	if p.IDs != nil {
		return int(p.IDs[j])
	}
	return p.First + j
}

// PanelOf gives panel p of the points.
func PanelOf(points Points, p int, buf []float32) Panel {
	first := p * width
	return Panel{First: first, Len: min(width, points.Len()-first), Dense: points.Panel(p, buf)}
}
