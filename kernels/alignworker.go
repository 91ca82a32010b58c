package kernels

import (
	"context"

	"bigmkl/internal/simd"
)

// alignWorker sums over the pairs of some rows with all columns, in float64. It owns the memory of
// one goroutine.
type alignWorker struct {
	*aligner
	eval   *Evaluator[float64]
	sums   aligned
	first  int             // number of the first row
	count  int             // number of rows
	packed []Rows[float64] // the rows, packed for each group
	gather Set
	cols   Columns[float64]
	buffer PanelBuffer
	part   Panel // the columns
	lanes  int   // number of points in it

	base, value []float64
	centring    []float64   // sums of the rows for centring, [row][kernel]
	weighted    []float64   // sums of the rows with weights, [row][kernel]
	columns     []float64   // values, [panel of 32 kernels][pair][32]
	lines       []float64   // values times the weight of the pair, [block of 8 kernels][pair][8]
	weights     []float64   // weights of the pairs in products
	few         [][]float64 // values of up to 32 kernels before they are transposed
	tile        []float64
}

// newAlignWorker allocates what Memory.Align counts for a thread.
func newAlignWorker(a *aligner) *alignWorker {
	pairs, panels := a.rows*simd.Width, panelsOf(a.side)
	w := &alignWorker{
		aligner:  a,
		eval:     NewEvaluator[float64](a.bank),
		sums:     *newAligned(a.side),
		packed:   make([]Rows[float64], len(a.bank.Groups)),
		value:    make([]float64, BaseSize(a.rows)),
		centring: make([]float64, a.rows*a.side),
		weighted: make([]float64, a.rows*a.side),
		columns:  make([]float64, panels*simd.Width*pairs),
		lines:    make([]float64, blocks(a.side)*simd.Rows*pairs),
		weights:  make([]float64, pairs),
		tile:     make([]float64, blocks(a.side)*tile),
		few:      make([][]float64, simd.Width),
	}
	most := 0
	for i := range a.bank.Groups {
		most = max(most, a.bank.Groups[i].TileSize(a.rows))
	}
	w.base = make([]float64, most)
	for i := range w.few {
		w.few[i] = make([]float64, pairs)
	}
	return w
}

// unit sums over the rows from u*rows on. Pairs with points of earlier rows are skipped for
// products, because they were counted there twice.
func (w *alignWorker) unit(ctx context.Context, u int) error {
	w.sums.clear()
	clear(w.centring)
	clear(w.weighted)
	w.load(u * w.rows)
	for p := range panelsOf(w.k) {
		if err := ctx.Err(); err != nil {
			return err
		}
		// The pairs of this panel have been counted with its own rows.
		behind := (p+1)*simd.Width <= w.first
		if behind && w.plain {
			continue
		}
		w.panel(p)
		last := 0
		w.each(func(m int, value []float64) {
			for e := range value {
				// The mean is subtracted before anything is summed, or rounding of the mean would
				// hide what the sums are about.
				value[e] -= w.shift[m]
			}
			// Lanes behind the last point would count as a point.
			if w.lanes < simd.Width {
				for e := range value {
					if e%simd.Width >= w.lanes {
						value[e] = 0
					}
				}
			}
			// Sums of rows need all columns; products need only those on and behind the diagonal.
			w.addRows(m, p, value)
			if !behind {
				copy(w.few[m%simd.Width], value)
				if last = m; m%simd.Width == simd.Width-1 {
					w.transpose(m / simd.Width)
				}
			}
		})
		if behind {
			continue
		}
		if last%simd.Width != simd.Width-1 {
			w.transpose(last / simd.Width)
		}
		w.multiply(p)
	}
	w.finish()
	return nil
}

// load packs the rows from the given one on.
func (w *alignWorker) load(first int) {
	w.first, w.count = first, min(w.rows, w.k-first)
	set := &w.gather
	if w.set != nil {
		set = w.set.Part(first, first+w.count)
	} else {
		ids := make([]int32, w.count)
		for i := range ids {
			ids[i] = int32(first + i)
		}
		set.Gather(w.points, ids)
	}
	for g := range w.packed {
		w.eval.PackRows(&w.packed[g], &w.bank.Groups[g], set)
	}
}

// panel takes 32 points as the columns.
func (w *alignWorker) panel(p int) {
	if w.set != nil {
		w.part = w.set.Panel(p*simd.Width, &w.buffer)
	} else {
		w.part = PanelOf(w.points, p, &w.buffer)
	}
	w.lanes = min(simd.Width, w.k-p*simd.Width)
}

// each computes every kernel between the rows and the panel, [row][32], in storage order, and the
// labels' kernel last. The values are lent to f, which may change them.
//
// Values are normalised spherically where the kernel is; the factors of the multiplicative
// normalisation are left to the caller.
func (w *alignWorker) each(f func(m int, value []float64)) {
	pairs := w.count * simd.Width
	for k := range w.bank.Groups {
		g := &w.bank.Groups[k]
		w.eval.PackColumns(&w.cols, g, &w.part, w.n)
		w.eval.Base(w.base[:g.TileSize(w.count)], g, &w.packed[k], 0, w.count, &w.cols, nil)
		for i := range g.Members {
			m := &g.Members[i]
			w.eval.values(w.value[:pairs], w.base, m, &w.packed[k], &w.cols)
			f(g.First+i, w.value[:pairs])
		}
	}
	for e := range pairs {
		w.value[e] = w.others
		i, j := w.first+e/simd.Width, w.part.First+e%simd.Width
		if j < w.k && w.classes[w.id(i)] == w.classes[w.id(j)] {
			w.value[e] = 1
		}
	}
	f(w.side-1, w.value[:pairs])
}

// addRows adds the values of kernel m on panel p to the sums of the rows. A point with itself has
// weights of its own.
func (w *alignWorker) addRows(m, p int, value []float64) {
	if w.plain {
		return
	}
	for i := range w.count {
		row, s := value[i*simd.Width:(i+1)*simd.Width], 0.0
		if j := w.first + i - p*simd.Width; j >= 0 && j < simd.Width {
			w.centring[i*w.side+m] += w.itself * row[j]
			w.weighted[i*w.side+m] += w.same * row[j]
			for c, v := range row {
				if c != j {
					s += v
				}
			}
		} else {
			for _, v := range row {
				s += v
			}
		}
		w.centring[i*w.side+m] += s
		w.weighted[i*w.side+m] += w.other * s
	}
}

// transpose lays 32 kernels out by pair of points. It reads eight of them at a time, because each
// is a stream of its own through memory.
func (w *alignWorker) transpose(panel int) {
	pairs := w.count * simd.Width
	to := w.columns[panel*simd.Width*w.rows*simd.Width:][:pairs*simd.Width]
	const side = 8
	for first := 0; first < min(simd.Width, w.side-panel*simd.Width); first += side {
		a := w.few[first : first+side]
		a0, a1, a2, a3 := a[0][:pairs], a[1][:pairs], a[2][:pairs], a[3][:pairs]
		a4, a5, a6, a7 := a[4][:pairs], a[5][:pairs], a[6][:pairs], a[7][:pairs]
		for e := range pairs {
			out := (*[side]float64)(to[e*simd.Width+first:])
			out[0], out[1], out[2], out[3] = a0[e], a1[e], a2[e], a3[e]
			out[4], out[5], out[6], out[7] = a4[e], a5[e], a6[e], a7[e]
		}
	}
}

// multiply adds the products of all kernels over the pairs with panel p. A pair of different
// points counts twice, for both its orders.
func (w *alignWorker) multiply(p int) {
	pairs := w.count * simd.Width
	for e := range pairs {
		i, j := w.first+e/simd.Width, p*simd.Width+e%simd.Width
		switch {
		// This pair counts with its other order, or is none.
		case j >= w.k || j < i:
			w.weights[e] = 0
		case j == i:
			w.weights[e] = w.same
		default:
			w.weights[e] = 2 * w.other
		}
	}
	for b := range blocks(w.side) {
		panel, first := b*simd.Rows/simd.Width, b*simd.Rows%simd.Width
		from, to := w.columns[panel*simd.Width*w.rows*simd.Width:],
			w.lines[b*pairs*simd.Rows:][:pairs*simd.Rows]
		for e, weight := range w.weights[:pairs] {
			x, y := (*[simd.Rows]float64)(from[e*simd.Width+first:]),
				(*[simd.Rows]float64)(to[e*simd.Rows:])
			for i := range x {
				y[i] = weight * x[i]
			}
		}
	}
	at := 0
	for panel := range panelsOf(w.side) {
		n := tileBlocks(w.side, panel)
		x := w.columns[panel*simd.Width*w.rows*simd.Width:][:pairs*simd.Width]
		// The values of kernels in pairs of points are features of kernels here: the same routine
		// multiplies both.
		simd.Product(w.tile[:n*tile], w.lines[:n*pairs*simd.Rows], x, pairs, nil)
		for i, v := range w.tile[:n*tile] {
			w.sums.products[at+i] += v
		}
		at += n * tile
	}
}

// finish adds the sums of the rows to those over all rows.
func (w *alignWorker) finish() {
	for i := range w.count {
		z, y := w.centring[i*w.side:(i+1)*w.side], w.weighted[i*w.side:(i+1)*w.side]
		for a, x := range z {
			w.sums.centring[a] += x
			w.sums.weighted[a] += y[a]
			squares, crossed := w.sums.squares[a*w.side:(a+1)*w.side],
				w.sums.crossed[a*w.side:(a+1)*w.side]
			for b, v := range z {
				squares[b] += x * v
				crossed[b] += y[a] * v
			}
		}
	}
}
