package kernels

import (
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// This file applies the functions of functions.go to tiles, and sums the values over the rows with
// weights. Values are of type T; sums over more than 64 rows are float64, because a gradient adds
// up over thousands of passes.

// transformer applies kernels to tiles of bases. It owns scratch memory of one goroutine.
type transformer[T simd.Real] struct {
	work []T   // values of a kernel
	near []T   // values less 1 of small arguments, see evaluateLess
	coef []T   // coefficients of one kernel
	list []int // members in hand
}

// Sum adds the weighted rows of every kernel of the group to the 32 numbers that sum has for it:
//
//	sum[m*32+j] += weight[m] sum_r coef[r] k_m(base[r*32+j]),
//
// where each kernel takes the base of its layer. The values k_m are the values of Transform, to
// the bit, but k_m less its constant for wide kernels (Bank.FindWide).
//
// Each chunk of 64 rows is summed in T before it joins the float64 sums, whose order is therefore
// the order of the rows.
func (e *transformer[T]) Sum(sum []float64, base, coef []T, g *Group, weight []float64) {
	if !g.exponentials() {
		for i := range g.Members {
			e.SumOne(sum[i*simd.Width:(i+1)*simd.Width], base, coef, &g.Members[i], weight[i])
		}
		return
	}
	// All kernels of a run are one call: it makes the exponentials of 64 rows and adds them up
	// without storing them.
	for _, r := range g.runs {
		to, scales, weight := sum[r.from*simd.Width:r.to*simd.Width], g.scales[r.from:r.to],
			weight[r.from:r.to]
		if r.wide {
			simd.Expm1Rows(to, base, coef, scales, weight)
		} else {
			simd.ExpRows(to, base, coef, scales, weight)
		}
	}
	for _, c := range g.chains {
		e.sumChain(sum, base, coef, g, c, weight)
	}
}

// SumOne is Sum for one kernel. Kernels that are their base are not copied.
func (e *transformer[T]) SumOne(sum []float64, base, coef []T, m *Member, weight float64) {
	if m.isBase() {
		from, to := m.layerOf(len(coef) * simd.Width)
		simd.AddRows(sum, base[from:to], coef, weight)
		return
	}
	e.work = grow(e.work, len(base))
	e.evaluate(e.work, base, m)
	simd.AddRows(sum, e.work, coef, weight)
}

// isBase reports whether the values of the kernel are the values of its base.
func (m *Member) isBase() bool {
	return m.Kind.Base() == kernelspec.OwnValue || m.Kind == kernelspec.Linear || m.Kind == kernelspec.Intersection
}

// SumColumns is Sum for several columns of coefficients: sums[c] takes the rows of every kernel times
// coefs[c]. Each value of a kernel is computed once for all columns, some rows at a time, so it is
// still in the first-level cache for the last of them. The bits equal the bits of Sum, column by
// column.
func (e *transformer[T]) SumColumns(sums [][]float64, base []T, coefs [][]T, g *Group,
	weight []float64) {
	rows := len(coefs[0])
	for i := range g.Members {
		m := &g.Members[i]
		from, to := m.layerOf(rows * simd.Width)
		own, plain := base[from:to], *m
		plain.Layer = 0 // of the part of its layer that is in hand
		for from := 0; from < rows; from += chunk {
			n := min(chunk, rows-from)
			values := own[from*simd.Width : (from+n)*simd.Width]
			if !m.isBase() {
				e.work = grow(e.work, chunk*simd.Width)
				e.evaluate(e.work[:len(values)], values, &plain)
				values = e.work[:len(values)]
			}
			for c, sum := range sums {
				simd.AddRows(sum[i*simd.Width:(i+1)*simd.Width], values, coefs[c][from:from+n],
					weight[i])
			}
		}
	}
}

// sumChain computes the first kernel of a chain and squares it for the others, a chunk of rows at
// a time.
func (e *transformer[T]) sumChain(sum []float64, base, coef []T, g *Group, chain []int,
	weight []float64) {
	// Values of one chunk are squared in place, from one kernel of the chain to the next.
	e.work = grow(e.work, chunk*simd.Width)
	wide := g.Members[chain[0]].Wide
	for len(coef) > 0 {
		n := min(chunk, len(coef))
		k := e.work[:n*simd.Width]
		for link, i := range chain {
			to := sum[i*simd.Width : (i+1)*simd.Width]
			switch {
			case link > 0 && wide:
				simd.Expm1TwiceRows(to, k, coef[:n], weight[i])
				continue
			case link > 0:
				simd.SquareRows(to, k, coef[:n], weight[i])
				continue
			case wide:
				simd.Expm1(k, base[:n*simd.Width], g.scales[i])
			default:
				simd.Exp(k, base[:n*simd.Width], g.scales[i])
			}
			simd.AddRows(to, k, coef[:n], weight[i])
		}
		base, coef = base[n*simd.Width:], coef[n:]
	}
}

// SumFactored is Sum where every kernel has coefficients of its own: coef times its factors. There
// are as many factors for each member as rows have been packed, [member][row], and coef may be
// shorter. Kernels that are not open are left out, and their sums stay as they are. No kernel is
// wide here, as constants count where points have factors.
func (e *transformer[T]) SumFactored(sum []float64, base, coef, factors []T, open []bool, g *Group,
	weight []float64) {
	rows := len(factors) / len(g.Members)
	own := func(i, from, to int) []T {
		e.coef = grow(e.coef, to-from)
		left := factors[i*rows+from : i*rows+to]
		for r, x := range coef[from:to] {
			e.coef[r] = x * left[r]
		}
		return e.coef
	}
	at := func(i int) []float64 { return sum[i*simd.Width : (i+1)*simd.Width] }
	if !g.exponentials() {
		for i := range g.Members {
			if open[i] {
				e.SumOne(at(i), base, own(i, 0, len(coef)), &g.Members[i], weight[i])
			}
		}
		return
	}
	e.work = grow(e.work, chunk*simd.Width)
	for _, list := range g.copies {
		if i := list[0]; len(list) == 1 {
			if open[i] {
				simd.ExpRows(at(i), base, own(i, 0, len(coef)), g.scales[i:i+1], weight[i:i+1])
			}
			continue
		}
		// Copies of a kernel differ in their gates alone, and share its values.
		list = e.opened(list, open)
		for from := 0; len(list) > 0 && from < len(coef); from += chunk {
			to := min(from+chunk, len(coef))
			k := e.work[:(to-from)*simd.Width]
			simd.Exp(k, base[from*simd.Width:to*simd.Width], g.scales[list[0]])
			for _, i := range list {
				simd.AddRows(at(i), k, own(i, from, to), weight[i])
			}
		}
	}
	for _, chain := range g.chains {
		// Links behind the last open one need not be made.
		for len(chain) > 0 && !open[chain[len(chain)-1]] {
			chain = chain[:len(chain)-1]
		}
		for from := 0; len(chain) > 0 && from < len(coef); from += chunk {
			to := min(from+chunk, len(coef))
			k := e.work[:(to-from)*simd.Width]
			for link, i := range chain {
				switch {
				case link == 0:
					simd.Exp(k, base[from*simd.Width:to*simd.Width], g.scales[i])
					if open[i] {
						simd.AddRows(at(i), k, own(i, from, to), weight[i])
					}
				case open[i]:
					simd.SquareRows(at(i), k, own(i, from, to), weight[i])
				default:
					simd.Power(k, k, 1, 0, 2)
				}
			}
		}
	}
}

// opened lists those of some members that gates leave open.
func (e *transformer[T]) opened(members []int, open []bool) []int {
	e.list = e.list[:0]
	for _, i := range members {
		if open[i] {
			e.list = append(e.list, i)
		}
	}
	return e.list
}

// Mix adds to dst[i] the sum over the members from..to-1 of the group of weight[m] k_m(base[i]),
// with k_m less its constant for wide kernels. Kernels are added one after the other, in T.
//
// The quadratic model is made so: a sum over the kernels for each pair of points, where a pass
// needs a sum over points for each kernel.
func (e *transformer[T]) Mix(dst, base []T, g *Group, from, to int, weight []float64) {
	for i := from; i < to; i++ {
		// A run is cut where the range of members ends.
		if r := g.runFrom(i); r.from < r.to {
			end := min(r.to, to)
			if r.wide {
				simd.Expm1Sum(dst, base, g.scales[i:end], weight[i:end])
			} else {
				simd.ExpSum(dst, base, g.scales[i:end], weight[i:end])
			}
			i = end - 1
			continue
		}
		// Kernels without a weight cost nothing.
		if weight[i] != 0 {
			e.work = grow(e.work, len(dst))
			e.evaluate(e.work, base, &g.Members[i])
			simd.AddScaled(dst, e.work, T(weight[i]))
		}
	}
}
