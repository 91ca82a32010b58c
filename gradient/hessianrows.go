package gradient

import (
	"context"
	"slices"

	"bigmkl/internal/simd"
)

// Where a table has the bases, a row of the quadratic model takes a look at a row of the table, and the
// values of the kernels. The pairs of a working set look at few of its rows, so they are computed one at a
// time. To compute and to copy all rows of 300 points took six times as long.

// HessianRows is Hessian row by row, in the order in which the rows are asked for. It sets the diagonal, and
// returns a function that writes row k, to the bit what Hessian writes, but not the entry on the diagonal.
// The function is valid until the next call of a method. It is nil if rows cannot be computed one at a time.
func (gr *Gradient) HessianRows(_ context.Context, set []int, theta, rank,
	diagonal []float64) (func(k int, row []float64), error) {
	if len(set) == 0 || gr.columns != nil || gr.skeleton != nil || gr.constants != nil || !gr.looksUp() {
		return nil, nil
	}
	s := gr.gather(set)
	var term *rankRows
	if rank != nil {
		t, err := newRankTerm(&gr.fields, set)
		if err != nil {
			return nil, err
		}
		if term = t.rows(rank); term == nil {
			return nil, nil
		}
	}
	return gr.arith.hessianRows(s, theta, term, diagonal), nil
}

// hessianRows implements arithmetic.
func (ps *pass[T]) hessianRows(s *workingSet, theta []float64, term *rankRows,
	diagonal []float64) func(k int, row []float64) {
	w, weight := &ps.workers[0], make([]float64, len(theta))
	for id, at := range ps.bank.Places() {
		weight[at] = theta[id] * ps.factor[at]
	}
	for k := range ps.bank.Groups {
		if g := &ps.bank.Groups[k]; anyWeight(weight[g.First : g.First+len(g.Members)]) {
			w.eval.PackRows(&ps.packs[k], g, s.points)
		}
	}
	w.mix = slices.Grow(w.mix[:0], 1)[:1]
	row := func(at int, to []float64) {
		clear(to)
		sum := &w.mix[0]
		for k := range ps.bank.Groups {
			g := &ps.bank.Groups[k]
			own := weight[g.First : g.First+len(g.Members)]
			if !anyWeight(own) {
				continue
			}
			w.base = grow(w.base, s.panels()*g.Layers*simd.Width)
			ps.packs[k].Line(w.base, g, at)
			sum.mix(w.eval, g, own, w.base, to)
		}
		if sum.used {
			sum.join(to)
		}
		term.add(at, to)
	}
	row(-1, diagonal)
	return row
}

// rankRows is a rank term row by row.
type rankRows struct {
	rows, cols []float64 // the packed coordinates of all points of the set
	n          int       // of the coordinates of a point
	product    [simd.Width * simd.Width]float64
}

// rows packs the coordinates for the rows of the term. They are nil if there are too many of a point for one product.
func (t *rankTerm) rows(rank []float64) *rankRows {
	scale, used := t.scales(rank)
	if len(used) > rankKernels {
		return nil
	}
	if len(used) == 0 { // Packed points of no coordinates have no places.
		return &rankRows{}
	}
	side, n := panelsOf(len(t.held.at))*simd.Width, len(used)
	r := &rankRows{rows: make([]float64, side*n), cols: make([]float64, side*n), n: n}
	for i := range t.held.at {
		t.pack(i, used, scale, r.rows, r.cols)
	}
	return r
}

// add adds the term to row at, or to the diagonal with at = -1.
func (r *rankRows) add(at int, to []float64) {
	if r == nil || r.n == 0 {
		return
	}
	for j := 0; j < len(to); j += simd.Width {
		to := to[j:min(j+simd.Width, len(to))]
		cols := r.cols[j*r.n : (j+simd.Width)*r.n]
		switch {
		case at < 0:
			simd.Product(r.product[:], r.rows[j*r.n:(j+simd.Width)*r.n], cols, r.n, nil)
			for i := range to {
				to[i] += r.product[i*(simd.Width+1)]
			}
		case r.n == 1: // no product of tiles is needed for one coordinate
			x := r.rows[at]
			for i, y := range cols[:len(to)] {
				to[i] += float64(x * y)
			}
		default:
			block := at / simd.Rows
			tile := r.product[:simd.Rows*simd.Width]
			simd.Product(tile, r.rows[block*r.n*simd.Rows:(block+1)*r.n*simd.Rows], cols, r.n, nil)
			for i, y := range tile[at%simd.Rows*simd.Width:][:len(to)] {
				to[i] += y
			}
		}
	}
}
