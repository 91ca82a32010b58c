package kernels

// Panel is up to 32 points as the columns of tiles: for each feature a row of 32 numbers, with
// zeros behind the last point. A panel of sparse points of many features leaves out the rows that
// are all zero, and lets one row of zeros stand for them. That saves memory and changes no bit of a
// sparse product, because rows that are left out are never read.
type Panel struct {
	First int       // number of the first point
	Len   int       // number of points
	IDs   []int32   // numbers of the points; nil if they lie side by side
	Dense []float32 // the rows
	place []int32   // the row of each feature, 0 for the row of zeros; nil if row j is feature j
	index [][]int32 // non-zeros of each point; nil if the points are dense
	value [][]float32
	alien bool // the points are not those that the bank was made for
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

// wideAbove is the number of features above which a panel of sparse points holds only the rows in
// use. A full panel in float32 is then larger than the second-level cache. To look up the places
// of 512 rows of 100 non-zeros takes 40 us a panel; a full panel of 20,000 features takes 70 us
// more than that, and one of 200,000 features 1.5 ms.
const wideAbove = 8192

// PanelBuffer is the memory of one panel. The zero value is ready to use. A panel that lies in the
// buffer is valid until the buffer is used for another.
type PanelBuffer struct {
	rows  []float32
	place []int32
	used  []int32 // features that have a place
	index [][]int32
	value [][]float32
}

// Bytes is the memory that the buffer takes now.
func (b *PanelBuffer) Bytes() int64 { return 4 * int64(cap(b.rows)+cap(b.place)+cap(b.used)) }

// PanelBytes is the memory that the buffer of a panel takes, in bytes, for sparse points of d
// features that have so many non-zeros in all.
func PanelBytes(d int, nonzeros int64) int64 {
	if d <= wideAbove {
		return int64(d) * width * 4
	}
	return int64(d)*4 + min(nonzeros+1, int64(d)+1)*(width*4*5/4+4)
}

// sparsePanel bounds PanelBytes for any panel of the points. It is 0 for dense points, whose
// panels take no buffer.
func sparsePanel(points Points) int64 {
	if !IsSparse(points) {
		return 0
	}
	return PanelBytes(points.Dim(), Widest(points, width))
}

// PanelOf returns panel p of the points. The buffer is used if they are sparse.
func PanelOf(points Points, p int, b *PanelBuffer) Panel {
	panel := Panel{First: p * width, Len: min(width, points.Len()-p*width)}
	if IsSparse(points) {
		return b.load(panel, points)
	}
	panel.Dense = points.Panel(p)
	return panel
}

// PanelOfSome returns a panel of up to 32 sparse points, which are given by their numbers.
func PanelOfSome(points Points, ids []int32, b *PanelBuffer) Panel {
	return b.load(Panel{Len: len(ids), IDs: ids}, points)
}

// PanelOfRows returns a panel of up to 32 rows of d features that are not among the points. They
// are given by their non-zeros.
func PanelOfRows(first, d int, index [][]int32, value [][]float32, b *PanelBuffer) Panel {
	return b.fill(Panel{First: first, Len: len(index), index: index, value: value, alien: true}, d, d > wideAbove)
}

// PanelOfSequences returns a panel of up to 32 rows of letters that are not among the points. A
// row may be longer than any of the points.
func PanelOfSequences(first int, index [][]int32, value [][]float32) Panel {
	return Panel{First: first, Len: len(index), index: index, value: value, alien: true}
}

// load fills in the non-zeros of the panel's points, and then its rows.
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

// fill writes the rows of a panel of sparse points: all of them or, if wide, only those in use.
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

// settle gives every feature that one of the points has a place, from 1 on, and returns the number
// of these features. Place 0 is the row of zeros.
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
