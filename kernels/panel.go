package kernels

// wideAbove is the number of features above which a panel of sparse points holds only the rows in
// use. A full panel in float32 is then larger than the second-level cache. To look up the places
// of 512 rows of 100 non-zeros takes 40 us a panel; a full panel of 20,000 features takes 70 us
// more than that, and one of 200,000 features 1.5 ms.
const wideAbove = 8192

// PanelBuffer is the memory of one panel. The zero value can be used. A panel that lies in the buffer
// is valid until the buffer is used for another.
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
//
// A wide panel has a table of the places of all features, and a row for each feature in use, of
// which there are at most as many as non-zeros. The rows grow by a quarter when they are too few.
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
//
// A panel of dense points is a view into their memory.
func PanelOf(points Points, p int, b *PanelBuffer) Panel {
	panel := Panel{First: p * width, Len: min(width, points.Len()-p*width)}
	if IsSparse(points) {
		return b.load(panel, points)
	}
	panel.Dense = points.Panel(p)
	return panel
}

// PanelOfSome returns a panel of up to 32 points, which are given by their numbers. It lies in the
// buffer.
func PanelOfSome(points Points, ids []int32, b *PanelBuffer) Panel {
	p := Panel{Len: len(ids), IDs: ids}
	if IsSparse(points) {
		return b.load(p, points)
	}
	size := points.Dim() * width
	if cap(b.rows) < size {
		b.rows = make([]float32, size)
	}
	p.Dense = b.rows[:size]
	clear(p.Dense)
	// Each point is a lane of the panel that it comes from, and of this one.
	for lane, id := range ids {
		from, at := points.Panel(int(id)/width), int(id)%width
		for j := 0; j < size; j += width {
			p.Dense[j+lane] = from[j+at]
		}
	}
	return p
}

// PanelOfRows returns a panel of up to 32 rows of d features that are not among the points. They
// are given by their non-zeros.
func PanelOfRows(first, d int, index [][]int32, value [][]float32, b *PanelBuffer) Panel {
	p := Panel{First: first, Len: len(index), index: index, value: value, unknown: true}
	return b.fill(p, d, d > wideAbove)
}

// PanelOfSequences returns a panel of up to 32 rows of letters that are not among the points. A
// row may be longer than any of the points.
func PanelOfSequences(first int, index [][]int32, value [][]float32) Panel {
	return Panel{First: first, Len: len(index), index: index, value: value, unknown: true}
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
	// A quarter more rows than needed are allocated, so the next panels need no new memory.
	if cap(b.rows) < rows*width {
		b.rows = make([]float32, min(d+1, rows+rows/4)*width)
	}
	p.Dense = b.rows[:rows*width]
	clear(p.Dense)
	// The points are scattered over the rows: each writes to its own lane.
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
//
// Features get their places in the order in which they are met, which no value depends on.
func (b *PanelBuffer) settle(points [][]int32, d int) int {
	if len(b.place) != d {
		b.place, b.used = make([]int32, d), nil
	}
	// Only the places of the panel before are cleared: the table may be far longer than they are.
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
