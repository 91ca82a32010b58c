package verify

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bigmkl/kernelspec"
	"bigmkl/model"
)

// The multiplicative normalisation divides each kernel by its variance in feature space,
//
//	v_m = 1/n sum_i k_m(x_i,x_i) - 1/n^2 sum_ij k_m(x_i,x_j)
//	    = (1 - 1/n) (mean of k_m(x_i,x_i) - mean of k_m(x_i,x_j) over i /= j).
//
// It is checked because a wrong factor makes another problem, and need not show in the values: that of a kernel without weight
// does not. It is recomputed by the definition that training has, so that nothing but rounding is between the two: the first mean is
// that of all rows; the second is that of all pairs of up to allPairs rows, and with more rows that of the pairs of somePairs rows, which
// the seed of the model draws. Linear kernels have the variance of their features.
const (
	allPairs  = 10000
	somePairs = 2048

	normalStream = 0x6e6f726d616c // of the generator that draws the rows, beside the seed: "normal"
	vanishing    = 1e-12          // a variance of at most this share of the mean of k(x,x) counts as 0: the factor is 0, then
	recomputed   = 1e-3           // below this share of it training takes double precision in any case
	ofFactors    = 64             // roundings of a factor: 480 honest ones, most of heavy tails, needed up to 7
	sampledWork  = 1 << 36        // products that verifying a sample spends on the factors: some seconds
	perValue     = 64             // products that take as long as a value of a kernel for its base

	// Training takes squared distances from norms and products only up to so many roundings of the norms, in single and in double precision.
	normsInSingle = 1e-4 / inSingle
	normsInDouble = 1e-9 / inDouble
)

// variances gathers on the way through the data what the check takes; nil where there is nothing to check.
type variances struct {
	plan           *plan
	groups         []normalized
	drawn          []int32   // numbers of the rows whose pairs are taken, ascending; nil: all
	rows           []kept    // those rows
	mean, deviance []float64 // of each feature, and its sum of squared deviations
	size           []float64 // and the sum of its absolute values
	diagonal       []neumaier
	rough          []neumaier // see magnitude
	seen           int
	waiting        []row // whose diagonals are still to be added
	w              *worker
}

// normalized is the kernels of a group whose factors are checked.
type normalized struct {
	*group
	kernels []int32
	both    bool // values of (x,z) and (z,x) may differ within what training tolerates
	unit    bool // k(x,x) = 1
}

// newVariances makes the check. seed chooses the factors that a sample checks.
func newVariances(p *plan, seed uint64) *variances {
	m := p.m
	d := 0
	if laidOut(m) {
		d = m.Features
	}
	if m.Normalization.Scale == nil || d == 0 && slices.ContainsFunc(m.Kernels, model.NeedsFeatures) {
		return nil
	}
	kernels := len(p.bank.Kernels)
	v := &variances{plan: p, mean: make([]float64, d), deviance: make([]float64, d), size: make([]float64, d),
		diagonal: make([]neumaier, kernels), rough: make([]neumaier, kernels), w: &worker{plan: p}}
	if m.Points > allPairs {
		v.drawn = drawRows(m.Points, somePairs, m.Seed)
	}
	wanted := v.affordable(seed)
	for i := range p.groups {
		g := normalized{group: &p.groups[i], both: asymmetric(&p.groups[i])}
		g.unit = g.base == squared || g.base == manhattan || g.base == chiSquare
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

// asymmetric tells whether (x,z) and (z,x) are computed by what need not be symmetric to the last digit: matrices and code of the user.
func asymmetric(g *group) bool {
	return g.base == matrixRow || g.base == foreign || slices.ContainsFunc(g.factors, func(f factor) bool { return asymmetric(&f.group) })
}

// affordable tells which kernels' factors are checked: all, but of a sample as many, at random, as a limited time allows.
func (v *variances) affordable(seed uint64) func(id int32) bool {
	if !v.plan.sampled {
		return func(int32) bool { return true }
	}
	q := float64(v.plan.m.Points)
	if v.drawn != nil {
		q = somePairs
	}
	dims := make([]int, len(v.plan.bank.Kernels))
	for i := range v.plan.groups {
		for _, id := range v.plan.groups[i].kernels {
			dims[id] = v.plan.groups[i].dim
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

// drawRows gives k different numbers below n, ascending, as training draws them: Floyd's method.
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

// add takes the next row.
func (v *variances) add(x []float32) error {
	if v == nil {
		return nil
	}
	if k := len(v.rows); v.drawn == nil || k < len(v.drawn) && int(v.drawn[k]) == v.seen {
		v.rows = append(v.rows, keep(v.seen, x))
	}
	v.waiting = append(v.waiting, row{id: v.seen, x: slices.Clone(x)})
	v.seen++
	for j, value := range x {
		delta := float64(value) - v.mean[j]
		v.mean[j] += delta / float64(v.seen)
		v.deviance[j] += delta * (float64(value) - v.mean[j])
		v.size[j] += math.Abs(float64(value))
	}
	if len(v.waiting) >= min(256, max(16, 1<<22/max(1, len(x)))) {
		return v.selves()
	}
	return nil
}

// selves adds the diagonals of the rows that wait.
func (v *variances) selves() error {
	rows := v.waiting
	v.waiting = v.waiting[:0]
	for i := range v.groups {
		g := &v.groups[i]
		if g.unit || len(rows) == 0 {
			continue
		}
		if g.base == combined {
			if err := v.productMagnitudes(g, rows); err != nil {
				return err
			}
		}
		if err := v.w.fill(g.group, rows, 0, 0); err != nil {
			return err
		}
		for _, id := range g.kernels {
			k := &v.plan.bank.Kernels[id]
			for _, self := range v.w.selfX[:len(rows)] {
				v.diagonal[id].add(value(k, self))
				if g.base != combined {
					v.rough[id].add(magnitude(k, self))
				}
			}
		}
	}
	return nil
}

// check compares the factors.
func (v *variances) check(ctx context.Context, threads int, f *faults) error {
	if v == nil || v.seen < 2 {
		return nil
	}
	p := v.plan
	n := &p.m.Normalization
	for k, scale := range n.Scale {
		if p.normalizer(int32(k)) != kernelspec.Multiplicative && scale != 1 {
			f.add("factor", "kernel %d is not divided by its variance and has the factor %g", k+1, scale)
		}
	}
	if said := n.SampleSize > 0 && n.SampleSize < v.seen; said != (v.drawn != nil) || said && n.SampleSize != somePairs {
		f.add("factors", "the factors are said to come from the pairs of %d rows; of %d rows training takes %d", n.SampleSize, v.seen, min(v.seen, somePairs))
		return nil
	}
	for _, k := range p.linear {
		if p.normalizer(k) == kernelspec.Multiplicative {
			v.checkLinear(k, f)
		}
	}
	if err := v.selves(); err != nil {
		return err
	}
	sums, sizes, err := v.pairs(ctx, threads)
	if err != nil {
		return err
	}
	for i := range v.groups {
		g := &v.groups[i]
		for _, id := range g.kernels {
			diagonal, rough := 1.0, 1.0
			if !g.unit {
				diagonal, rough = v.diagonal[id].value()/float64(v.seen), v.rough[id].value()/float64(v.seen)
			}
			k, q := &p.bank.Kernels[id], float64(len(v.rows))
			others, size := sums[id].value()/(q*(q-1)), sizes[id].value()/(q*(q-1))
			rough *= g.length()
			c := factorCheck{id, (diagonal - others) * (1 - 1/float64(v.seen)), diagonal, rough + v.minima(k), v.widths(k), math.Abs(diagonal) + size}
			c.hold(p.m, f)
		}
	}
	return nil
}

// checkLinear holds the factor of a linear kernel to the variance of its features, which is computed in double precision always.
func (v *variances) checkLinear(k int32, f *faults) {
	variance, shift := 0.0, 0.0 // the latter is of the mean, once it is rounded to single precision
	v.plan.eachFeature(k, func(j int) {
		variance += v.deviance[j] / float64(v.seen)
		shift += v.mean[j] * v.mean[j] * inSingle * inSingle
	})
	hold(v.plan.m, f, k, variance, conceded*variance+roundings*inDouble*shift)
}

// factorCheck is what is known of the factor of a kernel.
type factorCheck struct {
	kernel             int32
	variance, diagonal float64
	rough              float64 // of the values: their magnitude, see there,
	widths             float64 // and how much more often they are rounded where distances come from norms
	summed             float64 // what the variance is summed of, in absolute values
}

// hold holds the factor to the variance.
func (c *factorCheck) hold(m *model.Model, f *faults) {
	scale, unit, norms := m.Normalization.Scale[c.kernel], inSingle, normsInSingle
	wide := m.Precision == "64" || m.Precision == "auto" && (m.Gap < 1e-4 || m.Norm > 2 || m.GroupNorm > 2)
	if wide || scale == 0 || 1/scale < recomputed*(1-conceded)*math.Abs(c.diagonal) {
		unit, norms = inDouble, normsInDouble
	}
	off := ofFactors * unit * (c.rough*(1+2*min(c.widths, norms)) + c.summed)
	if scale == 0 {
		if c.variance < 0 { // of a kernel that is not definite, or of a sample
			return
		}
		off += vanishing * math.Abs(c.diagonal)
	}
	hold(m, f, c.kernel, c.variance, off)
}

// hold compares what a factor stands for with the variance, which is known within off.
func hold(m *model.Model, f *faults, k int32, variance, off float64) {
	claimed := 0.0 // a kernel without variance has factor 0
	if scale := m.Normalization.Scale[k]; scale > 0 {
		claimed = 1 / scale
	}
	if !(math.Abs(claimed-variance) <= off) {
		f.add("factor", "the factor of kernel %d stands for a variance of %.9g, these data give %.9g", k+1, claimed, variance)
	}
}
