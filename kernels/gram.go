package kernels

import (
	"context"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
)

// GramRows is the number of rows of a matrix that pays best when they are computed together, as
// each panel is packed once for all of them.
const GramRows = 64

// GramBytes bounds, in bytes, what Gram takes for so many rows at a time, and what each thread
// takes besides.
func GramBytes(b *Bank, points Points, rows int, double bool) (fixed, thread int64) {
	d, n, element := int64(points.Dim()), int64(points.Len()), int64(4)
	if double {
		element = 8
	}
	panel := sparsePanel(points)
	for i := range b.Groups {
		g := &b.Groups[i]
		packed, columns := RowsBytes(g, rows, element), ColumnsBytes(g, element)+g.Scratch(element)
		layout := int64(rows) * d * (4 + element)
		if IsSparse(points) {
			few := Widest(points, rows)
			packed += (few + int64(3*rows)) * (4 + element)
			columns += 2 * panel
			// Sparse rows are sorted by feature where the group lays them out.
			layout = 100*int64(rows) + 8*few + 4*d
		}
		fixed = max(fixed, packed+layout)
		thread = max(thread, columns+int64(g.Layers+1)*int64(BaseSize(rows))*element)
	}
	return fixed + int64(rows)*(n+simd.Width)*element, thread + panel + 4*d
}

// Gram computes the matrix of kernel id on the points, some rows at a time, normalised as the bank
// says, and hands the rows to emit in their order. A row is valid during the call only. The values
// are those that training uses in the same precision. An error is that of emit or of the context.
//
// Memory is GramBytes: a block of rows and not the matrix.
func Gram[T simd.Real](ctx context.Context, b *Bank, id int, points Points, rows, threads int,
	emit func(row []T) error) error {
	group, member := b.find(id)
	n := points.Len()
	panels := panelsOf(n)
	block := make([]T, rows*panels*simd.Width)
	evals, bufs := make([]*Evaluator[T], max(threads, 1)), make([]PanelBuffer, max(threads, 1))
	for i := range evals {
		evals[i] = NewEvaluator[T](b)
	}
	var packed Rows[T]
	var set Set
	for from := 0; from < n; from += rows {
		count := min(rows, n-from)
		ids := make([]int32, count)
		for i := range ids {
			ids[i] = int32(from + i)
		}
		set.Gather(points, ids)
		evals[0].PackRows(&packed, group, &set)
		g, inner := errgroup.WithContext(ctx)
		for t, e := range evals {
			g.Go(func() error {
				var cols Columns[T]
				// Goroutine t takes the panels t, t + len(evals) and so on, and writes to columns
				// of its own.
				for p := t; p < panels && inner.Err() == nil; p += len(evals) {
					panel := PanelOf(points, p, &bufs[t])
					e.PackColumns(&cols, group, &panel, n)
					gramPanel(e, block, panels*simd.Width, p, group, member, &packed, &cols)
				}
				return inner.Err()
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for i := range count {
			// The last panel may be part empty, so that rows are cut to n.
			if err := emit(block[i*panels*simd.Width:][:n]); err != nil {
				return err
			}
		}
	}
	return nil
}

// gramPanel writes the kernel between the packed rows and one panel to block, whose rows have the
// given stride.
func gramPanel[T simd.Real](e *Evaluator[T], block []T, stride, panel int, g *Group, m *Member,
	rows *Rows[T], cols *Columns[T]) {
	base, values := make([]T, g.TileSize(rows.Len)), make([]T, rows.Len*simd.Width)
	left, right := e.RowFactors(nil, rows, m), e.ColumnFactors(nil, cols, m)
	// The normaliser is rounded to T, as in training.
	scale := T(e.bank.Factor(int(m.ID)))
	e.Base(base, g, rows, 0, rows.Len, cols, nil)
	e.Transform(values, base, m)
	for i := range rows.Len {
		out := block[i*stride+panel*simd.Width:][:simd.Width]
		for j := range out {
			v := values[i*simd.Width+j]
			if left != nil {
				v *= left[i] * right[j]
			}
			out[j] = v * scale
		}
	}
}
