package verify

import "context"

// worker computes batches, one at a time, in memory of its own.
type worker struct {
	*plan
	x, z, base   []float64 // rows, support vectors and what a group makes of them
	selfX, selfZ []float64
	weights      []float64  // alpha of a tile, times the factor of spherical normalisation
	acc          []float64  // kernels x rows: g_m before its factors
	f            []neumaier // per row
	norms        []neumaier // V_m of the batch, nil if it has no part in them
	loss         neumaier
	counted      int
}

// process computes f, the loss and the parts of V_m of a batch.
func (w *worker) process(ctx context.Context, b *batch) error {
	w.f = append(w.f[:0], make([]neumaier, len(b.rows))...)
	w.norms = w.norms[:0]
	if b.inNorm > 0 {
		w.norms = append(w.norms, make([]neumaier, len(w.bank.Kernels))...)
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
	w.loss, w.counted = neumaier{}, 0
	for r, one := range b.rows {
		if one.cost == 0 {
			continue
		}
		w.counted++
		f := w.f[r]
		w.linear.add(&f, one.x)
		f.add(w.m.Bias)
		w.loss.add(one.cost * max(0, 1-one.y*f.value()))
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
			for r := range w.wanted(id, n, inNorm) {
				w.acc[i*n+r] += weighted(k, w.base[r*t:(r+1)*t], weights)
			}
		}
	}
	if support == 0 {
		return nil
	}
	for i, id := range g.kernels {
		scale, theta := 1.0, w.m.Theta[id]
		if w.m.Normalization.Kind == "multiplicative" {
			scale = w.m.Normalization.Scale[id]
		}
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
	t.rows += w.counted
	for m := range w.norms {
		t.v[m].addSum(w.norms[m])
	}
}
