package kernels

import (
	"slices"

	"bigmkl/internal/kernelspec"
)

// Member is one kernel of a group: its number in the bank and the transform from the base.
type Member struct {
	ID          int32
	Kind        kernelspec.Kind
	Gamma, Coef float64
	Degree      int
	Layer       int // which of the group's bases the kernel is a function of
	Normalizer  kernelspec.Normalizer

	// Squarings states how the value of an exponential kernel is made: exp(-gamma t) is
	// exp(-gamma/2^Squarings t), squared so many times. The value has the same bits whether the
	// kernel is computed alone or in a chain of squares (see Group.plan).
	Squarings int

	// Wide means that sums take k - 1 in place of k, and Constant what they leave out; see
	// Bank.FindWide.
	Wide     bool
	Constant float64
}

// Members are the kernels of a group, in storage order.
type Members []Member

// UnitDiagonal reports whether k(x,x) = 1 for every member.
func (ms Members) UnitDiagonal() bool {
	return !slices.ContainsFunc(ms, func(m Member) bool { return !unitDiagonal(m.Kind) })
}

// multiplied reports whether a member is normalised multiplicatively.
func (ms Members) multiplied() bool {
	return slices.ContainsFunc(ms, func(m Member) bool { return m.Normalizer == kernelspec.Multiplicative })
}

// isExponential reports whether kernels of the kind are exp(-gamma t) of their base t, a distance.
func isExponential(k kernelspec.Kind) bool {
	return k == kernelspec.Gauss || k == kernelspec.Laplace || k == kernelspec.ChiSquare
}

// unitDiagonal reports whether k(x,x) = 1 for every kernel of the kind: for functions of a distance that are 1
// at 0 it is so.
func unitDiagonal(k kernelspec.Kind) bool { return k.HasWidth() }
