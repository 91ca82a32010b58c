package verify

import (
	"context"
	"math"

	"bigmkl/internal/kernelspec"
)

// checkFactors compares the factors that the model claims with the factors of the rows, and adds
// the faults to f. It returns ctx's error if ctx ends first.
func (v *variances) checkFactors(ctx context.Context, threads int, f *faults) error {
	if v == nil || v.seen < 2 {
		return nil
	}
	p := v.problem
	n := &p.m.Normalization
	for k, scale := range n.Scale {
		if p.normalizer(int32(k)) != kernelspec.Multiplicative && scale != 1 {
			f.add("factor", "kernel %d is not divided by its variance and has the factor %g",
				k+1, scale)
		}
	}
	said := n.SampleSize > 0 && n.SampleSize < v.seen // the model claims that the pairs are a sample
	if said != (v.drawn != nil) || said && n.SampleSize != somePairs {
		f.add("factors", "the factors are said to come from the pairs of %d rows; of %d rows training takes %d",
			n.SampleSize, v.seen, min(v.seen, somePairs))
		return nil
	}
	for _, k := range p.linear {
		if p.normalizer(k) == kernelspec.Multiplicative {
			v.checkLinear(k, f)
		}
	}
	if err := v.addDiagonals(); err != nil {
		return err
	}
	sums, sizes, err := sumPairs(ctx, p, v.groups, v.rows, threads)
	if err != nil {
		return err
	}
	// The number of pairs (i,j), i /= j, is q(q-1).
	for i := range v.groups {
		g := &v.groups[i]
		for _, id := range g.kernels {
			n := v.having[id]
			if v.pairs[id] < 2 {
				continue // There are no pairs, and the factor is 0 or that of no row.
			}
			diagonal, rough := 1.0, 1.0
			if !g.unitDiagonal {
				diagonal = v.diagonal[id].value() / n
				rough = v.rough[id].value() / n
			}
			k, q := &p.bank.Kernels[id], v.pairs[id]
			others, size := sums[id].value()/(q*(q-1)), sizes[id].value()/(q*(q-1))
			rough *= g.length()
			// The mean of k(x,x), or of that less the constant if others leaves it out.
			top := v.top[id].value() / n
			if g.unitDiagonal && !p.wide[id] {
				top = 1
			}
			c := factorCheck{
				kernel:   id,
				variance: (top - others) * (1 - 1/n),
				diagonal: diagonal,
				rough:    rough + p.minima(k, &v.featureMoments),
				widths:   p.widths(k, &v.featureMoments),
				summed:   math.Abs(diagonal) + size,
				points:   q,
				trial:    p.extended.trial,
			}
			c.check(p.m, f)
		}
	}
	return nil
}

// checkLinear compares the factor of the linear kernel k with the variance of its features.
// Training computes that in double precision always, from features around a mean that it rounds
// to single precision: the shift is what this adds to the variance. Where dual variables do not sum
// to 0, linear kernels are not centred, and their variance is the variance of their values.
func (v *variances) checkLinear(k int32, f *faults) {
	variance, square := 0.0, 0.0
	v.problem.eachFeature(k, func(j int) {
		variance += v.deviance[j] / float64(v.seen)
		square += v.mean[j] * v.mean[j]
	})
	shift := square * inSingle * inSingle
	if m := v.problem.m; uncentred(m) || v.problem.extended.uncancelled {
		diagonal := variance + square
		c := factorCheck{kernel: k, variance: variance, diagonal: diagonal, rough: diagonal, summed: 2 * diagonal,
			least: conceded*variance + doubleTerm*shift, trial: v.problem.extended.trial}
		c.check(m, f)
		return
	}
	checkFactor(v.problem.m, f, k, variance, conceded*variance+doubleTerm*shift)
}
