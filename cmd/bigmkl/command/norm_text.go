package command

import (
	"fmt"
	"math"

	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// describeNorm describes the norm of a model. The text has the parameter of the publication in
// parentheses: the exponent q = p/(2-p) of the weights for block norms, and an equivalent C for a
// squared norm.
func describeNorm(m *model.Model, b *kernelspec.Bank) string {
	// The cases exclude each other: a model has one regulariser.
	text := "p = " + formatRounded(m.Norm)
	switch {
	case m.GroupNorm != 0:
		text += fmt.Sprintf(" over %d groups of q = %s", max(len(b.Groups), b.Regions),
			formatNorm(float64(m.GroupNorm)))
	case m.ElasticNet != 0:
		text = fmt.Sprintf("elastic net of %g", m.ElasticNet)
	case m.SquaredNorm != 0:
		text += fmt.Sprintf(", squared norm of theta times %g/2", m.SquaredNorm)
		// Several classifiers have an equivalent C each.
		if !m.Several() {
			text += fmt.Sprintf(" (p alone has this solution at C = %.6g)",
				model.EquivalentC(m, b.Importance(m.Costs.Exponent())))
		}
	// No p describes such a norm.
	case m.Interaction != nil:
		text = "interactions of the kernels"
	case m.Weights != nil:
		if m.WeightRule != nil {
			return "weights of the rule " + fail.Cut(m.WeightRule.Text)
		}
		return "fixed weights"
	case m.Norm == 2:
		text += " (the plain sum)"
	case m.Norm > 1 && m.Norm < 2:
		// At p = 1 and for p of 2 and more, q = p/(2-p) is not the exponent that publications state.
		text += " (norm of theta " + formatRounded(m.Norm/(2-m.Norm)) + ")"
	}
	// Importance joins priors and costs. nil means that all are 1.
	if b.Importance(m.Costs.Exponent()) != nil {
		text += ", kernels of unequal importance"
	}
	switch power := m.Costs.Exponent(); {
	// Costs at their full size are the default.
	case !b.HasCosts || power == 1:
	case power == 0:
		text += ", costs of kernels charged alone"
	default:
		text += fmt.Sprintf(", costs of kernels to the power %g", power)
	}
	return text
}

// formatRounded formats a norm that was computed from another one, such as the norm of theta, with its
// rounding error. --theta-norm 2 gives p = 4/3 up to an error in the last digit, and a user should read
// 4/3.
func formatRounded(p float64) string {
	// The relative error of a few operations in float64.
	const rounding = 1e-15
	if math.IsInf(p, 1) {
		return formatNorm(p)
	}
	return formatQuotient(p, rounding)
}

// describeUnusualNorm describes a norm that p alone does not define. It returns "" for the plain
// block norm, which JSON gives as the number p.
// A program reads p from its key, so a text is needed only for the rest.
func describeUnusualNorm(m *model.Model, b *kernelspec.Bank) string {
	if m.Regularizer.IsBlockNorm() && !b.HasCosts && b.Importance(m.Costs.Exponent()) == nil {
		return ""
	}
	return describeNorm(m, b)
}
