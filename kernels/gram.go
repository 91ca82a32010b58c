package kernels

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
)

// GramRows is the number of rows of a matrix that pays best when they are computed together, as
// each panel is packed once for all of them.
const GramRows = 64

// Gram bounds, in bytes, what Gram takes for so many rows at a time, and what each thread
// takes besides.
func (m Memory) Gram(rows int, double bool) (fixed, thread int64) {
	b, points := m.Bank, m.Points
	d, n, element := int64(points.Dim()), int64(points.Len()), int64(4)
	if double {
		element = 8
	}
	panel := sparsePanel(points)
	for i := range b.Groups {
		g := &b.Groups[i]
		memory := GroupMemory{g, element}
		// packRows bounds what q points take as rows.
		packRows := func(q int) int64 {
			packed, layout := memory.Rows(q), int64(q)*d*(4+element)
			if IsSparse(points) {
				few := Widest(points, q)
				packed += (few + int64(3*q)) * (4 + element)
				// Sparse rows are sorted by feature where the group lays them out.
				layout = 100*int64(q) + 8*few + 4*d
			}
			return packed + layout
		}
		columns := memory.Columns()
		if IsSparse(points) {
			columns += 2 * panel
		}
		fixed = max(fixed, packRows(rows))
		// A panel, the panels of the block, and the points of a panel as rows.
		thread = max(thread, int64(1+panelsOf(rows))*columns+packRows(simd.Width)+memory.Scratch()+
			int64(g.Layers+1)*int64(BaseSize(max(rows, simd.Width)))*element)
	}
	return fixed + int64(rows)*(n+simd.Width)*element, thread + int64(1+panelsOf(rows))*panel + 4*d
}

// Gram computes the matrix of kernel id, some rows at a time, normalised as the bank
// states, and hands the rows to emit in their order. A row is valid during the call only. rows is
// a power of 2 up to GramRows. An error comes from emit or from the context.
//
// The matrix is symmetric to the last bit. The value of two points is the one that training has in
// the same precision where the first of them is the row. The other way round it may differ by much
// in single precision: a small distance between two long vectors is what cancelling leaves of it.
//
// Memory.Gram is what it takes: a block of rows and not the matrix.
func Gram[T simd.Real](ctx context.Context, m Matrices, id, rows, threads int, emit func(row []T) error) error {
	b, points := m.Bank, m.Points
	group, member := b.find(id)
	n := points.Len()
	panels := panelsOf(n)
	block := make([]T, rows*panels*simd.Width)
	tilers := make([]gramTiler[T], max(threads, 1))
	for i := range tilers {
		tilers[i] = gramTiler[T]{Evaluator: NewEvaluator[T](b), points: points, group: group, member: member}
	}
	var packed Rows[T]
	var set Set
	for from := 0; from < n; from += rows {
		count := min(rows, n-from)
		set.Gather(points, sequence(from, count))
		tilers[0].PackRows(&packed, group, &set)
		g, inner := errgroup.WithContext(ctx)
		for t := range tilers {
			g.Go(func() error {
				// Goroutine t takes the panels t, t + len(tilers) and so on, and writes to columns
				// of its own.
				tiler := &tilers[t]
				tiler.packBlock(from, count)
				for p := t; p < panels && inner.Err() == nil; p += len(tilers) {
					tiler.fillPanel(block, panels*simd.Width, p, &packed)
				}
				return inner.Err()
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for i := range count {
			// The last panel may be part empty, so rows are cut to n.
			if err := emit(block[i*panels*simd.Width:][:n]); err != nil {
				return err
			}
		}
	}
	return nil
}

// sequence returns the numbers from, from+1 and so on.
func sequence(from, count int) []int32 {
	ids := make([]int32, count)
	for i := range ids {
		ids[i] = int32(from + i)
	}
	return ids
}

// gramTiler computes tiles of a matrix between a block of points and panels. It is what one
// goroutine has for itself.
type gramTiler[T simd.Real] struct {
	*Evaluator[T]
	points Points
	group  *Group
	member *Member

	from, count int              // the points of the block
	own         []packedPanel[T] // the panels that hold them
	other       packedPanel[T]   // another panel
	set         Set
	rows        Rows[T] // its points as rows
	base, tile  []T
}

// packedPanel is a panel that is packed as columns. These may refer to the buffer of the panel.
type packedPanel[T simd.Real] struct {
	Columns[T]
	buffer PanelBuffer
}

// packBlock packs the panels that hold the points of the block.
func (t *gramTiler[T]) packBlock(from, count int) {
	t.from, t.count = from, count
	t.own = slices.Grow(t.own[:0], panelsOf(count))[:panelsOf(count)]
	for k := range t.own {
		t.packPanel(&t.own[k], from/simd.Width+k)
	}
}

// packPanel packs a panel as columns.
func (t *gramTiler[T]) packPanel(to *packedPanel[T], panel int) {
	p := PanelOf(t.points, panel, &to.buffer)
	t.PackColumns(&to.Columns, t.group, &p, t.points.Len())
}

// fillPanel writes the values between the block, packed as rows, and one panel to block, whose rows
// have the given stride. Those in which the point of the panel is the first are computed with it as
// the row.
func (t *gramTiler[T]) fillPanel(block []T, stride, panel int, rows *Rows[T]) {
	first := t.from / simd.Width
	if panel > first {
		t.packPanel(&t.other, panel)
		t.fillTile(rows, &t.other.Columns)
		for i := range rows.Len {
			copy(block[i*stride+panel*simd.Width:], t.tile[i*simd.Width:][:simd.Width])
		}
	}
	if panel >= first+len(t.own) {
		return
	}
	start := panel * simd.Width
	t.set.Gather(t.points, sequence(start, min(simd.Width, t.points.Len()-start)))
	t.PackRows(&t.rows, t.group, &t.set)
	for k := max(0, panel-first); k < len(t.own); k++ {
		t.fillTile(&t.rows, &t.own[k].Columns)
		// Lane i of the columns is point at.
		for i := range simd.Width {
			at := (first+k)*simd.Width + i
			if at < t.from || at >= t.from+t.count {
				continue
			}
			out := block[(at-t.from)*stride+start:]
			for j := range t.rows.Len {
				// Within the panel itself, i may come first.
				if first+k == panel && i < j {
					out[j] = t.tile[i*simd.Width+j]
				} else {
					out[j] = t.tile[j*simd.Width+i]
				}
			}
		}
	}
}

// fillTile computes the tile of kernel values between packed rows and columns, rows x 32.
func (t *gramTiler[T]) fillTile(rows *Rows[T], cols *Columns[T]) {
	t.base = grow(t.base, t.group.TileSize(rows.Len))
	t.tile = grow(t.tile, rows.Len*simd.Width)
	// The normaliser is rounded to T, as in training.
	scale := T(t.packer.bank.Factor(int(t.member.ID)))
	t.Base(t.base, t.group, rows, 0, rows.Len, cols, nil)
	t.values(t.tile, t.base, t.member, rows, cols)
	for i := range t.tile {
		t.tile[i] *= scale
	}
}
