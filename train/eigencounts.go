package train

import (
	"context"
	"math"

	"bigmkl/budget"
	"bigmkl/internal/fail"
	"bigmkl/kernels"
)

// EigenCounts returns for each kernel in hand the number of eigenvalues above 1/2 of its matrix with a
// unit diagonal, which a selection may take for its cost; see kernels.EigenCounts. They are a function
// of the features, the kernels and the seed. A memory budget that does not hold the matrix of the
// sample is of class fail.Budget.
func (h *HeldOut) EigenCounts(ctx context.Context) ([]float64, error) {
	w := h.workspace
	r, bank := w.BudgetRun(), w.Kernels.Plainly()
	parts := append(r.Tables(w.Store, bank), budget.Part{
		Name: "eigenvalues of a sample", Formula: "16 k^2", Bytes: kernels.EigenBytes(bank, w.Store),
	})
	share := budget.Fixed(r.Memory, parts)
	if err := share.Refuse("memory"); err != nil {
		return nil, err
	}
	w.LimitHeap(share.Least)
	counts, err := kernels.EigenCounts(ctx, bank, w.Store, w.Options.Seed, w.Options.Budget.Scratch)
	return counts, w.Check(err)
}

// CheckCostPower refuses, with an error of class fail.Usage, a power with which the cost of a kernel in
// hand leaves it an importance of 0 or none.
func (h *HeldOut) CheckCostPower(power float64) error {
	for id, e := range h.workspace.Kernels.Expanded.Importance(power) {
		if !(e > 0) || math.IsInf(e, 0) {
			return fail.New(fail.Usage, "costs to the power %g leave kernel %d an importance of %g", power, id+1, e).
				WithHint("choose from smaller powers")
		}
	}
	return nil
}
