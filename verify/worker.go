package verify

import (
	"context"
	"math"
	"slices"
)

// This file evaluates a batch of rows: the decision values, the losses and the parts of V_m.

// worker evaluates batches, one at a time, in memory of its own. It belongs to one goroutine.
// Kernel values, which take most of the time, are computed once for all classifiers.
type worker struct {
	bases
	values kernelValues
	// roots has the factors of the rows of the tile for a kernel, in each set of gates: 1/sqrt(k(z,z)) of
	// spherical normalisation, and the gates. They are nil if all are 1.
	roots [][]float64

	// from and to bound, for each classifier, its support vectors that lie in the tile.
	from, to []int

	// sums holds g_m(x_i) before its factors: for each kernel of a group, one number for each role.
	sums []neumaier

	// decisions and sizes hold, for each role of the batch, f(x_i) without bias and linear kernels,
	// and the sum of the absolute values of its terms.
	decisions []neumaier
	sizes     []float64

	// norms and normSizes hold V_m and the sum of the absolute values of its terms, classifiers x
	// kernels. Both are empty if no row of the batch is a support vector.
	norms     []neumaier
	normSizes []float64

	energies []float64     // sum |alpha_s| g_m(x_s)^2, classifiers x kernels, for a sample only
	losses   []loss        // of each classifier
	slope    []slopeTotals // of each set of gates
	counted  int           // rows of the batch with a part in some loss
	own      wingSums      // that the wing has
}

// processBatch evaluates the batch b. Its results stay in the worker for takeSums. It
// returns ctx's error if ctx ends before the batch does.
func (w *worker) processBatch(ctx context.Context, b *batch) error {
	w.decisions = append(w.decisions[:0], make([]neumaier, b.roles)...)
	w.sizes = append(w.sizes[:0], make([]float64, b.roles)...)
	w.norms, w.normSizes, w.energies = w.norms[:0], w.normSizes[:0], w.energies[:0]
	if b.inNorm > 0 {
		numbers := len(w.classifiers) * len(w.bank.Kernels)
		if w.sampled {
			w.energies = append(w.energies, make([]float64, numbers)...)
		}
		w.norms = append(w.norms, make([]neumaier, numbers)...)
		w.normSizes = append(w.normSizes, make([]float64, numbers)...)
	}
	// A group without any weight does not affect the decision values: only V_m needs it, for the
	// dual value, and V_m needs only the support vectors, which come first in the batch.
	for i := range w.groups {
		g := &w.groups[i]
		rows := b.rows
		if !g.active {
			rows = rows[:b.inNorm]
		}
		if len(rows) == 0 {
			continue
		}
		if err := w.addGroup(ctx, g, rows, b.roles); err != nil {
			return err
		}
	}
	w.slope = w.gates.newSlopeTotals()
	for r := range b.rows[:b.inNorm] {
		w.gates.addSlope(&b.rows[r], w.slope)
	}
	w.losses, w.counted = append(w.losses[:0], make([]loss, len(w.classifiers))...), 0
	w.own = w.wing.newSums(w.m)
	return w.wing.sumLosses(w, b)
}

// takeSums returns the results of the last batch, which are the worker's until its next.
func (w *worker) takeSums() *totals {
	return &totals{w.counted, w.losses, w.norms, w.normSizes, w.energies, w.slope, w.own}
}

// addGroup adds the kernels of the group g at the rows, which have so many roles in all. The
// support vectors come in tiles, in their order; ctx is looked at once a tile.
func (w *worker) addGroup(ctx context.Context, g *group, rows []row, roles int) error {
	support := len(w.m.Support)
	w.sums = sized(w.sums, len(g.kernels)*roles)
	clear(w.sums)
	w.from, w.to = w.from[:0], append(w.to[:0], make([]int, len(w.classifiers))...)
	// A tile of bases is computed once, used for all kernels of the group and all classifiers, and
	// then overwritten.
	for lo := 0; lo < support; lo += tile {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+tile, support)
		if err := w.fill(g, rows, lo, hi); err != nil {
			return err
		}
		w.findSupport(hi)
		t := hi - lo
		for i, id := range g.kernels {
			k, spherical := &w.bank.Kernels[id], w.divided(id)
			// k(x,z) / sqrt(k(x,x) k(z,z)) and gates: the factor of z differs from term to term, that of
			// x is common to the sum and is applied to it at the end.
			w.findFactors(id, lo, hi)
			less := 0.0
			if w.wide[id] {
				less = constantOf(k)
			}
			scale := w.scale(id)
			for r := range rows {
				one := &rows[r]
				w.values.forget()
				for q := range one.roles {
					p := &one.roles[q]
					c, from, to := &w.classifiers[p.classifier], w.from[p.classifier], w.to[p.classifier]
					if from == to || !p.needs(c.Theta[id]) {
						continue
					}
					// The size is the sum of |alpha_s k_m(x_s,x)|, times how many more roundings a
					// value of this kernel takes than a value that is its own base.
					at := c.support[from:to]
					set := w.gates.of(p.classifier)
					values := w.values.evaluate(k, w.wide[id], w.base[r*t:(r+1)*t], lo, at)
					sum := &w.sums[i*roles+one.first+q]
					size := addWeighted(sum, values, less, lo, at, c.Alpha[from:to], w.roots[set])
					if size *= scale * w.roundingsOfBase[id] * g.length(); spherical {
						size = (size + scale*w.ofRoots(k, r, values, lo, at, c.Alpha[from:to], w.roots[set])) * rootInverse(k, w.selfX[r])
					}
					size *= one.gateOf(set, id)
					w.sizes[one.first+q] += c.Theta[id] * size
					if p.norm != 0 {
						w.normSizes[w.index(p.classifier, id)] += math.Abs(p.norm) * size
						w.gates.addSize(one.slopeOf(set), set, id, c.Theta[id]*math.Abs(p.norm)*size)
					}
				}
			}
		}
	}
	// All tiles are summed. A model without support vectors has no sums.
	if support > 0 {
		for i := range g.kernels {
			w.addKernel(g.kernels[i], rows, w.sums[i*roles:(i+1)*roles])
		}
	}
	return nil
}

// findSupport bounds, for each classifier, its support vectors in the tile that ends before hi. The
// tiles come in ascending order, so each starts where the one before ended.
func (w *worker) findSupport(hi int) {
	w.from = append(w.from[:0], w.to...)
	for k := range w.classifiers {
		at := w.classifiers[k].support[w.from[k]:]
		n, _ := slices.BinarySearch(at, int32(hi))
		w.to[k] += n
	}
}

// addKernel multiplies the sums of kernel id by its normalisation and adds them: theta_m g_m(x_i)
// to the decision values, and alpha_i g_m(x_i) to V_m where x_i is a support vector.
func (w *worker) addKernel(id int32, rows []row, acc []neumaier) {
	scale, spherical := w.scale(id), w.divided(id)
	for r := range rows {
		for q := range rows[r].roles {
			p, i := &rows[r].roles[q], rows[r].first+q
			c := &w.classifiers[p.classifier]
			if !p.needs(c.Theta[id]) {
				continue
			}
			set := w.gates.of(p.classifier)
			value := acc[i].value() * scale * rows[r].gateOf(set, id)
			if spherical {
				value *= rootInverse(&w.bank.Kernels[id], w.selfX[r])
			}
			if theta := c.Theta[id]; theta != 0 {
				w.decisions[i].add(theta * value)
			}
			if p.norm != 0 {
				n := w.index(p.classifier, id)
				w.norms[n].add(p.norm * value)
				w.gates.addTerm(rows[r].slopeOf(set), set, id, c.Theta[id]*p.norm*value)
				if w.sampled {
					w.energies[n] += math.Abs(p.norm) * value * value
				}
			}
		}
	}
}

// addLosses completes the decision values of a row by linear kernels and bias, and adds its
// losses. The error that is conceded to a decision value counts all of its terms, the bias among
// them. visit may be nil.
func (w *worker) addLosses(one *row, visit func(p *role, f, rough float64)) {
	counted := 0
	for q, p := range one.roles {
		if p.cost == 0 { // the row is outside of the sample of the losses
			continue
		}
		counted = 1
		f, rough := w.decision(one, q)
		w.losses[p.classifier].addRow(w.classifiers[p.classifier].Model, p, f, rough)
		if visit != nil {
			visit(&one.roles[q], f, rough)
		}
	}
	w.counted += counted
}

// decision completes the decision value of a row in one of its roles, which may be off by rough.
func (w *worker) decision(one *row, q int) (value, rough float64) {
	c, f := &w.classifiers[one.roles[q].classifier], w.decisions[one.first+q]
	linear := c.linear.addTo(&f, one.x, w.mean)
	rough = c.rounding.term * (w.sizes[one.first+q] + linear + math.Abs(c.Bias))
	f.add(c.Bias)
	return f.value(), rough
}

// index returns the place of a kernel of a classifier in sums over classifiers x kernels.
func (w *worker) index(classifier, id int32) int {
	return int(classifier)*len(w.bank.Kernels) + int(id)
}
