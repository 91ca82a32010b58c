package train

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
)

// KernelList describes the kernels in hand by their specifications: their names, groups, priors and costs. It belongs
// to these kernels also when others have taken their place.
type KernelList struct {
	// Bank has the kernels. It is not to be changed.
	Bank *kernelspec.Bank
	norm *Norm
}

// Names returns a specification for each kernel by itself.
func (l KernelList) Names() []string {
	names := make([]string, len(l.Bank.Kernels))
	for id := range names {
		names[id] = l.Bank.Describe(id)
	}
	return names
}

// Factors returns the factor of each kernel, from 0, and a name for each factor: the groups, and each
// kernel that is in none.
func (l KernelList) Factors() (of []int32, names []string) {
	b := l.Bank
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

// Priors returns the importance that specifications give each kernel by prior=.
func (l KernelList) Priors() []float64 {
	return timesEach(slices.Repeat([]float64{1}, len(l.Bank.Kernels)), l.Bank.Importance(0))
}

// WithCosts returns specifications of the kernels, one for each, with the given costs. They
// have their widths, priors and groups; groups that are factors alone are left out.
// Without costs it leaves priors out too, as fixed weights ask for.
func (l KernelList) WithCosts(d []float64) string {
	return strings.Join(specifications(l.Bank, l.norm, l.Priors(), d), ",")
}

// Specifications returns a specification for each kernel with all that it has: its group in the norm,
// its prior and its cost.
func (l KernelList) Specifications() []string {
	d := l.Bank.Costs()
	if d == nil {
		d = []float64{}
	}
	return specifications(l.Bank, l.norm, l.Priors(), d)
}

// CheckCostPower rejects, with an error of class fail.Usage, a power with which the cost of a
// kernel leaves it an importance of 0 or none.
func (l KernelList) CheckCostPower(power float64) error {
	for id, e := range l.Bank.Importance(power) {
		if !(e > 0) || math.IsInf(e, 0) {
			return fail.New(fail.Usage, "costs to the power %g leave kernel %d an importance of %g", power, id+1, e).
				WithHint("choose from smaller powers")
		}
	}
	return nil
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
