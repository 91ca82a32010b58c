package kernels

import (
	"context"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
)

// gramRows is the number of rows of a matrix that are computed together.
const gramRows = 64

// Gram computes the matrix of kernel id on the points, normalised as the bank says, and hands its rows to emit in order;
// the slice is valid during the call. The values are those that training uses in the same precision.
func Gram[T simd.Real](ctx context.Context, b *Bank, id int, points Points, threads int, emit func(row []T) error) error {
	group, member := b.find(id)
	n := points.Len()
	panels := (n + simd.Width - 1) / simd.Width
	block := make([]T, gramRows*panels*simd.Width)
	evals, bufs := make([]*Evaluator[T], max(threads, 1)), make([]PanelBuffer, max(threads, 1))
	for i := range evals {
		evals[i] = NewEvaluator[T](b)
	}
	var packed Rows[T]
	var set Set
	for from := 0; from < n; from += gramRows {
		count := min(gramRows, n-from)
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
				for p := t; p < panels && inner.Err() == nil; p += len(evals) {
					panel := PanelOf(points, p, &bufs[t])
					e.PackColumns(&cols, group, &panel, n)
					e.gramPanel(block, panels*simd.Width, p, group, member, &packed, &cols)
				}
				return inner.Err()
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for i := range count {
			if err := emit(block[i*panels*simd.Width:][:n]); err != nil {
				return err
			}
		}
	}
	return nil
}

// gramPanel writes the kernel between the packed rows and one panel into block, whose rows have the given stride.
func (e *Evaluator[T]) gramPanel(block []T, stride, panel int, g *Group, m *Member, rows *Rows[T], cols *Columns[T]) {
	base, values := make([]T, g.TileSize(rows.Len)), make([]T, rows.Len*simd.Width)
	left, right := e.RowFactors(nil, rows, m), e.ColumnFactors(nil, cols, m)
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

// find gives the group and the member of kernel id.
func (b *Bank) find(id int) (*Group, *Member) {
	at := int(b.places[id])
	for i := range b.Groups {
		g := &b.Groups[i]
		if at < g.First+len(g.Members) {
			return g, &g.Members[at-g.First]
		}
	}
	panic("kernels: no such kernel")
}
