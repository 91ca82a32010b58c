package verify

import (
	"context"
	"math"
	"slices"

	"bigmkl/kernelspec"
)

// worker computes batches, one at a time, in memory of its own. Of what the machines share, kernel values, it computes each once.
type worker struct {
	*plan
	x, z, base   []float64 // rows, support vectors and what a group makes of them
	selfX, selfZ []float64
	values       [tile]float64 // of a kernel and a row with a tile, see evaluate
	known        [tile]uint64  // when they were computed
	now          uint64
	roots        []float64  // factors of spherical normalisation of a tile
	from, to     []int      // of each machine, its support vectors in a tile
	acc          []neumaier // kernels x roles: g_m before its factors
	f            []neumaier // per part
	size         []float64  // per part: what f is summed of, in absolute values
	norms        []neumaier // machines x kernels: V_m of the batch, nil if it has no part in them
	sizes        []float64  // the same of norms
	energies     []float64  // see totals
	losses       []loss     // per machine
	counted      int
}

// process computes f, the losses and the roles of V_m of a batch.
func (w *worker) process(ctx context.Context, b *batch) error {
	w.f = append(w.f[:0], make([]neumaier, b.roles)...)
	w.size = append(w.size[:0], make([]float64, b.roles)...)
	w.norms, w.sizes, w.energies = w.norms[:0], w.sizes[:0], w.energies[:0]
	if b.inNorm > 0 {
		numbers := len(w.machines) * len(w.bank.Kernels)
		if w.sampled {
			w.energies = append(w.energies, make([]float64, numbers)...)
		}
		w.norms = append(w.norms, make([]neumaier, numbers)...)
		w.sizes = append(w.sizes, make([]float64, numbers)...)
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
		if err := w.group(ctx, g, rows, b.roles); err != nil {
			return err
		}
	}
	w.losses, w.counted = append(w.losses[:0], make([]loss, len(w.machines))...), 0
	for r := range b.rows {
		w.lose(&b.rows[r])
	}
	return nil
}

// lose adds the losses of a row.
func (w *worker) lose(one *row) {
	counted := 0
	for q, p := range one.roles {
		if p.cost == 0 {
			continue
		}
		counted = 1
		c, f := &w.machines[p.machine], w.f[one.first+q]
		rough := c.unit * (w.size[one.first+q] + c.linear.add(&f, one.x, w.mean) + math.Abs(c.Bias))
		f.add(c.Bias)
		w.losses[p.machine].add(c.Model, p, f.value(), rough)
	}
	w.counted += counted
}

// group adds the kernels of one group for rows with so many roles.
func (w *worker) group(ctx context.Context, g *group, rows []row, roles int) error {
	support := len(w.m.Support)
	w.acc = sized(w.acc, len(g.kernels)*roles)
	clear(w.acc)
	w.from, w.to = w.from[:0], append(w.to[:0], make([]int, len(w.machines))...)
	for lo := 0; lo < support; lo += tile {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+tile, support)
		if err := w.fill(g, rows, lo, hi); err != nil {
			return err
		}
		w.share(hi)
		t := hi - lo
		for i, id := range g.kernels {
			k, spherical := &w.bank.Kernels[id], w.normalizer(id) == kernelspec.Spherical
			var roots []float64
			if spherical {
				w.roots = sized(w.roots, t)
				for s := range w.roots {
					w.roots[s] = rootInverse(k, w.selfZ[s])
				}
				roots = w.roots
			}
			scale := w.scale(id)
			for r := range rows {
				one := &rows[r]
				w.turn()
				for q := range one.roles {
					p := &one.roles[q]
					c, from, to := &w.machines[p.machine], w.from[p.machine], w.to[p.machine]
					if from == to || !c.wants(id, p) {
						continue
					}
					at := c.at[from:to]
					values := w.evaluate(k, w.base[r*t:(r+1)*t], lo, at)
					size := weighted(&w.acc[i*roles+one.first+q], values, lo, at, c.Alpha[from:to], roots)
					if size *= scale * w.multiples[id] * g.length(); spherical {
						size *= rootInverse(k, w.selfX[r])
					}
					w.size[one.first+q] += c.Theta[id] * size
					if p.norm != 0 {
						w.sizes[w.number(p.machine, id)] += math.Abs(p.norm) * size
					}
				}
			}
		}
	}
	if support > 0 {
		for i := range g.kernels {
			w.finish(g.kernels[i], rows, w.acc[i*roles:(i+1)*roles])
		}
	}
	return nil
}

// share finds the support vectors of each machine in the tile that ends before hi.
func (w *worker) share(hi int) {
	w.from = append(w.from[:0], w.to...)
	for k := range w.machines {
		at := w.machines[k].at[w.from[k]:]
		n, _ := slices.BinarySearch(at, int32(hi))
		w.to[k] += n
	}
}

// finish gives the sums of a kernel its factors and adds them up.
func (w *worker) finish(id int32, rows []row, acc []neumaier) {
	scale, spherical := w.scale(id), w.normalizer(id) == kernelspec.Spherical
	for r := range rows {
		for q := range rows[r].roles {
			p, i := &rows[r].roles[q], rows[r].first+q
			c := &w.machines[p.machine]
			if !c.wants(id, p) {
				continue
			}
			value := acc[i].value() * scale
			if spherical {
				value *= rootInverse(&w.bank.Kernels[id], w.selfX[r])
			}
			if theta := c.Theta[id]; theta != 0 {
				w.f[i].add(theta * value)
			}
			if p.norm != 0 {
				n := w.number(p.machine, id)
				w.norms[n].add(p.norm * value)
				if w.sampled {
					w.energies[n] += math.Abs(p.norm) * value * value
				}
			}
		}
	}
}

// number is the place of a kernel of a machine.
func (w *worker) number(machine, id int32) int { return int(machine)*len(w.bank.Kernels) + int(id) }

// wants tells whether a kernel is computed for a role: without weight it counts for V_m only.
func (c *machine) wants(id int32, p *role) bool { return c.Theta[id] != 0 || p.norm != 0 }

// addTo adds the results of the last batch.
func (w *worker) addTo(t *totals) {
	t.rows += w.counted
	for k := range w.losses {
		t.losses[k].addSum(&w.losses[k])
	}
	for i := range w.norms {
		t.v[i].addSum(w.norms[i])
		t.size[i] += w.sizes[i]
	}
	for i, x := range w.energies {
		t.energies[i] += x
	}
}
