package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// What a Gradient holds on the Go heap is counted and not measured, so what a budget allows
// depends on the data and the options alone. All sizes are in bytes. Whoever adds memory to a
// worker or a pass has to count it here: tests compare the count with what is allocated.

// footprint counts what is held at the busiest moment beside vectors over points, features and
// kernels: working sets, packed rows, panels, tiles and parts of the quadratic model.
type footprint struct {
	bank                     *kernels.Bank
	sparse                   bool // the points are sparse
	dim, q, threads, element int64
	most                     int64 // points of a pass: more than q when others wake
	nonzeros                 int64 // non-zeros that a working set has at most
	panel                    int64 // a panel's buffer
	spread                   bool  // a group lays features of sparse points out densely
}

const (
	rowHead   = 100 // what lists take for each point of a working set
	checkedAt = 4   // panels of points on which rounding is measured
)

// Footprint bounds the heap of a Gradient for working sets of q points, in bytes. double means
// that it may come to float64 arithmetic.
//
// The points may be an outline, of which only the numbers are known. Gradients, cached rows and
// vectors over all points are not counted here: they have budgets of their own.
func Footprint(points kernels.Points, bank *kernels.Bank, q, threads int, double bool) int64 {
	f := &footprint{
		bank: bank, dim: int64(points.Dim()), q: int64(q),
		threads: int64(max(threads, 1)), element: 4,
	}
	// Waking applies up to bulkRows points at once, which may be more than a working set.
	f.most = max(f.q, int64(min(bulkRows, points.Len())))
	if double {
		f.element = 8
	}
	f.panel = f.dim * simd.Width * 4
	if kernels.IsSparse(points) {
		f.sparse = true
		f.nonzeros = kernels.Widest(points, int(f.most))
		f.panel = kernels.PanelBytes(points.Dim(), kernels.Widest(points, simd.Width))
		for i := range bank.Groups {
			bank.Groups[i].Parts(func(g *kernels.Group) {
				f.spread = f.spread || g.Base != kernels.MatrixRow && !f.short(g)
			})
		}
	}
	return f.points() + f.objects(points.Len()) + f.packed() + f.model() + checkedAt*f.panel + f.threads*f.worker()
}

// short reports whether a group needs only the non-zeros of its points, in either precision.
func (f *footprint) short(g *kernels.Group) bool { return g.Sparse && !g.Direct[0] }

// points is the working set, the points of it that have moved, and both laid out by feature.
func (f *footprint) points() int64 {
	if f.sparse {
		set := f.most * rowHead
		if f.spread {
			set += 8*f.nonzeros + 4*f.dim
		}
		return 2 * set
	}
	centred, plain := int64(0), int64(0)
	for i := range f.bank.Groups {
		f.bank.Groups[i].Parts(func(g *kernels.Group) {
			switch {
			case g.Base == kernels.CentredProduct,
				g.Base == kernels.SquaredDistance && !g.Direct[f.element/8]:
				centred = 1
			case g.Base == kernels.MatrixRow:
			default:
				plain = 1
			}
		})
	}
	// Few groups pack their points one by one, without a layout by feature.
	if !f.bank.LaysOut() {
		centred, plain = 0, 0
	}
	// Each thread packs the points that the cache lacks.
	packing := min(f.threads, int64(len(f.bank.Groups)))
	return (2 + packing) * f.most * f.dim * (4 + f.element*(centred+plain))
}

// rows is the packed rows of one group.
func (f *footprint) rows(g *kernels.Group) int64 {
	switch {
	// A product packs its points for each factor.
	case g.Base == kernels.Factored:
		sum := f.most * f.element
		g.Parts(func(part *kernels.Group) { sum += f.rows(part) })
		return sum
	case g.Base == kernels.MatrixRow:
		return 0
	case f.short(g):
		return (f.nonzeros+3*f.most)*(4+f.element) + f.most*(8+2*f.element)
	}
	return kernels.GroupMemory{Group: g, Element: f.element}.Rows(int(f.most)) + f.used(g, false)
}

// objects is the sums of kernels of objects over a working set, what each thread needs to make them, and the values within the set.
func (f *footprint) objects(points int) int64 {
	kept, made := kernels.ObjectBytes(points, int(f.most), int(f.q), f.q >= apartFrom, f.bank.Groups, f.element)
	return kept + made*f.threads
}

// used is what is kept of the features of a group that are used, of the packed rows or of a packed panel.
func (f *footprint) used(g *kernels.Group, panel bool) int64 {
	if !f.sparse {
		return 0
	}
	rows, columns := kernels.UsedBytes(f.element, g, int(f.most))
	if panel {
		return columns
	}
	return rows
}

// all is the packed rows of all groups, with those that the spherical normalisation needs.
func (f *footprint) all() int64 {
	sum := int64(0)
	for i := range f.bank.Groups {
		g := &f.bank.Groups[i]
		rows := f.rows(g)
		if sum += rows; g.Spherical {
			sum += rows
		}
	}
	return sum
}

// packed is the rows that stay packed: the rows of few groups for the quadratic model, and the
// rows of many groups if they are short.
func (f *footprint) packed() int64 {
	if len(f.bank.Groups) < manyGroups {
		return f.all()
	}
	return min(f.all(), 2*prepacked)
}

// model is the quadratic model with its parts, the gradients of the working set as rows and
// columns, and the bases and panels that are kept meanwhile.
func (f *footprint) model() int64 {
	blocks := panelsOf(int(f.q))
	half := int64(columnStart(blocks))
	groups, bases := int64(len(f.bank.Groups)), int64(f.bank.Bases())
	rank := 2 * int64(blocks) * simd.Width * min(int64(f.bank.Len()), rankKernels) * 8
	// Few groups sum to one matrix and keep their bases. Many need a matrix for each range of groups and the bases of
	// each thread.
	if groups < manyGroups {
		return 8*half + rank + min(keptBytes, bases*half*f.element)
	}
	return groupRanges*8*half + rank + f.threads*half*f.element + int64(blocks)*f.panel
}

// InRanges reports whether the quadratic models of a bank are sums over ranges of groups, with a matrix for each range.
func InRanges(bank *kernels.Bank) bool { return len(bank.Groups) >= manyGroups }

// columns is the packed columns of one group, with the tiles of a product's factors. laidOut
// reports whether the group takes features densely.
func (f *footprint) columns(g *kernels.Group) (bytes int64, laidOut bool) {
	bytes = kernels.GroupMemory{Group: g, Element: f.element}.Scratch()
	g.Parts(func(part *kernels.Group) {
		switch {
		case part.Base == kernels.MatrixRow:
		case f.short(part): // the panel in element type T, and the places of the entries
			bytes += f.panel*(f.element/4-1) + 4*f.nonzeros
		default:
			bytes, laidOut = bytes+kernels.GroupMemory{Group: part, Element: f.element}.Columns()+f.used(part, true), true
		}
	})
	return bytes, laidOut
}

// tiles is the tiles of a worker for rows of points and the largest number of layers.
func (f *footprint) tiles(points int64, layers int) int64 {
	return (4+2*int64(layers))*points*simd.Width*f.element + 4*f.dim
}

// gates is the gates of a worker for rows of points and a panel: the gates of all kernels of a
// group, and the gates that are being computed.
func (f *footprint) gates(points int64) int64 {
	most := int64(0)
	for i := range f.bank.Groups {
		if g := &f.bank.Groups[i]; g.Gated() {
			each := f.element*(points+simd.Width) + 8*simd.Width + 2
			most = max(most, int64(len(g.Members))*each+(12+f.element)*points)
		}
	}
	return most
}

// worker is the scratch memory of one thread.
func (f *footprint) worker() int64 {
	rows, columns, layers := int64(0), int64(0), 1
	for i := range f.bank.Groups {
		g := &f.bank.Groups[i]
		rows, layers = max(rows, f.rows(g)), max(layers, g.Layers)
		own, _ := f.columns(g)
		columns = max(columns, own)
	}
	panels := f.panel
	if f.sparse { // see prepack
		most := int64(filled)
		if len(f.bank.Groups) > 1 && f.all() > prepacked {
			most = prepacked
		}
		panels = max(f.panel, min(most, unitPanels*f.panel))
	}
	if len(f.bank.Groups) < manyGroups && f.all() <= prepacked {
		rows = 0 // they are packed for the whole pass
	}
	return rows + columns + panels + f.gates(f.most) + f.tiles(f.most, layers)
}
