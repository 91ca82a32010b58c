package train

import (
	"context"

	"bigmkl/internal/budget"
	"bigmkl/kernels"
)

// EigenCounts returns for each kernel in hand the number of eigenvalues above 1/2 of its matrix with a
// unit diagonal, which a selection may take for its cost; see kernels.Matrices. They are a function
// of the features, the kernels and the seed. A memory budget that does not hold the matrix of the
// sample is of class fail.Budget.
func (h *HeldOut) EigenCounts(ctx context.Context) ([]float64, error) {
	w := h.workspace
	r, matrices := w.BudgetRun(), kernels.Matrices{Bank: w.Kernels.Plainly(), Points: w.Store}
	parts := append(r.Tables(w.Store, matrices.Bank), budget.Part{
		Name: "eigenvalues of a sample", Formula: "16 k^2", Bytes: kernels.Memory(matrices).EigenCounts(),
	})
	share := budget.Fixed(r.Memory, parts)
	if err := share.Reject("memory"); err != nil {
		return nil, err
	}
	w.LimitHeap(share.Least)
	counts, err := matrices.EigenCounts(ctx, w.Options.Seed, w.Options.Budget.Scratch)
	return counts, w.Check(err)
}
