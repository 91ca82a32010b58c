package kernels

import (
	"slices"

	"bigmkl/internal/simd"
)

const width = simd.Width

// Points is a set of n points of d scaled features, as panels ([d][32] float32, padded with zeros) and as rows. Panel, which
// returns memory of the points, is asked for where these are dense only.
type Points interface {
	Len() int
	Dim() int
	Panel(p int) []float32
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

// Panel is up to 32 points as the columns of tiles: a row of 32 numbers a feature, padded with zeros. Sparse points of many
// features leave out the rows of zeros, but for one that stands for all of them. The bits of sparse products are the same.
type Panel struct {
	First int       // number of the first point
	Len   int       // number of points
	IDs   []int32   // numbers of the points, where they do not lie side by side
	Dense []float32 // the rows
	place []int32   // the row of each feature, 0 for zeros; nil: row j is feature j
	index [][]int32 // non-zeros of each point; nil if the points are dense
	value [][]float32
	alien bool // the points are not those that the bank was made for
}

// id is the number of point j of the panel.
func (p *Panel) id(j int) int {
	if p.IDs != nil {
		return int(p.IDs[j])
	}
	return p.First + j
}

// row is the 32 numbers of feature j.
func (p *Panel) row(j int) []float32 {
	if p.place != nil {
		j = int(p.place[j])
	}
	return p.Dense[j*width : (j+1)*width]
}

// wideAbove is the number of features above which panels of sparse points are made of the rows in use: a full panel of
// float32 is larger than the second-level cache then. Looking up the places of 512 rows of 100 non-zeros takes 40 us a
// panel; a full panel of 20,000 features 70 us more, one of 200,000 1.5 ms.
const wideAbove = 8192

// PanelBuffer is the memory of one panel; its zero value is ready. Panels in it are valid until the next.
type PanelBuffer struct {
	rows  []float32
	place []int32
	used  []int32 // features with a place
	index [][]int32
	value [][]float32
}

// Bytes is what the buffer takes.
func (b *PanelBuffer) Bytes() int64 { return 4 * int64(cap(b.rows)+cap(b.place)+cap(b.used)) }

// PanelBytes is what the buffer of a panel of d features takes, for sparse points with so many non-zeros in all.
func PanelBytes(d int, nonzeros int64) int64 {
	if d <= wideAbove {
		return int64(d) * width * 4
	}
	return int64(d)*4 + min(nonzeros+1, int64(d)+1)*(width*4*5/4+4)
}

// sparsePanel bounds PanelBytes for any panel of sparse points; 0 if they are dense.
func sparsePanel(points Points) int64 {
	if !IsSparse(points) {
		return 0
	}
	return PanelBytes(points.Dim(), Widest(points, width))
}

// Widest is the number of non-zeros of the k sparse points that have most.
func Widest(points Points, k int) int64 {
	if o, ok := points.(*Outline); ok {
		return o.widest(k)
	}
	z, _ := nonzeros(points)
	count := make([]int, points.Len())
	for i := range count {
		index, _ := z.Nonzeros(i)
		count[i] = len(index)
	}
	slices.Sort(count)
	sum := int64(0)
	for _, c := range count[max(0, len(count)-k):] {
		sum += int64(c)
	}
	return sum
}

// PanelOf gives panel p of the points. The buffer is for sparse ones.
func PanelOf(points Points, p int, b *PanelBuffer) Panel {
	panel := Panel{First: p * width, Len: min(width, points.Len()-p*width)}
	if IsSparse(points) {
		return b.load(panel, points)
	}
	panel.Dense = points.Panel(p)
	return panel
}

// PanelOfSome gives a panel of up to 32 sparse points by their numbers.
func PanelOfSome(points Points, ids []int32, b *PanelBuffer) Panel {
	return b.load(Panel{Len: len(ids), IDs: ids}, points)
}

// PanelOfRows gives a panel of up to 32 rows of d features, by their non-zeros, that are not among the points.
func PanelOfRows(first, d int, index [][]int32, value [][]float32, b *PanelBuffer) Panel {
	return b.fill(Panel{First: first, Len: len(index), index: index, value: value, alien: true}, d, d > wideAbove)
}

// PanelOfSequences gives a panel of up to 32 rows of letters that are not among the points, and may be longer.
func PanelOfSequences(first int, index [][]int32, value [][]float32) Panel {
	return Panel{First: first, Len: len(index), index: index, value: value, alien: true}
}

func (b *PanelBuffer) load(p Panel, points Points) Panel {
	z, _ := nonzeros(points)
	b.index, b.value = b.index[:0], b.value[:0]
	for i := range p.Len {
		index, value := z.Nonzeros(p.id(i))
		b.index, b.value = append(b.index, index), append(b.value, value)
	}
	p.index, p.value = b.index, b.value
	return b.fill(p, points.Dim(), points.Dim() > wideAbove)
}

// fill writes the rows of a panel of sparse points: all, or those in use.
func (b *PanelBuffer) fill(p Panel, d int, wide bool) Panel {
	rows := d
	if wide {
		rows = b.settle(p.index, d) + 1
		p.place = b.place
	}
	if cap(b.rows) < rows*width {
		b.rows = make([]float32, min(d+1, rows+rows/4)*width)
	}
	p.Dense = b.rows[:rows*width]
	clear(p.Dense)
	for lane, index := range p.index {
		value := p.value[lane]
		for e, j := range index {
			at := int(j)
			if p.place != nil {
				at = int(p.place[j])
			}
			p.Dense[at*width+lane] = value[e]
		}
	}
	return p
}

// settle gives the features of some points places from 1 on and returns their number.
func (b *PanelBuffer) settle(points [][]int32, d int) int {
	if len(b.place) != d {
		b.place, b.used = make([]int32, d), nil
	}
	for _, j := range b.used {
		b.place[j] = 0
	}
	b.used = b.used[:0]
	for _, index := range points {
		for _, j := range index {
			if b.place[j] == 0 {
				b.used = append(b.used, j)
				b.place[j] = int32(len(b.used))
			}
		}
	}
	return len(b.used)
}

// AddProducts adds to dst[i] the sum over the features j of a group of v[j] times those of point i. Sparse points take a term
// for each of their non-zeros where the features are all or a range.
func (p *Panel) AddProducts(dst *[simd.Width]float64, g *Group, v []float64) {
	if p.index != nil && g.ranges() {
		for lane := range p.Len {
			index, value := g.clip(p.index[lane], p.value[lane])
			s := dst[lane]
			for e, j := range index {
				s += float64(v[j] * float64(value[e]))
			}
			dst[lane] = s
		}
		return
	}
	for k := range g.Dim {
		j := g.feature(k)
		if p.place == nil || p.place[j] > 0 {
			simd.AddTo(dst[:], p.row(j), v[j])
		}
	}
}
