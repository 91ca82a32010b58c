package gradient

import (
	"slices"

	"bigmkl/kernels"
)

// scaled is a bank with a factor for each kernel, in storage order: its normaliser, or that times
// its weight.
//
// Storage order is the order of the bank's groups and their members. Vectors of g_m and of weights
// are kept in it within this package, so a group's part is a slice; vectors of callers are by the
// number of the kernel.
type scaled struct {
	bank   *kernels.Bank
	factor []float64
}

// normalizers returns the bank with the normaliser of each kernel as its factor.
func normalizers(bank *kernels.Bank) scaled {
	s := scaled{bank: bank, factor: make([]float64, bank.Len())}
	for id, at := range bank.Places() {
		s.factor[at] = bank.Factor(id)
	}
	return s
}

// of returns the factors of a group's kernels.
//
// The slice belongs to the factors themselves, and is not to be written to.
func (s *scaled) of(g *kernels.Group) []float64 {
	return s.factor[g.First : g.First+len(g.Members)]
}

// anyWeight reports whether one of the weights is not 0.
func anyWeight(weight []float64) bool {
	return slices.ContainsFunc(weight, func(x float64) bool { return x != 0 })
}
