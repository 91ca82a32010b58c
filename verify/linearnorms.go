package verify

import (
	"math"

	"bigmkl/internal/fail"
	"bigmkl/internal/host"
	"bigmkl/internal/kernelspec"
)

// This file computes the linear parts of all classifiers, and the norms that follow from them.

// skipsSupport reports whether kernel k is evaluated by the linear parts. The spherical
// normalisation divides each point by its own norm, which no sum over the support vectors can
// anticipate; and where the dual variables do not sum to 0 the points may not be centred.
func (p *problem) skipsSupport(k int32) bool {
	return p.bank.Kernels[k].Kind == kernelspec.Linear &&
		!isBase(&p.bank.Kernels[k]) && p.normalizer(k) != kernelspec.Spherical &&
		p.m.HasVectors() && alphaSum(p.m) == 0 && !p.traits.unbalanced && !p.extended.uncancelled
}

// sumLinear computes v = sum_s alpha_s (x_s - mean) of each classifier, and its weights by feature,
// in one pass over the support vectors. It returns an error of class budget if these vectors
// would take more than half of the computer's memory: their length is the number of all features,
// however few of them are used.
func (p *problem) sumLinear() error {
	d := len(p.mean)
	if d == 0 {
		p.linear = nil // without support vectors all V_m are 0
	}
	if len(p.linear) == 0 {
		return nil
	}
	if most := host.Memory(); most > 0 && int64(d) > most/2/int64(len(p.classifiers))/bytesOfFeature {
		return fail.New(fail.Budget, "the linear kernels of %d classifiers over %d features take more than half of the memory",
			len(p.classifiers), d)
	}
	sums, next := make([][]neumaier, len(p.classifiers)), make([]int, len(p.classifiers))
	for k := range p.classifiers {
		l := &p.classifiers[k].linear
		sums[k], l.vector = make([]neumaier, d), make([]float64, d)
		l.sizes, l.squares, l.weight = make([]float64, d), make([]float64, d), make([]float64, d)
	}
	// Each vector is read once for all classifiers, of which few may use it.
	for s := range p.m.Support {
		x := p.m.Vector(s)
		for k := range p.classifiers {
			c := &p.classifiers[k]
			if next[k] == len(c.support) || int(c.support[next[k]]) != s {
				continue
			}
			a := c.Alpha[next[k]]
			next[k]++
			for j, v := range x {
				term := a * (float64(v) - p.mean[j])
				sums[k][j].add(term)
				c.linear.sizes[j] += math.Abs(term)
				c.linear.squares[j] += term * term
			}
		}
	}
	for k := range p.classifiers {
		c := &p.classifiers[k]
		for j := range sums[k] {
			c.linear.vector[j] = sums[k][j].value()
		}
		for _, id := range p.linear {
			weight := c.Theta[id] * p.scale(id)
			p.eachFeature(id, func(j int) { c.linear.weight[j] += weight })
		}
	}
	return nil
}

// setLinearNorms sets V_m of the linear kernels of classifier c in v, and in rough how far rounding
// may have moved each.
//
// If each v_j is off by e_j, then v_j^2 is off by up to (2 |v_j| + e_j) e_j. The solver centres
// its points at another place than this package. Its sum of alpha is 0 up to rounding only, and
// that error is multiplied by the distance of the two centres, which e_j therefore includes.
//
// The solver adds each step of alpha to its g(x_i), whose terms alpha_s <x_s, x_i> may be much larger than
// their sum at the end. The rounding of each is apart from that of the others, so V = sum_i alpha_i g(x_i)
// is off by a multiple of the square root of
//
//	sum_i sum_s (alpha_i alpha_s <x_s, x_i>)^2 <= (sum_i |alpha_i x_i|^2)^2.
//
// On raw features of 4,300 with one far value that was 2e-6 of V, and 70 times what the e_j allow.
func (p *judgement) setLinearNorms(c *classifier, v, rough []float64) {
	total := 0.0
	for _, a := range c.Alpha {
		total += math.Abs(a)
	}
	for _, id := range p.linear {
		var length neumaier
		off := 0.0
		p.eachFeature(id, func(j int) {
			shift := total * math.Abs(p.centre[j]-p.mean[j])
			x, e := c.linear.vector[j], c.rounding.term*(c.linear.sizes[j]+shift)
			length.add(x * x)
			off += (2*math.Abs(x)+e)*e + c.rounding.term*c.linear.squares[j]
		})
		v[id], rough[id] = length.value()*p.scale(id), off*p.scale(id)
	}
}
