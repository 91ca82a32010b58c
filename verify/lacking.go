package verify

import (
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
)

// A kernel of a view that rows may lack has, at two rows of which one lacks it, the value 0, and at
// two that lack it f d (Lewis 2006, section 2.4.4): d is the mean of k(x,x) over the training rows
// that have the view, and f is 0, 1, or 1 for a row and itself alone. A row shows this by a
// feature, and training row i by i/2^22. Everything here follows from the features of two points.

// filling is what a group has of that.
type filling struct {
	missing kernelspec.Missing
	flag    int32   // the feature that is not 0 in a row that lacks the view
	mean    float64 // d
}

// at returns f d for two points that lack the view, whose flags are a and b.
func (f *filling) at(a, b float32) float64 {
	switch {
	case f.missing == kernelspec.MissingAll,
		f.missing == kernelspec.MissingSelf && a == b && a > 0:
		return f.mean
	}
	return 0
}

// newFilledGroup returns the group of kernel id, which is centred or which rows may lack the view of,
// without kernels. Its only factor is the kernel itself at points that have the view.
func (p *definitions) newFilledGroup(id int32, spherical bool) group {
	k := &p.bank.Kernels[id]
	own := *k
	own.Normalizer = kernelspec.Unnormalized
	if k.Missing != kernelspec.MissingUnsaid {
		own.Missing, own.Index = kernelspec.MissingUnsaid, 0
	}
	inner := p.newGroup(&own, spherical)
	g := group{base: filledKernel, dim: inner.dim, one: k, spherical: spherical,
		factors: []factor{{inner, 1}}}
	if centred(k) {
		g.centre = &centring{mean: p.m.Centre.Means[id]}
	}
	if k.Missing == kernelspec.MissingUnsaid {
		return g
	}
	g.filling = filling{k.Missing, k.Index, p.m.Fill[id]}
	// Both points are divided by the root of d where k is normalised so.
	if spherical {
		g.mean = 1
	}
	return g
}

// fillFilled computes the values of a kernel that is centred, or of a view that rows may lack.
func (w *bases) fillFilled(g *group, rows []row, lo, hi int) error {
	inner := &g.factors[0].group
	if err := w.fill(inner, rows, lo, hi); err != nil {
		return err
	}
	for _, list := range [][]float64{w.base, w.selfX, w.selfZ} {
		for i, b := range list {
			if g.centre != nil {
				list[i] = centredValue(inner.one, b)
			} else {
				list[i] = value(inner.one, b)
			}
		}
	}
	if g.centre != nil {
		means, err := w.meansFor.of(w, g, rows)
		if err != nil {
			return err
		}
		w.centreBases(g, rows, means, lo)
	}
	if g.missing == kernelspec.MissingUnsaid {
		return nil
	}
	t := hi - lo
	flags := make([]float32, t)
	for s := range flags {
		flags[s] = w.m.Vector(lo + s)[g.flag]
		if flags[s] != 0 {
			w.selfZ[s] = g.at(flags[s], flags[s])
		}
	}
	for r := range rows {
		own := rows[r].x[g.flag]
		if own != 0 {
			w.selfX[r] = g.at(own, own)
		}
		for s, flag := range flags {
			switch {
			case own != 0 && flag != 0:
				w.base[r*t+s] = g.at(own, flag)
			case own != 0 || flag != 0:
				w.base[r*t+s] = 0
			}
		}
	}
	return nil
}

// without returns the group with nothing filled in, of which sums over rows are those over the rows
// that have the view.
func (g *group) without() *group {
	own := *g
	own.missing = kernelspec.MissingNone
	return &own
}

// fills gathers the means of k(x,x) over the rows that have a view. nil does nothing.
type fills struct {
	problem *problem
	kernels []int32 // those that fill something in
	sums    []neumaier
	sizes   []float64
	having  []float64
}

// newFills returns nil for a model without such kernels, and for one whose rows are not laid out.
func newFills(p *problem) *fills {
	if p.m.Fill == nil || !laidOut(p.m) {
		return nil
	}
	f := &fills{problem: p}
	for id := range p.bank.Kernels {
		if p.bank.Kernels[id].Missing != kernelspec.MissingUnsaid {
			f.kernels = append(f.kernels, int32(id))
		}
	}
	n := len(f.kernels)
	f.sums, f.sizes, f.having = make([]neumaier, n), make([]float64, n), make([]float64, n)
	return f
}

// addRow adds a row.
func (f *fills) addRow(x []float32) {
	if f == nil {
		return
	}
	for i, id := range f.kernels {
		k := &f.problem.bank.Kernels[id]
		if x[k.Index] != 0 {
			continue
		}
		v := f.self(id, x)
		f.sums[i].add(v)
		f.sizes[i] += math.Abs(v)
		f.having[i]++
	}
}

// self returns k(x,x) by its definition.
func (f *fills) self(id int32, x []float32) float64 {
	own := f.problem.bank.Kernels[id]
	if f.problem.divided(id) {
		return 1
	}
	b := 0.0
	for _, j := range f.problem.bank.Features(own.Set) {
		switch baseOf(own.Kind) {
		case innerProduct:
			b += float64(x[j]) * float64(x[j])
		case minimumSum:
			b += float64(x[j])
		}
	}
	own.Missing = kernelspec.MissingUnsaid
	return value(&own, b)
}

// check compares the means that the model claims with the means of the rows.
func (f *fills) check(to *faults) {
	if f == nil {
		return
	}
	for i, id := range f.kernels {
		n := math.Max(1, f.having[i])
		mean, size := f.sums[i].value()/n, f.sizes[i]/n
		// Training leaves 1 where every value is 1, even of no row.
		k := &f.problem.bank.Kernels[id]
		b := baseOf(k.Kind)
		unit := b == squaredDistance || b == manhattan || b == chiSquare
		if unit || f.problem.divided(id) {
			mean, size = 1, 1
		}
		if own := f.problem.m.Fill[id]; !(math.Abs(own-mean) <= conceded*size*(1+float64(k.Degree))) {
			to.add("fill", "kernel %d fills in %v where rows lack its view, the data have %v",
				id+1, own, mean)
		}
	}
	for id, x := range f.problem.m.Fill {
		if x != 0 && f.problem.bank.Kernels[id].Missing == kernelspec.MissingUnsaid {
			to.add("fill", "kernel %d fills nothing in and has %v for that", id+1, x)
		}
	}
}

// withFlags returns the source of the training rows as the model takes them. What views they lack
// is told by the options: to leave that out, or to set it for another model, is of class usage.
func withFlags(p *problem, o *Options, src dataset.Source) (dataset.Source, error) {
	var extended dataset.Source
	for _, x := range p.extensions {
		if own := x.source(src); own != nil {
			extended = own
		}
	}
	switch {
	case p.m.Fill == nil && o.Missing != "":
		return nil, fail.New(fail.Usage, "missing views for a model whose kernels take none").
			WithHint("leave --missing out")
	case extended != nil:
		return extended, nil
	case p.m.Fill == nil:
		return p.m.Occurring.Number(src), nil
	case o.Missing == "":
		return nil, fail.New(fail.Usage, "the rows of the model may lack views, and it is not given which").
			WithHint("give what the training was given with --missing")
	}
	missing, err := dataset.ReadMissing(o.Missing, p.m.Views)
	return dataset.WithFlags(src, p.m.Views, missing, true), err
}
