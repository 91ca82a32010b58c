package gradient

import (
	"testing"

	"bigmkl/kernels"
)

// TestedBank is a bank of the tests for those that live outside of the package.
type TestedBank struct {
	Name   string
	Points kernels.Points
	Bank   *kernels.Bank
	K      func() [][]float64 // the kernels' matrices by their definitions
}

// TestedBanks returns the banks that the suite is run with, on n points.
func TestedBanks(t testing.TB, seed uint64, n int) []TestedBank {
	var list []TestedBank
	for _, b := range banks(t, random(t, seed), n) {
		list = append(list, TestedBank{b.name, b.points, b.Bank, b.k})
	}
	return list
}
