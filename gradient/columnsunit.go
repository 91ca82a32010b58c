package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// The inner loop of a pass over several columns. It goes over panels and groups as the loop of one
// column does (unit.go), and makes bases in the same ways: what differs is that each tile of bases,
// and each value of a kernel, is used for every column before the next is made.

// updateColumns is updateUnit for several columns: each tile of bases, and each value of a kernel,
// serves all of them.
func (w *updating[T]) updateColumns(unit, block [2]int, step int, plans []plan[T], part, sum []float64) {
	s, f, u := w.scaled, w.field, w.update
	groups, q, kernelCount := s.bank.Groups, len(u.set.index), s.bank.Len()
	lanes := f.lanes()
	for from := unit[0]; from < unit[1]; from += step {
		to := min(from+step, unit[1])
		if q > 0 {
			w.load(f, from, to)
		}
		for k := block[0]; k < block[1]; k++ {
			g := &groups[k]
			var p *plan[T]
			if q > 0 && g.Base != kernels.CentredProduct {
				p = &plans[k]
				w.pack(g, p)
			}
			for at := from; at < to; at++ {
				w.targets = w.targets[:0]
				place := f.at(at*simd.Width, kernelCount) + g.First*simd.Width
				for c := range u.columns {
					gm := f.column(c, u.columns)[place:]
					w.targets = append(w.targets, gm[:len(g.Members)*simd.Width])
				}
				if q > 0 {
					w.addColumns(g, p, at, at-from)
				}
				for c := 0; c < u.columns && u.theta != nil; c++ {
					first, members := c*lanes+at*simd.Width, g.First+len(g.Members)
					simd.Combine(w.targets[c], u.alpha[first:first+simd.Width],
						part[first:first+simd.Width], u.theta[g.First:members],
						sum[c*kernelCount+g.First:c*kernelCount+members])
				}
			}
		}
	}
}

// addColumns adds the changes of the working set to the targets, the gradients of a group on panel
// at, which is the nth panel that is loaded.
func (w *updating[T]) addColumns(g *kernels.Group, p *plan[T], at, nth int) {
	s, u := w.scaled, w.update
	panel, q := &w.panels[nth], len(u.set.index)
	if g.Base == kernels.CentredProduct {
		d := len(u.vector) / u.columns
		for c, gm := range w.targets {
			var change [simd.Width]float64
			project(g, u.vector[c*d:(c+1)*d], u.origin[c*s.bank.Len()+g.First], panel, &change)
			for i, k := range s.of(g) {
				simd.AddTo(gm[i*simd.Width:(i+1)*simd.Width], change[:], k)
			}
		}
		return
	}
	if p.rows == nil && !g.PointFactors() && g.Dim <= fewFeatures && !g.Strings() {
		w.eval.PackColumns(&w.cols, g, panel, w.field.n)
		w.base = grow(w.base, fewRows*simd.Width)
		packed := w.packed(p)
		for from := 0; from < packed.Len; from += fewRows {
			n := min(fewRows, packed.Len-from)
			w.eval.Base(w.base[:kernels.BaseSize(n)], g, packed, from, n, &w.cols, nil)
			w.eval.SumColumns(w.targets, w.base[:n*simd.Width], w.coefsOf(q, from, n), g, s.of(g))
		}
		return
	}
	w.packColumns(g, p, nth)
	factors := w.haveFactors(g)
	if p.rows == nil && w.closed(g) {
		return
	}
	base := w.tile(g, p, at, nth)
	if !factors {
		w.eval.SumColumns(w.targets, base, w.coefsOf(q, 0, q), g, s.of(g))
		return
	}
	whole := w.wholeOf(p)
	for c, gm := range w.targets {
		w.addFactored(s, g, whole, base, w.delta[c*q:(c+1)*q], gm)
	}
}

// coefsOf returns the changes of n of the q working points, from one on, for each column.
func (w *updating[T]) coefsOf(q, from, n int) [][]T {
	w.coefs = w.coefs[:0]
	for c := range w.targets {
		w.coefs = append(w.coefs, w.delta[c*q+from:c*q+from+n])
	}
	return w.coefs
}
