package verify

import (
	"math"
	"slices"

	"bigmkl/internal/model"
)

// Several classifiers may share one set of weights theta. Each is then a classifier whose weights
// are fixed, and together they are one problem:
//
//	primal = 1/2 (sum_m ||w_m||^p)^(2/p) + sum over classifiers of their losses
//	dual   = sum over classifiers of their linear parts - 1/2 (sum_m ||v_m||^p*)^(2/p*)
//
// with ||v_m|| = (sum over classifiers c of V_m of c)^(1/2) and ||w_m|| = theta_m ||v_m||. An
// indefinite kernel whose V_m became negative in one classifier was left out of that classifier by
// training, and has neither a weight nor a V_m in it.

// judgeJointly returns the finding on the problem that the classifiers are together, with the
// faults of that problem alone. The primal value of a classifier of fixed weights includes 1/2
// theta_m V_m for each kernel, and its dual value the negative of that: both are taken out, and the
// norm over all classifiers is put in their place.
func (p *judgement) judgeJointly() *finding {
	m, classifiers := *p.m, p.findings
	m.Theta = m.Shared()
	e := &finding{definite: true, prefix: "all classifiers together: "}
	square, rough := make([]float64, len(m.Theta)), make([]float64, len(m.Theta))
	// By how much the primal values of all classifiers may be too high or too low, and the dual
	// values.
	below, above, under, over := 0.0, 0.0, 0.0, 0.0
	for i := range classifiers {
		f := &classifiers[i]
		e.doubleError += f.doubleError
		e.definite = e.definite && f.definite
		primal, around := f.primal, f.primalSpan
		if m.CostWeight != nil {
			primal, around = f.parts.energy, f.parts.around(f.parts.energy) // joinErrors adds the errors
		}
		e.primal, e.dual = e.primal+primal, e.dual+f.dual
		below, above = below+primal-around.low, above+around.high-primal
		under, over = under+f.dual-f.dualSpan.low, over+f.dualSpan.high-f.dual
		for k, v := range f.vNorms {
			v *= v
			own := v // what the classifier's own values are made of
			if p.traits.columns {
				v = f.parts.v[k]
			}
			if p.traits.value != nil {
				own = f.parts.v[k]
			}
			half := m.Theta[k] * own / 2
			square[k], rough[k] = square[k]+v, rough[k]+f.parts.rough[k]
			e.primal -= half
			e.dual += half
		}
	}
	w, v := make([]float64, len(square)), make([]float64, len(square))
	small, large := make([]float64, len(square)), make([]float64, len(square)) // the ends of the span of v
	for k, x := range square {
		v[k] = math.Sqrt(max(x, 0))
		small[k], large[k] = math.Sqrt(max(x-rough[k], 0)), math.Sqrt(max(x+rough[k], 0))
		w[k] = m.Theta[k] * v[k]
	}
	// One classifier for all classes may have kernels of unequal importance, which lengthen its
	// norms.
	r := &regularizer{importance: p.bank.Importance(m.Costs.Exponent())}
	w, v, small, large = r.scaled(w, -0.5), r.scaled(v, 0.5), r.scaled(small, 0.5), r.scaled(large, 0.5)
	if m.CostWeight != nil {
		length, least, most, square := joinErrors(classifiers)
		all := norm(w, 1)
		half := func(x float64) float64 { return (all + x) * (all + x) / 2 }
		below, above = below+half(length)-half(least), above+half(most)-half(length)
		root := math.Sqrt(square)
		w, v, small, large = append(w, length), append(v, root), append(small, root), append(large, root)
	}
	e.primal += math.Pow(norm(w, m.Norm), 2) / 2
	lin, half := e.dual, func(v []float64) float64 { return math.Pow(norm(v, conjugate(m.Norm)), 2) / 2 }
	e.dual -= half(v)
	e.gap = relativeGap(e.primal, e.dual)
	e.primalSpan = span{e.primal - below, e.primal + above}
	e.dualSpan = span{e.dual - under, e.dual + over}
	// The classifiers' own spans are at fixed weights, and leave out a V_m without a weight. The norm has it: rounding
	// of such a V_m may have left it out of the dual value of the model, or made it the largest.
	all := span{lin - half(large), lin - half(small)}
	if !p.sampled {
		r, scale := &p.classifiers[0].rounding, max(math.Abs(e.primal), math.Abs(e.dual))
		all = r.cap(all, e.dual, scale, 0)
		if m.CostWeight != nil {
			e.primalSpan = r.cap(e.primalSpan, e.primal, scale, 0)
		}
	}
	e.dualSpan = span{min(e.dualSpan.low, all.low), max(e.dualSpan.high, all.high)}
	checkSharedWeights(&m, r.scaled(m.Theta, -1), &e.faults)
	checkKind(&m, e)
	checkCertificate(&m, e, p.sampled)
	return e
}

// checkSharedWeights checks the norm of the weights theta that classifiers share, each divided by
// the importance of its kernel. For p = 2 each weight is 1. Below it, the weights have norm 1 in
// the exponent p/(2-p), or less if the function of some kernel vanishes. At p = 1 such a kernel has
// no weight to miss once the classifiers have converged, unless all vanish.
func checkSharedWeights(m *model.Model, theta []float64, f *faults) {
	vanishes := false
	for k, x := range theta {
		vanishes = vanishes || x == 0
		if m.Norm == 2 && x != 0 && math.Abs(x-1) > sharedNormSlack {
			f.add("theta", "weight %d of all classifiers is %g, not 1", k+1, x)
		}
	}
	if m.Norm == 2 {
		return
	}
	if m.Norm > 2 {
		checkWideWeights(m.Norm, theta, vanishes, f)
		return
	}
	// All functions vanish if no kernel has a weight.
	all := !slices.ContainsFunc(theta, func(x float64) bool { return x != 0 })
	if m.CostWeight != nil {
		theta, all = append(slices.Clone(theta), *m.CostWeight), false
	}
	length := norm(theta, m.Norm/(2-m.Norm))
	complete := !vanishes || m.Norm == 1 && !all && m.Certificate.RelativeGap <= m.Gap
	if length > 1+sharedNormSlack || length < 1-sharedNormSlack && complete {
		f.add("theta", "the weights of all classifiers have norm %.9g, not 1", length)
	}
}

// checkWideWeights is checkSharedWeights for p > 2, which a classifier for all classes may have:
// there the weights to the power -p/(p-2) sum to 1, or to less if the function of some kernel
// vanishes.
func checkWideWeights(p float64, theta []float64, vanishes bool, f *faults) {
	power, sum := -1.0, 0.0
	if !math.IsInf(p, 1) {
		power = -p / (p - 2)
	}
	for _, x := range theta {
		if x > 0 {
			sum += math.Pow(x, power)
		}
	}
	if sum > 1+sharedNormSlack || sum < 1-sharedNormSlack && !vanishes {
		f.add("theta", "the weights of all functions to the power %.9g sum to %.9g, not 1", power, sum)
	}
}
