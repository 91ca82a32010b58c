package kernels

import (
	"math"
	"slices"
	"sync"

	"bigmkl/internal/simd"
)

// Where points are few, the same bases are asked for again and again, by the working sets of one training and by all trainings that
// share the bank. To gather and pack the features of a working set then takes longer than the arithmetic on them: at 100 points of 2,000
// features ten times as long. Bases from a table need no features.

// Table has bases of the pairs of some points. A row, which is the bases of one point with all points in their order, is computed
// when it is first asked for. Its values are the values of any tile; see the invariants of the package. Several evaluators may
// share it.
type Table[T simd.Real] struct {
	bank   *Bank
	points Points
	lanes  int // points in whole panels
	groups map[*Group]*tableGroup[T]
}

// tableGroup is the rows of a group. Its scratch memory belongs to whoever has the lock.
type tableGroup[T simd.Real] struct {
	lock  sync.Mutex
	known []bool // by point
	rows  []T    // [point][layer][lane]
	size  int    // of a row

	eval  *Evaluator[T]
	packs Rows[T]
	cols  Columns[T]
	buf   PanelBuffer
	tile  []T
}

// hasTable reports whether a table may have the bases of a group. A matrix is in memory, centred products have no rows, and under the
// spherical normalisation packed points give k(x,x) as well.
func (g *Group) hasTable() bool {
	return g.Base != MatrixRow && g.Base != CentredProduct && g.Base != Looked && !g.Spherical
}

// Table is what all rows of all groups take in both precisions, in bytes. all reports whether every
// group is in the table, so no features are needed.
func (m Memory) Table() (bytes int64, all bool) {
	b, points := m.Bank, m.Points.Len()
	all = true
	for i := range b.Groups {
		g := &b.Groups[i]
		if !g.hasTable() {
			all = false
			continue
		}
		bytes += int64(g.Layers) * int64(points) * int64(panelsOf(points)) * width * (4 + 8)
	}
	return bytes, all
}

// TableTerms returns the mean number of stored values of a point that a base in a table looks at. It is infinite if some bases
// are more expensive.
func (m Matrices) TableTerms() float64 {
	b, points := m.Bank, m.Points
	terms, groups := 0.0, 0
	for i := range b.Groups {
		if g := &b.Groups[i]; g.hasTable() {
			terms += termsOf(g, points)
			groups++
		}
	}
	return terms / float64(max(groups, 1))
}

// drawnTerms is the number of points whose stored values are counted.
const drawnTerms = 64

// termsOf returns the mean number of stored values of a point among the features of a group, which is infinite for kernels
// on letters and for the user's.
func termsOf(g *Group, points Points) float64 {
	if g.Base == wordCounts || g.Base == letterMatches || g.Base == userValue {
		return math.Inf(1)
	}
	sparse, ok := nonzeros(points)
	if !ok {
		return float64(g.Dim)
	}
	n := points.Len()
	count, drawn := 0, min(n, drawnTerms)
	for k := range drawn {
		index, _ := sparse.Nonzeros(k * n / drawn)
		if g.Features == nil {
			count += len(index)
			continue
		}
		at := 0
		for _, f := range index {
			skip, found := slices.BinarySearch(g.Features[at:], f)
			at += skip
			if found {
				count++
			}
		}
	}
	return float64(count) / float64(max(drawn, 1))
}

// NewTable returns the bases of points, none of which is known yet. rows allocates memory for so many numbers, which
// has to stay until the last evaluator is done.
func NewTable[T simd.Real](b *Bank, points Points, rows func(size int) ([]T, error)) (*Table[T], error) {
	m := &Table[T]{bank: b, points: points, lanes: panelsOf(points.Len()) * width, groups: map[*Group]*tableGroup[T]{}}
	for i := range b.Groups {
		g := &b.Groups[i]
		if !g.hasTable() {
			continue
		}
		list := &tableGroup[T]{known: make([]bool, points.Len()), size: g.Layers * m.lanes}
		var err error
		if list.rows, err = rows(points.Len() * list.size); err != nil {
			return nil, err
		}
		m.groups[g] = list
	}
	return m, nil
}

// UseTable makes the evaluator take bases from m, which has to be of its bank. All sets and panels are then of the points of m.
func (e *Evaluator[T]) UseTable(m *Table[T]) { e.table = m }

// Tabulates reports whether the evaluator takes the bases of a group from a table.
func (e *Evaluator[T]) Tabulates(g *Group) bool { return e.rowsOf(g) != nil }

// rowsOf returns the rows of a group, nil if the table has none.
func (e *Evaluator[T]) rowsOf(g *Group) *tableGroup[T] {
	if e.table == nil {
		return nil
	}
	return e.table.groups[g]
}

// packFromTable finds the rows of some points, and computes those that are not known.
func (m *Table[T]) packFromTable(r *Rows[T], g *Group, list *tableGroup[T], ids []int32) {
	list.lock.Lock()
	defer list.lock.Unlock()
	r.kept = resize(r.kept, len(ids))
	var missing []int32
	for i, id := range ids {
		r.kept[i] = list.rows[int(id)*list.size:][:list.size]
		if !list.known[id] {
			list.known[id] = true
			missing = append(missing, id)
		}
	}
	for some := range slices.Chunk(missing, chunk) {
		m.compute(g, list, some)
	}
}

// compute computes the rows of some points.
func (m *Table[T]) compute(g *Group, list *tableGroup[T], ids []int32) {
	if list.eval == nil {
		list.eval = NewEvaluator[T](m.bank)
	}
	var points Set
	points.Gather(m.points, ids)
	points.brief = true
	list.eval.PackRows(&list.packs, g, &points)
	list.tile = grow(list.tile, g.TileSize(len(ids)))
	n := m.points.Len()
	for p := range panelsOf(n) {
		panel := PanelOf(m.points, p, &list.buf)
		list.eval.PackColumns(&list.cols, g, &panel, n)
		list.eval.Base(list.tile, g, &list.packs, 0, len(ids), &list.cols, nil)
		for layer := range g.Layers {
			for i, id := range ids {
				to := list.rows[int(id)*list.size+layer*m.lanes+p*width:]
				copy(to[:panel.Len], list.tile[(layer*len(ids)+i)*width:])
				clear(to[panel.Len:width])
			}
		}
	}
}

// tableBase copies the bases of rows from..from+count-1 on the columns. Lanes and rows behind the last point are zero.
func tableBase[T simd.Real](dst []T, g *Group, r *Rows[T], from, count int, c *Columns[T]) {
	kept := r.kept[from : from+count]
	if count == 0 {
		return
	}
	lanes := len(kept[0]) / g.Layers
	for layer := range g.Layers {
		for i, row := range kept {
			to, row := (*[width]T)(dst[(layer*count+i)*width:]), row[layer*lanes:][:lanes]
			switch {
			case c.ids == nil:
				*to = [width]T(row[c.first:])
			case len(c.ids) == width:
				for j, id := range (*[width]int32)(c.ids) {
					to[j] = row[id]
				}
			default:
				for j, id := range c.ids {
					to[j] = row[id]
				}
				clear(to[len(c.ids):])
			}
		}
	}
	clear(dst[g.Layers*count*width:])
}

// Line copies the bases of a row with all rows that are packed, layer by layer, in whole panels with zeros
// behind the last row. With at = -1 it copies the bases of each row with itself. The rows have to be from a
// table. Values have the bits of tiles in which the first of two points is the row.
func (r *Rows[T]) Line(dst []T, g *Group, at int) {
	lanes := panelsOf(r.Len) * width
	all := len(r.kept[0]) / g.Layers
	for layer := range g.Layers {
		to := dst[layer*lanes:][:lanes]
		clear(to[r.Len:])
		from, first := layer*all, 0
		if at < 0 {
			for k, id := range r.ids {
				to[k] = r.kept[k][from+int(id)]
			}
			continue
		}
		if r.ordered(g) {
			for first = range at {
				to[first] = r.kept[first][from+int(r.ids[at])]
			}
			first = at
		}
		row := r.kept[at][from:][:all]
		for k, id := range r.ids[first:] {
			to[first+k] = row[id]
		}
	}
}

// ordered reports whether k(x,z) and k(z,x) may differ by rounding. See the invariants of the package.
func (r *Rows[T]) ordered(g *Group) bool {
	return g.Sparse && !g.Direct[precision[T]()] ||
		slices.ContainsFunc(g.Factors, func(f Factor) bool { return r.ordered(f.Group) })
}

// Numbered returns a set of points by their numbers alone, for an evaluator whose table has all groups.
func Numbered(points Points, ids []int32) *Set {
	return &Set{IDs: slices.Clone(ids), Dim: points.Dim(), Sparse: IsSparse(points), bare: true}
}
