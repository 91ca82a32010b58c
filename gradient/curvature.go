package gradient

import (
	"context"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

var (
	_ blockWork[float32] = (*curving[float32])(nil)
	_ blockWork[float64] = (*curving[float64])(nil)
)

// curving computes c_m = d'K_m[B,B]d. Each column block with the rows above it counts twice, for
// both halves of the symmetric matrix, except for the square of 32 x 32 on the diagonal.
type curving[T simd.Real] struct {
	scaled *scaled
	d      []float64
	parts  [][]float64 // one for each share, or one for all where shares have groups of their own
	apart  []bool      // kernels whose curvatures come from sums of objects, in storage order
}

// directions sets c_m = d'K_m[B,B]d for every kernel that is not linear.
func (ps *pass[T]) directions(ctx context.Context, s *workingSet, d, c []float64) error {
	if ps.fields.looksUp() {
		ps.lookUpDirections(s, d, c)
		return nil
	}
	objects, apart := objectWork[T]{ps}.apart(s)
	work := &curving[T]{scaled: &ps.scaled, d: d, apart: apart}
	count := len(shares(len(ps.bank.Groups), s.panels()))
	if len(ps.bank.Groups) >= manyGroups {
		count = 1
	}
	for range count {
		work.parts = append(work.parts, make([]float64, len(c)))
	}
	err := ps.blocks(ctx, s, work)
	if err == nil {
		err = ps.fields.collectCurvatures(s, work.parts)
	}
	// Rank 0 alone needs the curvatures, and has all that they take.
	if err == nil && objects != nil && ps.fields.team.leads() {
		err = objectWork[T]{ps}.curveObjects(ctx, s, objects, d, work.parts[0])
	}
	for id, at := range ps.bank.Places() {
		c[id] = 0
		for _, p := range work.parts {
			c[id] += p[at]
		}
	}
	return err
}

// wanted implements blockWork: linear kernels know c_m from their vector.
func (x *curving[T]) wanted(g *kernels.Group) bool {
	return g.Base != kernels.CentredProduct && !x.apart[g.First]
}

// block implements blockWork.
func (x *curving[T]) block(w *worker[T], t *share, g *kernels.Group, j int, base []T) {
	first, rows := j*simd.Width, len(base)/g.Layers/simd.Width
	w.delta = convert(w.delta, x.d[:rows])
	// Rows above the diagonal square represent their mirror images as well.
	for i := range w.delta[:first] {
		w.delta[i] *= 2
	}
	w.sum = grow(w.sum, len(g.Members)*simd.Width)
	clear(w.sum)
	if w.haveFactors(g) {
		// Both branches set sum to K_m d for the 32 columns of the block.
		w.addFactored(x.scaled, g, w.square, base, w.delta, w.sum)
	} else {
		w.eval.Sum(w.sum, base, w.delta, g, x.scaled.of(g))
	}
	// Kernels of a share have places of their own, or the share has a vector of its own.
	to := x.parts[min(t.number, len(x.parts)-1)][g.First:]
	for i := range g.Members {
		for r, d := range x.d[first:rows] {
			to[i] += d * w.sum[i*simd.Width+r]
		}
	}
}

// end implements blockWork.
func (x *curving[T]) end(*worker[T], *share) {}

// summedRows is the number of rows whose values are summed in T.
const summedRows = 64

// lookUpDirections is directions where a table has all bases. Only the points that move are looked up. Their
// values are summed as in a sum over all: for the columns of a block, 64 rows of the set at a time.
func (ps *pass[T]) lookUpDirections(s *workingSet, d, c []float64) {
	w := &ps.workers[0]
	moved := w.moved[:0]
	for i, x := range d {
		if x != 0 {
			moved = append(moved, i)
		}
	}
	w.moved = moved
	var points kernels.Set
	points.Select(s.points, moved)
	w.sum = grow(w.sum, ps.bank.Len()*simd.Width)
	sums := make([]float64, len(c)) // in storage order
	for k := range ps.bank.Groups {
		g := &ps.bank.Groups[k] // none is linear, as a table has its bases
		w.eval.PackRows(&w.rows, g, &points)
		sum := w.sum[:len(g.Members)*simd.Width]
		for from, to := 0, 0; from < len(moved); from = to {
			block := moved[from] / simd.Width
			for to < len(moved) && moved[to]/simd.Width == block {
				to++
			}
			ids := points.IDs[from:to]
			w.eval.PackColumns(&w.cols, g, &kernels.Panel{Len: len(ids), IDs: ids}, len(s.index))
			clear(sum)
			for row := 0; row < to; {
				first := row
				w.delta = w.delta[:0]
				for ; row < to && moved[row]/summedRows == moved[first]/summedRows; row++ {
					x := T(d[moved[row]])
					if row < from {
						x *= 2 // rows above the diagonal square represent their mirror images as well
					}
					w.delta = append(w.delta, x)
				}
				w.base = grow(w.base, g.TileSize(len(w.delta)))
				w.eval.Base(w.base, g, &w.rows, first, len(w.delta), &w.cols, nil)
				w.eval.Sum(sum, w.base[:g.Used(len(w.delta))], w.delta, g, ps.of(g))
			}
			for i := range g.Members {
				part := 0.0
				for r, at := range moved[from:to] {
					part += d[at] * sum[i*simd.Width+r]
				}
				sums[g.First+i] += part
			}
		}
	}
	for id, at := range ps.bank.Places() {
		c[id] = sums[at]
	}
}
