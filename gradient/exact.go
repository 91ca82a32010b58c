package gradient

import (
	"context"
	"slices"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// exact computes sums over the points of its fields again, in float64 and from alpha alone. They show how far
// the gradients that are held are off.
type exact struct{ *fields }

// decide returns sum_m theta_m g_m of a few points, for the kernels of any bank of the same points. Support vectors
// are taken some at a time, as their features take memory, and in an order that keeps the sums small. The sums are
// more exact than the gradients that they are compared with.
func (ex exact) decide(ctx context.Context, bank *kernels.Bank, sample []int,
	alpha, theta []float64) ([]float64, error) {
	at := ex.tables.collect(bank, sample)
	c := Columns{Len: len(sample)}
	for p := range at.panels() {
		c.Panels = append(c.Panels, at.points.Panel(p*simd.Width, &kernels.PanelBuffer{}))
	}
	list := balanced(alpha)
	sum, part := make([]float64, c.Len), make([]float64, c.Len)
	// Dual variables that do not sum to 0 see the constants of wide kernels.
	if constants := bank.Constants(); constants != nil {
		constant, total := 0.0, 0.0
		for m, x := range constants {
			constant += theta[m] * x
		}
		for _, i := range list {
			total += alpha[i]
		}
		for i := range sum {
			sum[i] = constant * total
		}
	}
	theta = ex.project(bank, &c, list, alpha, theta, sum)
	// Parts are added in their order, in float64.
	parts := cut(len(list), decisionRows)
	first, own := slices.Clone(sum), ex.frame()
	for k, r := range parts {
		o := Output{Theta: theta}
		for _, i := range list[r[0]:r[1]] {
			o.Alpha = append(o.Alpha, alpha[i])
		}
		f := &Function{
			Bank: bank, Points: ex.tables.collect(bank, list[r[0]:r[1]]).points,
			Outputs: []Output{o}, Threads: ex.opt.Threads, tables: ex.tables,
		}
		clear(part)
		if ex.team.mine(k) {
			if err := f.Values(ctx, c, true, part); err != nil {
				return nil, err
			}
			if !ex.team.alone() {
				own = append(own, part...)
			}
		}
		for i, x := range part {
			sum[i] += x
		}
	}
	if ex.team.alone() {
		return sum, nil
	}
	sent, err := ex.send(own)
	if err != nil || sent == nil {
		return sum, err
	}
	for k := range parts {
		for i, x := range sent.take(k%ex.team.ranks.Size(), c.Len) {
			first[i] += x
		}
	}
	return first, nil
}

// project adds the linear kernels that are centred to sums at some points, by their vectors
// sum_i alpha_i (x_i - shift), and returns the weights of the other kernels. Values of such a kernel
// would lose the digits of a decision where the points are much closer to each other than to the
// shift, as those that have none of a large feature are. list has the support vectors. Every rank has
// all of their features.
func (ex exact) project(bank *kernels.Bank, c *Columns, list []int, alpha, theta, sum []float64) []float64 {
	if some, _ := linearKernels(bank); !some {
		return theta
	}
	vector := kernels.NewVectorSum(bank.Shift)
	for _, r := range cut(len(list), decisionRows) {
		var part []float64
		for _, i := range list[r[0]:r[1]] {
			part = append(part, alpha[i])
		}
		vector.Add(collect(ex.points, list[r[0]:r[1]]).points, nil, part)
	}
	v := vector.Values()
	others := slices.Clone(theta)
	for i := range bank.Groups {
		g := &bank.Groups[i]
		if g.Base != kernels.CentredProduct {
			continue
		}
		weight := 0.0
		for _, m := range g.Members {
			weight += theta[m.ID] * bank.Factor(int(m.ID))
			others[m.ID] = 0
		}
		if weight == 0 {
			continue
		}
		origin := bank.Offset(g, v)
		for p := range c.Panels {
			var products [simd.Width]float64
			project(g, v, origin, &c.Panels[p], &products)
			for j := range min(simd.Width, c.Len-p*simd.Width) {
				sum[p*simd.Width+j] += weight * products[j]
			}
		}
	}
	return others
}

// deviationPanels is the number of panels of support vectors that are taken together.
const deviationPanels = 32

// weigh sets e to sum_s d_s (K_m alpha)_s for the kernels of any bank of the same points, computed
// again in float64. Linear kernels have 0.
func (ex exact) weigh(ctx context.Context, bank *kernels.Bank, sample []int,
	d, alpha, e []float64) error {
	factor := normalizers(bank)
	rows := ex.tables.collect(bank, sample)
	workers := make([]deviation, max(ex.opt.Threads, 1))
	sums := make([]float64, bank.Len())
	list := balanced(alpha)
	// The points of the sample are the rows and the support vectors the columns: there are few of
	// the former, and they are packed once for each part.
	for _, r := range cut(len(list), deviationPanels*simd.Width) {
		part := ex.tables.collect(bank, list[r[0]:r[1]])
		weight := make([]float64, part.panels()*simd.Width)
		for k, i := range part.index {
			weight[k] = alpha[i]
		}
		// A group is one item: its kernels are summed in the order of the panels, however many
		// threads there are.
		err := each(ctx, len(workers), len(bank.Groups), func(at, item int) error {
			g := &bank.Groups[item]
			if g.Base != kernels.CentredProduct && ex.team.mine(item) {
				if workers[at].eval == nil {
					workers[at].eval = evaluator[float64](ex.tables, bank)
				}
				workers[at].add(&factor, g, rows, part, d, weight,
					sums[g.First:g.First+len(g.Members)])
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := ex.collectGroups(bank, sums); err != nil {
		return err
	}
	for id, at := range bank.Places() {
		e[id] = sums[at]
	}
	return nil
}

// weighHeld sets held to sum_s d_s g_m,s of the gradients that are held. Linear kernels have 0.
//
// Both these sums and those that are computed again are of the size of V_m, and their difference
// is what rounding has done.
func (ex exact) weighHeld(sample []int, d, held []float64) error {
	// Points are added in their order, however many are gathered at a time.
	for _, r := range cut(len(sample), max(1, movedBytes/8/ex.bank.Len())) {
		points, err := ex.gathered(ex.now, sample[r[0]:r[1]], nil)
		if err != nil {
			return err
		}
		if points == nil {
			continue
		}
		for i := range ex.bank.Groups {
			g := &ex.bank.Groups[i]
			if g.Base == kernels.CentredProduct {
				continue
			}
			for k := range g.Members {
				for s := r[0]; s < r[1]; s++ {
					held[g.Members[k].ID] += d[s] * points.of(s - r[0])[(g.First+k)*points.stride]
				}
			}
		}
	}
	return nil
}

// deviation is the memory of one goroutine.
type deviation struct {
	worker[float64]
	lanes []float64
}

// add adds sum_j weight_j sum_s d_s k_m(s, j) over the panels of columns to the sums of a group's
// kernels.
func (w *deviation) add(factor *scaled, g *kernels.Group, rows, columns *workingSet,
	d, weight, sums []float64) {
	w.lanes = grow(w.lanes, len(g.Members)*simd.Width)
	var panel kernels.Panel
	load := func(p int) *kernels.Panel {
		panel = columns.points.Panel(p*simd.Width, w.buffer(0))
		return &panel
	}
	add := func(p int, base []float64) {
		clear(w.lanes)
		if w.haveFactors(g) {
			w.addFactored(factor, g, &w.rows, base, d, w.lanes)
		} else {
			w.eval.Sum(w.lanes, base, d, g, factor.of(g))
		}
		for k := range sums {
			for j, x := range w.lanes[k*simd.Width : (k+1)*simd.Width] {
				sums[k] += weight[p*simd.Width+j] * x
			}
		}
	}
	w.makeBases(g, rows.points, columns.panels(), len(columns.index), load, add)
}
