package verify

import (
	"math/rand/v2"
	"slices"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// This file recomputes the factors of the multiplicative normalisation, which divides each kernel
// by its variance in feature space,
//
//	var_m = 1/n sum_i k_m(x_i,x_i) - 1/n^2 sum_ij k_m(x_i,x_j)
//	      = (1 - 1/n) (mean of k_m(x_i,x_i) - mean of k_m(x_i,x_j) over i /= j).
//
// They are checked because a wrong factor makes another problem whose gap may be just as small,
// and does not show in any value if the kernel has no weight. They are recomputed by the
// definition that training has, so nothing but rounding lies between the two. The first mean is
// over all rows. The second is over all pairs of up to allPairs rows, and of more rows over the
// pairs of somePairs, which the seed of the model draws. The variance of a linear kernel is the
// variance of its features.
const (
	allPairs  = 10000
	somePairs = 2048

	// This number and a seed start the generator that draws rows, or kernels: "normal" in ASCII. It
	// keeps the draw apart from the draws of other users of the seed, and has to be the draw of
	// training.
	normalStream = 0x6e6f726d616c

	// To verify a sample is to take seconds, which this many multiplications fit in. The value of a
	// kernel at its base counts as perValue of them.
	sampledWork = 1 << 36
	perValue    = 64
)

// variances gathers from the rows, as they are read, what the variances of the kernels are
// computed from. A nil pointer means a model without factors to check; its methods do nothing.
//
// Rows whose pairs count are kept until all rows have been read: at most allPairs of them.
type variances struct {
	problem        *problem
	groups         []checkedGroup
	drawn          []int32   // numbers of the rows whose pairs count, ascending; nil if all do
	rows           []keptRow // those rows
	featureMoments           // over all rows

	diagonal []neumaier // of each kernel sum_i k(x_i,x_i)
	top      []neumaier // the same less the constant of a wide kernel
	rough    []neumaier // and the sum of magnitude, by which that may be rounded
	having   []float64  // of each kernel the number of rows that have its view
	pairs    []float64  // and how many of these are among the rows whose pairs count
	waiting  []row      // rows whose k(x,x) are still to be added
	bases    bases
}

// newVariances returns the check of the factors of p, or nil if the model has none. The seed
// chooses the kernels that the check of a sample is confined to.
func newVariances(p *problem, seed uint64) *variances {
	m := p.m
	d := 0
	if laidOut(m) {
		d = m.Features
	}
	// The factors of a stream belong to rows that need not be among these.
	if m.Stream != nil || m.Normalization.Scale == nil || d == 0 && slices.ContainsFunc(m.Kernels, model.NeedsFeatures) {
		return nil
	}
	kernels := len(p.bank.Kernels)
	v := &variances{problem: p, diagonal: make([]neumaier, kernels), top: make([]neumaier, kernels), rough: make([]neumaier, kernels),
		bases: bases{problem: p}}
	v.having, v.pairs = make([]float64, kernels), make([]float64, kernels)
	v.mean, v.deviance, v.size = make([]float64, d), make([]float64, d), make([]float64, d)
	if m.Points > allPairs {
		v.drawn = drawRows(m.Points, somePairs, m.Seed)
	}
	wanted := v.chooseKernels(seed)
	for i := range p.groups {
		// Sums are over the rows that have the view of a kernel.
		g := checkedGroup{group: p.groups[i].without(), asymmetric: isAsymmetric(&p.groups[i])}
		g.unitDiagonal = g.base == squaredDistance || g.base == manhattan || g.base == chiSquare
		for _, id := range g.group.kernels {
			if p.normalizer(id) == kernelspec.Multiplicative && wanted(id) {
				g.kernels = append(g.kernels, id)
			}
		}
		if g.kernels != nil {
			v.groups = append(v.groups, g)
		}
	}
	return v
}

// chooseKernels returns whether the factor of a kernel is checked. All are, unless a sample is
// verified: then they are chosen at random, as many as sampledWork allows.
func (v *variances) chooseKernels(seed uint64) func(id int32) bool {
	if !v.problem.sampled {
		return func(int32) bool { return true }
	}
	q := float64(v.problem.m.Points)
	if v.drawn != nil {
		q = somePairs
	}
	dims := make([]int, len(v.problem.bank.Kernels))
	for i := range v.problem.groups {
		for _, id := range v.problem.groups[i].kernels {
			dims[id] = v.problem.groups[i].dim
		}
	}
	taken, work := map[int32]bool{}, 0.0
	for _, id := range rand.New(rand.NewPCG(seed, normalStream)).Perm(len(dims)) {
		if work += q * q / 2 * float64(dims[id]+perValue); work > sampledWork {
			break
		}
		taken[int32(id)] = true
	}
	return func(id int32) bool { return taken[id] }
}

// drawRows returns k different numbers below n, ascending. It has to draw as training does, with
// Floyd's algorithm and the remainder of a 64-bit number, or the pairs would be other pairs.
func drawRows(n, k int, seed uint64) []int32 {
	random := rand.New(rand.NewPCG(seed, normalStream))
	taken := make(map[int32]bool, k)
	for top := n - k; top < n; top++ {
		one := int32(random.Uint64() % uint64(top+1))
		if taken[one] {
			one = int32(top)
		}
		taken[one] = true
	}
	list := make([]int32, 0, k)
	for one := range taken {
		list = append(list, one)
	}
	slices.Sort(list)
	return list
}

// addRow takes the next row; x are its scaled features, which it copies.
func (v *variances) addRow(x []float32) error {
	if v == nil {
		return nil
	}
	k := len(v.rows)
	kept := v.drawn == nil || k < len(v.drawn) && int(v.drawn[k]) == v.seen
	if kept {
		v.rows = append(v.rows, keepRow(v.seen, x))
	}
	for id := range v.having {
		one := &v.problem.bank.Kernels[id]
		if one.Missing != kernelspec.MissingUnsaid && x[one.Index] != 0 {
			continue
		}
		v.having[id]++
		if kept {
			v.pairs[id]++
		}
	}
	v.waiting = append(v.waiting, row{id: v.seen, x: slices.Clone(x)})
	v.addPoint(x)
	// Up to 256 rows wait, in at most 16 MiB unless 16 rows take more.
	if len(v.waiting) >= min(256, max(16, 1<<22/max(1, len(x)))) {
		return v.addDiagonals()
	}
	return nil
}

// addDiagonals adds k(x,x) of the rows that wait, of all kernels whose diagonal is not 1 by
// definition. The rows wait for each other because a base is computed faster for many.
func (v *variances) addDiagonals() error {
	rows := v.waiting
	v.waiting = v.waiting[:0]
	for i := range v.groups {
		g := &v.groups[i]
		if g.unitDiagonal || len(rows) == 0 {
			continue
		}
		if g.base == productKernel {
			if err := v.productMagnitudes(g, rows); err != nil {
				return err
			}
		}
		if err := v.bases.fill(g.group, rows, 0, 0); err != nil {
			return err
		}
		for _, id := range g.kernels {
			k := &v.problem.bank.Kernels[id]
			for _, self := range v.bases.selfX[:len(rows)] {
				v.diagonal[id].add(value(k, self))
				v.top[id].add(valueLess(k, self, v.problem.wide[id]))
				if g.base != productKernel {
					v.rough[id].add(magnitude(k, self))
				}
			}
		}
	}
	return nil
}

// productMagnitudes adds to rough the magnitudes of the products of a group. A product of count
// factors is rounded count times, each time in proportion to the product of the magnitudes of its
// factors.
func (v *variances) productMagnitudes(g *checkedGroup, rows []row) error {
	all, count := make([]float64, len(rows)), 0
	for i := range all {
		all[i] = 1
	}
	for i := range g.factors {
		f := &g.factors[i]
		if err := v.bases.fill(&f.group, rows, 0, 0); err != nil {
			return err
		}
		count += f.power
		for r := range all {
			minima := v.problem.minima(f.group.one, &v.featureMoments)
			all[r] *= power(magnitude(f.group.one, v.bases.selfX[r])+minima, f.power)
		}
	}
	for _, id := range g.kernels {
		for _, x := range all {
			v.rough[id].add(float64(count) * x)
		}
	}
	return nil
}
