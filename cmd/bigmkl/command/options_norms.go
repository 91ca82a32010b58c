package command

import (
	"fmt"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// otherNorm is the norm of an option, of which a problem has at most one.
type otherNorm struct {
	// decides ends the message that rejects --norm beside the option. If it is empty, p can be chosen.
	decides string
	// exponent is the value of --norm that is nevertheless accepted, 0 for none.
	exponent float64
}

// normOptions choose norms other than the block norm. Each row is another regulariser of the weights of
// kernels. normFlags.checkFlags rejects combinations.
// ofModel of each row reads the value back from a model file, for config --of.
var normOptions = []option{
	// Publications state the problem by p or by q. The option saves readers of the second kind a
	// conversion.
	{name: "theta-norm", kind: "Q", takers: byProblems, inPlaceOf: "norm",
		usage:  "norm q of the weights in [1, inf], in place of --norm: p = 2q/(1+q)",
		define: parsed(parseThetaNorm, func(p *problemFlags) *float64 { return &p.norm.theta })},
	// The norm of ||w|| is the norm p over groups of the norms Q within each group.
	{name: "group-norm", kind: "Q", takers: byProblems, norm: &otherNorm{},
		usage: "norm within groups of kernels (group=NAME after a kernel); --norm is then the norm over groups",
		define: parsed(parseGroupNorm, func(p *problemFlags) *float64 {
			return &p.options.Regularizer.GroupNorm
		}),
		ofModel: func(m *model.Model) given {
			return ifNormed(m, m.GroupNorm != 0, givenText(formatNorm(float64(m.GroupNorm))))
		}},
	// A model has L as lambda of 1/2 (1 - lambda) (sum ||w_m||)^2 + lambda/2 sum ||w_m||^2, at p = 1.
	{name: "elastic-net", kind: "L", takers: byProblems, norm: &otherNorm{decides: "lies between p = 1 and p = 2"},
		usage: "use the norm (1-L) (sum ||w||)^2 + L sum ||w||^2, with L from 0 (p = 1) to 1 (the plain sum)",
		define: parsed(parseShare, func(p *problemFlags) *float64 {
			return &p.norm.net
		}),
		ofModel: func(m *model.Model) given { return ifNormed(m, m.ElasticNet != 0, givenNumber(m.ElasticNet)) }},
	// A solution is also a solution of the block norm at another C. This C follows from the solution
	// (docs/METHOD.md).
	{name: "squared-norm", kind: "L", takers: byProblems, norm: &otherNorm{},
		usage: "add L/2 ||theta||_q^2 to the objective, as SMO-MKL does, in place of the constraint ||theta||_q = 1. " +
			"The exponent q = p/(2-p) follows from --norm",
		define: parsed(parsePositive, func(p *problemFlags) *float64 {
			return &p.options.Regularizer.SquaredNorm
		}),
		ofModel: func(m *model.Model) given {
			return ifNormed(m, m.SquaredNorm != 0, givenNumber(m.SquaredNorm))
		}},
	// The model has the matrix, but not the name of its file, so config --of mentions it in a note.
	{name: "norm-matrix", takers: byProblems, norm: &otherNorm{decides: "extends p = 2", exponent: 2},
		usage:  "interactions of kernels from this .npy `FILE`: M x M, symmetric, positive definite, no entry below 0",
		define: text(func(p *problemFlags) *string { return &p.norm.matrix })},
	{name: "norm-laplacian", takers: byProblems, norm: &otherNorm{decides: "extends p = 2", exponent: 2},
		usage: "interactions (L + EPS I)^-1, where L is the Laplacian of the graph of kernels whose edge weights a .npy " +
			"file holds, as `FILE:EPS`",
		define: text(func(p *problemFlags) *string { return &p.norm.laplacian })},
	// Only weights by a rule have a text that can be repeated. Weights from a file are in the model as
	// numbers.
	{name: "weights", takers: byProblems, norm: &otherNorm{decides: "fixes the weights"},
		usage: "fixed weights of the kernels from this `FILE`, .npy or text, or by a rule, such as " +
			"rule:align; none are learned",
		define: text(func(p *problemFlags) *string { return &p.norm.weights }),
		ofModel: fromRule(func(r *model.WeightRule) given {
			return givenText(rulePrefix + r.Text)
		})},
	// A sum over all pairs of n rows costs n^2 values of each kernel, so the default is a sample.
	{name: "rule-sample", kind: "N", def: fmt.Sprint(defaultSample), takers: byTraining,
		usage:  "number of rows whose pairs the rule of --weights uses, 0 for all",
		define: parsed(parseCount, func(p *problemFlags) *int { return &p.options.Regularizer.RuleSample }),
		ofModel: fromRule(func(r *model.WeightRule) given {
			// Rules on held-out rows have folds in place of a sample.
			if r.Folds > 0 {
				return given{}
			}
			return givenCount(r.Sample)
		})},
	// The power moves between accuracy alone (0) and costs at their full size (1). Its best value
	// depends on the data.
	{name: "cost-power", kind: "G", def: "1", takers: byProblems, fact: "cost power",
		usage: "power G of the costs of kernels (cost=D after a kernel): the norm takes D^G ||w||; at 0 costs " +
			"are only reported",
		define: parsed(parseEpsilon, func(p *problemFlags) *float64 { return &p.options.CostPower }),
		ofModel: func(m *model.Model) given {
			if !kernelspec.NamesCost(m.Kernels) {
				return given{}
			}
			// An older model does not record the power, but has one.
			return givenNumber(m.Costs.Exponent())
		}},
}

// fromRule returns the value of an option that models with weights by a rule alone have.
// given{} means that the option has no value in the model.
func fromRule(value func(r *model.WeightRule) given) func(m *model.Model) given {
	return func(m *model.Model) given {
		if m.WeightRule == nil {
			return given{}
		}
		return value(m.WeightRule)
	}
}
