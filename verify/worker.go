package verify

import (
	"context"
	"math"
)

// worker computes batches, one at a time, in memory of its own.
type worker struct {
	*plan
	x, z, base   []float64 // rows, support vectors and what a group makes of them
	selfX, selfZ []float64
	weights      []float64  // alpha of a tile, times the factor of spherical normalisation
	acc          []float64  // kernels x rows: g_m before its factors
	f            []neumaier // per row
	norms        []neumaier // V_m of the batch, nil if it has no part in them
	size         []float64  // per row: what f is summed of, in absolute values
	sizes        []float64  // the same of norms
	loss, slack  neumaier
	squares      float64   // see totals
	energies     []float64 // likewise
	counted      int
}

// process computes f, the loss and the parts of V_m of a batch.
func (w *worker) process(ctx context.Context, b *batch) error {
	w.f = append(w.f[:0], make([]neumaier, len(b.rows))...)
	w.size = append(w.size[:0], make([]float64, len(b.rows))...)
	w.norms, w.sizes, w.energies = w.norms[:0], w.sizes[:0], w.energies[:0]
	if b.inNorm > 0 {
		if w.sampled {
			w.energies = append(w.energies, make([]float64, len(w.bank.Kernels))...)
		}
		w.norms = append(w.norms, make([]neumaier, len(w.bank.Kernels))...)
		w.sizes = append(w.sizes, make([]float64, len(w.bank.Kernels))...)
	}
	for i := range w.groups {
		g := &w.groups[i]
		rows := b.rows
		if !g.active {
			rows = rows[:b.inNorm]
		}
		if len(rows) == 0 {
			continue
		}
		if err := w.group(ctx, g, rows, b.inNorm); err != nil {
			return err
		}
	}
	w.loss, w.slack, w.squares, w.counted = neumaier{}, neumaier{}, 0, 0
	for r, one := range b.rows {
		if one.cost == 0 {
			continue
		}
		w.counted++
		f := w.f[r]
		rough := w.unit * (w.size[r] + w.linear.add(&f, one.x) + math.Abs(w.m.Bias))
		f.add(w.m.Bias)
		loss := lossOf(w.m, one.y, f.value(), one.cost)
		w.loss.add(loss)
		w.squares += loss * loss
		for _, off := range [2]float64{rough, -rough} {
			w.slack.add(math.Abs(lossOf(w.m, one.y, f.value()+off, one.cost) - loss))
		}
	}
	return nil
}

// group adds the kernels of one group.
func (w *worker) group(ctx context.Context, g *group, rows []row, inNorm int) error {
	n, support := len(rows), len(w.m.Support)
	spherical := w.m.Normalization.Kind == "spherical"
	w.acc = sized(w.acc, len(g.kernels)*n)
	clear(w.acc)
	for lo := 0; lo < support; lo += tile {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+tile, support)
		if err := w.fill(g, rows, lo, hi); err != nil {
			return err
		}
		t := hi - lo
		for i, id := range g.kernels {
			k := &w.bank.Kernels[id]
			weights := w.m.Alpha[lo:hi]
			if spherical {
				w.weights = sized(w.weights, t)
				for s, a := range weights {
					w.weights[s] = a * rootInverse(k, w.selfZ[s])
				}
				weights = w.weights
			}
			scale := w.scale(id)
			for r := range w.wanted(id, n, inNorm) {
				sum, size := weighted(k, w.base[r*t:(r+1)*t], weights)
				w.acc[i*n+r] += sum
				if size *= scale; spherical {
					size *= rootInverse(k, w.selfX[r])
				}
				w.size[r] += w.m.Theta[id] * size
				if r < inNorm {
					w.sizes[id] += math.Abs(rows[r].norm) * size
				}
			}
		}
	}
	if support == 0 {
		return nil
	}
	for i, id := range g.kernels {
		scale, theta := w.scale(id), w.m.Theta[id]
		for r := range w.wanted(id, n, inNorm) {
			value := w.acc[i*n+r] * scale
			if spherical {
				value *= rootInverse(&w.bank.Kernels[id], w.selfX[r])
			}
			if theta != 0 {
				w.f[r].add(theta * value)
			}
			if r < inNorm {
				w.norms[id].add(rows[r].norm * value)
				if w.sampled {
					w.energies[id] += math.Abs(rows[r].norm) * value * value
				}
			}
		}
	}
	return nil
}

// wanted is the number of rows that a kernel is computed for: without weight it counts for V_m only.
func (w *worker) wanted(id int32, n, inNorm int) int {
	if w.m.Theta[id] != 0 {
		return n
	}
	return min(n, inNorm)
}

// addTo adds the results of the last batch.
func (w *worker) addTo(t *totals) {
	t.loss.addSum(w.loss)
	t.slack.addSum(w.slack)
	t.squares += w.squares
	t.rows += w.counted
	for m := range w.norms {
		t.v[m].addSum(w.norms[m])
		t.size[m] += w.sizes[m]
	}
	for m, x := range w.energies {
		t.energies[m] += x
	}
}
