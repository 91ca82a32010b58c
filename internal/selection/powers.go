package selection

import (
	"context"
	"math"
	"slices"

	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
)

// The norm of a cell may be taken of d_m^power ||w_m||, where d_m is the cost of a kernel and the
// power is chosen by the folds. With the numbers of eigenvalues above 1/2 for d_m this is EMKL (Bach,
// Thibaux and Jordan 2005; Goenen 2010, section 2.7.2): a kernel that uses many dimensions of its
// feature space is charged for them. A power of 0 is the norm without costs. The choice therefore
// contains plain multiple kernel learning.

// CostBase is the origin of the costs of kernels.
type CostBase string

// CostEigen takes for the cost of a kernel how many eigenvalues above 1/2 its matrix with a unit
// diagonal has, counted on up to 2,000 rows.
const CostEigen CostBase = "eigen"

// CostBases lists the bases.
var CostBases = []CostBase{CostEigen}

// validatePowers checks the powers of costs and where the costs come from.
func (o *Options) validatePowers(check func(ok bool, hint, format string, args ...any)) {
	t := &o.Training
	for _, g := range o.CostPowers {
		check(g >= 0 && g <= math.MaxFloat64, "", "costs of kernels to the power %g", g)
	}
	if len(o.CostPowers) == 0 && o.CostBase == "" {
		return
	}
	check(len(o.CostPowers) == 0 || t.CostPower == 0, "use one of them",
		"powers of costs to choose from, and one that is given")
	check(t.Regularizer.Weights == nil && t.Regularizer.Rule == "", "leave one of them out",
		"costs of kernels beside fixed weights, which are all there is to it")
	check(t.Gating == "", "leave one of them out", "costs of kernels with gates are not chosen")
	check(o.Tune == "", "leave one of them out", "a tuning finds the costs of kernels by itself")
	for _, specs := range o.Banks {
		list, err := kernelspec.Split(specs)
		if err != nil && specs != "" { // The default kernels have no text.
			continue // Their expansion reports this error.
		}
		named := kernelspec.NamesCost(list)
		check(o.CostBase == "" || !named, "leave cost= out", "cost= beside costs that are counted")
		check(o.CostBase != "" || named, "write cost=D behind kernels, or count costs",
			"powers of costs, and no kernel has a cost")
	}
	check(o.CostBase == "" || slices.Contains(CostBases, o.CostBase), "eigen",
		"costs of kernels have no base %s", fail.Quote(string(o.CostBase)))
}

// If costs are counted, countCosts replaces the list of kernels by a list in which every kernel names
// its counted cost. It rejects powers that give a kernel an importance of 0 or none.
func (r *runner) countCosts(ctx context.Context, bank int) error {
	o, data := r.options, r.pool.data
	if o.CostBase != "" {
		counts, err := data.EigenCounts(ctx)
		if err != nil {
			return err
		}
		o.Banks[bank] = data.Kernels().WithCosts(counts)
		if err := data.use(ctx, o.Banks[bank]); err != nil {
			return err
		}
	}
	for _, g := range o.CostPowers {
		if err := data.Kernels().CheckCostPower(g); err != nil {
			return err
		}
	}
	return nil
}

// powers lists the powers of the arms of the grid. nil means the power of the training.
func (o *Options) powers() []*float64 {
	if len(o.CostPowers) == 0 {
		return []*float64{nil}
	}
	list := make([]*float64, len(o.CostPowers))
	for k := range list {
		list[k] = &o.CostPowers[k]
	}
	return list
}

// plainPower returns the power of arms that charge no kernel: 0 where powers are chosen from or costs
// were counted, else that of the training.
func (o *Options) plainPower() *float64 {
	if len(o.CostPowers) == 0 && o.CostBase == "" {
		return nil
	}
	return new(float64)
}

// hasPlain reports whether the grid has arms of a norm that charge no kernel.
func (o *Options) hasPlain(norm float64) bool {
	return slices.Contains(o.Norms, norm) &&
		(o.plainPower() == nil || slices.Contains(o.CostPowers, 0))
}
