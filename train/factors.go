package train

import (
	"slices"
	"strconv"
	"strings"

	"bigmkl/kernelspec"
)

// A tuning trains without the rows of a fold at many importances of the kernels,
//
//	||w|| = || (||w_m|| / e_m^(1/2))_m ||,    e_m = d_m^-2 for the regularisation parameters d_m
//
// of Goenen 2010, (2.11). The gradients g_m = K_m alpha do not depend on e_m, nor do the rows of the
// kernels, so that all its trainings share both.

// Factors returns the factor of each kernel, from 0, and a name for each factor: the groups, and each
// kernel that is in none.
func (h *HeldOut) Factors() (of []int32, names []string) {
	b := h.workspace.Kernels.Expanded
	if of = b.Grouping(); of == nil {
		of = make([]int32, len(b.Kernels))
		for m := range of {
			of[m] = int32(m)
		}
	}
	names = make([]string, 1+slices.Max(of))
	copy(names, b.Groups)
	for m, f := range of {
		if int(f) >= len(b.Groups) {
			names[f] = b.Describe(m)
		}
	}
	return of, names
}

// Tune multiplies the importance of each kernel by a number in all trainings from here on. A kernel of
// importance 0 is left out. nil stands for ones.
func (h *HeldOut) Tune(importance []float64) { h.workspace.Options.Norm.tuned = importance }

// Priors returns the importance that specifications give each kernel by prior=.
func (h *HeldOut) Priors() []float64 {
	b := h.workspace.Kernels.Expanded
	return timesEach(slices.Repeat([]float64{1}, len(b.Kernels)), b.Importance(0))
}

// WithCosts returns specifications of the kernels in hand, one for each, with the given costs. They
// have the widths, priors and groups of those in hand; groups that are factors alone are left out.
// Without costs it leaves priors out too, as fixed weights ask for.
func (h *HeldOut) WithCosts(d []float64) string {
	return strings.Join(specifications(h.Bank(), &h.workspace.Options.Norm, h.Priors(), d), ",")
}

// Specifications returns a specification for each kernel in hand with all that it has: its group in the norm,
// its prior and its cost.
func (h *HeldOut) Specifications() []string {
	d := h.workspace.Kernels.Expanded.Costs()
	if d == nil {
		d = []float64{}
	}
	return specifications(h.Bank(), &h.workspace.Options.Norm, h.Priors(), d)
}

// specifications describes the kernels of a bank with priors and costs: none where there are fewer costs than kernels, and
// neither costs nor priors where d is nil.
func specifications(b *kernelspec.Bank, r *Norm, priors, d []float64) []string {
	groups := b.Grouping()
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	specs := make([]string, len(b.Kernels))
	for m := range specs {
		specs[m] = b.Describe(m)
		if r.GroupNorm != 0 && int(groups[m]) < len(b.Groups) {
			specs[m] += " group=" + b.Groups[groups[m]]
		}
		if d != nil && priors[m] != 1 {
			specs[m] += " prior=" + number(priors[m])
		}
		if m < len(d) {
			specs[m] += " cost=" + number(d[m])
		}
	}
	return specs
}

// timesEach returns the products of two lists, of which nil has ones alone.
func timesEach(x, y []float64) []float64 {
	if x == nil || y == nil {
		return slices.Concat(x, y)
	}
	products := slices.Clone(x)
	for m := range products {
		products[m] *= y[m]
	}
	return products
}
