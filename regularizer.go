package bigmkl

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"bigmkl/chunking/norm"
	"bigmkl/internal/model"
	"bigmkl/internal/train"
)

// Regularizer chooses a norm other than the block norm p of Options.Norm. The zero value chooses
// the block norm. At most one field may be set. prior= and cost= in the specifications of kernels
// go with every norm except fixed weights; see Options.CostPower for the latter.
type Regularizer struct {
	// GroupNorm is q in [1, +Inf]. The norm is then the block norm p over groups of kernels, with a
	// q-norm within each group. Specifications name the groups by group=.
	GroupNorm float64
	// ElasticNet is lambda in (0, 1). The penalty is then
	// 1/2 (1 - lambda) (sum_m ||w_m||)^2 + 1/2 lambda sum_m ||w_m||^2, which lies between those of
	// p = 1 and p = 2.
	ElasticNet float64
	// SquaredNorm is lambda > 0. The objective then has lambda times the squared norm of the
	// weights theta as a penalty, as in SMO-MKL, in place of the constraint that this norm is at
	// most 1.
	SquaredNorm float64
	// Interaction is E, M x M and row-major: symmetric, positive definite, and without entries
	// below 0. The dual norm is then (v'Ev)^(1/2), where v is the vector of ||v_m||.
	Interaction []float64
	// Weights holds one weight for each kernel, at least 0. They are fixed and not learned.
	Weights []float64
	// Rule names a rule that gives the fixed weights from the data, which no classifier learns: see
	// ParseWeightRule.
	Rule string
	// RuleSample is the number of rows, drawn by Options.Seed, whose pairs Rule looks at. If it equals
	// zero, all are. It needs Rule, and counts as no norm.
	RuleSample int
	// RuleFolds is the number of folds of a Rule that looks at rows held out, at least 2. If it equals
	// zero, there are 5. It counts as no norm.
	RuleFolds int
}

// WeightRule is a rule for weights of kernels.
type WeightRule = train.WeightRule

// ParseWeightRule parses the name of a rule: align, alignf, kandola:L, frobenius or fsm, which look
// at pairs of rows of a class or not, and accuracy:T, correlation or mse, which look at what each
// kernel alone predicts for rows held out (Goenen 2010, sections 2.2.1.3 and 2.3). Faults are of
// class ErrUsage.
func ParseWeightRule(text string) (*WeightRule, error) { return train.ParseWeightRule(text) }

// These are the block norms that options mean if they name none.
const (
	defaultNorm = 4.0 / 3
	plainSum    = 2 // is the norm of the plain sum of kernels, whose weights are all 1.
)

// settings returns the norm as a model records it.
func (r *Regularizer) settings() *model.Regularizer {
	return &model.Regularizer{
		GroupNorm: model.Norm(r.GroupNorm), ElasticNet: r.ElasticNet, SquaredNorm: r.SquaredNorm,
		Interaction: r.Interaction, Weights: r.Weights,
	}
}

// exponent returns the only p that goes with the norm, 0 if p can be chosen.
func (r *Regularizer) exponent() float64 {
	if r.Rule != "" {
		return plainSum
	}
	return r.settings().Kind().Exponent
}

// norm returns the block norm that a run has if its options name none.
func (r *Regularizer) norm() float64 { return cmp.Or(r.exponent(), defaultNorm) }

// hasNoExponent reports whether the norm has no p that could be chosen. Points of a path may then
// not differ in it.
func (r *Regularizer) hasNoExponent() bool { return r.exponent() != 0 }

// leastRuleSample is the smallest number of rows from which products can be estimated.
const leastRuleSample = 4

// rule returns the rule for weights, or nil if there is none. Its text has been checked.
func (r *Regularizer) rule() *WeightRule {
	if r.Rule == "" {
		return nil
	}
	rule, _ := train.ParseWeightRule(r.Rule)
	return rule
}

// ruleFolds returns the number of folds of a rule.
func (r *Regularizer) ruleFolds() int {
	const folds = 5
	return cmp.Or(r.RuleFolds, folds)
}

// alternatives returns the names of the norms that are set. More than one is a fault.
func (r *Regularizer) alternatives() []string {
	var names []string
	for _, k := range r.settings().Kinds() {
		names = append(names, k.Name)
	}
	if r.Rule != "" && r.Weights == nil {
		names = append(names, "weights of a rule")
	}
	return names
}

// isBlockNorm reports whether the norm is the block norm p alone.
func (r *Regularizer) isBlockNorm() bool { return len(r.alternatives()) == 0 }

// checkNorm calls check with every condition on the norm that can be tested without kernels. What
// depends on their number and groups is checked when they are known (train/norm.go).
func (r *Regularizer) checkNorm(p float64, check func(ok bool, format string, args ...any)) {
	names := r.alternatives()
	check(len(names) <= 1, "%d norms, and only one can be given: %s", len(names), strings.Join(names, ", "))
	// Such a norm contains a block norm, so another p beside it would mean nothing.
	exponent := r.exponent()
	check(exponent == 0 || p == exponent, "p = %g with %s: its p is %g", p, strings.Join(names, ", "), exponent)
	check(r.GroupNorm == 0 || r.GroupNorm >= 1, "norm q = %g within groups is not in [1, inf]",
		r.GroupNorm)
	check(r.ElasticNet >= 0 && r.ElasticNet < 1,
		"elastic net of %g is not in (0, 1): its ends are p = 1 and p = 2", r.ElasticNet)
	check(r.SquaredNorm >= 0 && !math.IsInf(r.SquaredNorm, 0),
		"factor %g of the squared norm is not a positive number", r.SquaredNorm)
	check(r.Rule == "" || r.Weights == nil, "fixed weights and a rule for weights exclude each other")
	if r.Rule != "" {
		_, err := train.ParseWeightRule(r.Rule)
		check(err == nil, "%w", err)
	}
	check(r.RuleSample == 0 || r.RuleSample >= leastRuleSample,
		"a rule from a sample of %d rows (0 for all, or at least %d)", r.RuleSample, leastRuleSample)
	check(r.RuleFolds == 0 || r.RuleFolds >= 2 && r.RuleFolds <= math.MaxInt32, "%d folds of a rule: at least 2", r.RuleFolds)
	check(r.Rule != "" || r.RuleSample == 0 && r.RuleFolds == 0,
		"a sample or folds of a rule are given, but no rule")
	for m, x := range r.Weights {
		if !(x >= 0) || math.IsInf(x, 0) {
			check(false, "weight %d is %g, which is not a number >= 0", m+1, x)
			break // One is named: in a file of another kind all may be wrong.
		}
	}
	above := func(x float64) bool { return x > 0 }
	check(r.Weights == nil || slices.ContainsFunc(r.Weights, above), "no fixed weight is above 0")
	if r.Interaction != nil {
		n := int(math.Round(math.Sqrt(float64(len(r.Interaction)))))
		if n == 0 || n*n != len(r.Interaction) {
			check(false, "the matrix of interactions has %d numbers and is not square", len(r.Interaction))
		} else if err := norm.CheckInteraction(r.Interaction); err != nil {
			check(false, "the matrix of interactions gives no norm: %w", err)
		}
	}
}

// Laplacian returns the interactions E = (L + eps I)^-1 of kernels that are the nodes of a graph. g
// holds the weights of the edges, M x M and row-major; eps is above 0. Neighbours then have norms
// ||w_m|| that are alike: see norm.Laplacian. Faults are of class ErrInput.
func Laplacian(g []float64, eps float64) ([]float64, error) { return norm.Laplacian(g, eps) }
