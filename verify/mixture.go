package verify

import (
	"slices"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// A model of task med or mixture has components in place of classifiers: component c is a classifier of one
// kernel, with the dual variables w_c and the bias e_c, so its decision value is s_c(x) except for -k_c(x,x)/2.
// From s, the responsibilities q of every row and the totals l = |alpha| follow, with C_t the cost of a row,
//
//	h_t = 2 - H(q_t) - sum_own q_tc s_c + log sum_other exp s_c      (the largest s_c without the entropy)
//	P   = 1/2 sum_c w_c'K_c w_c + sum_t C_t max(0, h_t)
//	D   = sum_t l_t (2 - H(q_t) + H(Q_t)) + 1/2 sum_tc w_tc k_c(x_t,x_t) - 1/2 sum_c w_c'K_c w_c
//
// and the softmax of s over the own components, and the model has the distance of q from it. Of
// task mixture
//
//	F = sum_t C_t (sum_own q_tc s_c + H(q_t)), J = sum_t C_t log sum_own exp s_c, both times -1
//
// are the values, and w and e come from the means of the responsibilities.

// mixtureWing is the wing of tasks of components. The mixture may be missing where the parts of a model do not fit.
type mixtureWing struct {
	plainWing
	mixture    *model.Mixture
	likelihood bool // task mixture, and not med
}

var _ wing = mixtureWing{}

func (w mixtureWing) traits(*model.Model) wingTraits {
	x := w.mixture
	if x == nil {
		return wingTraits{whole: true}
	}
	// The linear kernels of a likelihood see weights w that sum to 1.
	return wingTraits{classifiers: x.Len(), ofRow: x.Len(), duals: 2*len(x.Weights) + len(x.Responsibilities), posteriors: 1,
		whole: true, unbalanced: w.likelihood}
}

func (w mixtureWing) fits(m *model.Model) bool {
	x := w.mixture
	if x == nil || !model.HasComponents(m.Task) || w.likelihood && len(m.Support) != m.Points {
		return false
	}
	for _, side := range x.Components {
		if len(side) == 0 || slices.ContainsFunc(side, func(k int) bool { return k < 1 || k > m.Len() }) {
			return false
		}
	}
	return !m.Several() && len(x.Multipliers) == x.Len() && len(x.Weights) == x.Len()*len(m.Support) &&
		len(x.Responsibilities) == m.Points*x.Width() && (x.Observed == nil || len(x.Observed) == m.Points) &&
		w.plainWing.fits(m)
}

// classifiers returns the components as classifiers of one kernel each.
func (w mixtureWing) classifiers(m *model.Model, b *kernelspec.Bank) (list []classifier) {
	x, support := w.mixture, len(m.Support)
	for c, e := range x.Multipliers {
		one := *m
		one.Theta, one.Bias, one.Alpha = make([]float64, len(m.Theta)), e, nil
		one.Theta[x.Kernel(c)] = 1
		one.Weights = one.Theta // as a classifier of fixed weights
		var at []int32
		for s, v := range x.Weights[c*support : (c+1)*support] {
			if v != 0 {
				at, one.Alpha = append(at, int32(s)), append(one.Alpha, v)
			}
		}
		a := newClassifier(&one, b, at, m.C*max(m.PositiveWeight, m.NegativeWeight))
		a.component = c + 1
		list = append(list, a)
	}
	return list
}

// roles gives a row the role that it has in every component.
func (w mixtureWing) roles(_ *model.Model, _ int, list []role) []role {
	for k := 1; k < w.mixture.Len(); k++ {
		one := list[0]
		one.classifier = int32(k)
		list = append(list, one)
	}
	return list
}

// checkDual returns 0, as the linear part belongs to all components.
func (w mixtureWing) checkDual(c *classifier, a float64, p *role, place string, f *faults) float64 {
	w.plainWing.checkDual(c, a, p, place, f)
	return 0
}
