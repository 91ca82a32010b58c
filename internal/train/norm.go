package train

import (
	"fmt"
	"math"

	"github.com/cespare/xxhash/v2"

	"bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/rule"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

// The norm of the regulariser depends on the options and on the kernels: on their groups, their
// prior weights, and their number, which the size of a matrix must match. These are checked here,
// when the kernels are known. The mathematics of each norm is in package chunking/norm.

// normChoice makes the norms of a run, whose kernels have been prepared.
type normChoice struct {
	options *Options
	kernels *kernels.Prepared
}

// regularizer returns a new norm for the kernels of the run. A norm has a state, such as its
// smoothing and the kernels that it has dropped. Each problem therefore needs a norm of its own.
// Options that do not go with the kernels are of class fail.Usage.
func (c normChoice) regularizer() (chunking.Norm, error) {
	r, p := &c.options.Norm, c.options.Norm.P
	kernels, indefinite := c.kernels.Len(), c.mayBeIndefinite()
	if c.options.Problem.JointCost {
		indefinite = append(indefinite, false) // the identity of the solver
	}
	importance := c.kernels.Expanded.Importance(r.costPower())
	groups, costs := c.kernels.Expanded.Grouping(), c.kernels.Expanded.HasCosts
	if r.CostPower != nil && !costs {
		return nil, fail.New(fail.Usage, "a power of costs, and no kernel has a cost").
			WithHint("write cost=D behind kernels, after a blank")
	}
	if len(c.kernels.Expanded.Groups) > 0 && r.GroupNorm == 0 && !r.GroupsAreFactors {
		return nil, fail.New(fail.Usage,
			"kernels are in groups, such as %s, and no norm within groups is given",
			fail.Quote(c.kernels.Expanded.Groups[0])).
			WithHint("--group-norm Q; with Q = P groups make no difference")
	}
	if c.options.Problem.JointCost && (importance != nil || costs) {
		return nil, fail.New(fail.Usage, "prior= and cost= beside a C that is found")
	}
	// Options.Validate in the root has made sure that at most one of these cases applies.
	var n chunking.Norm = norm.NewBlock(p, indefinite)
	switch {
	case c.options.Solver.holdsWeights():
		n = c.heldNorm()
	case r.GroupNorm != 0:
		if groups == nil {
			return nil, fail.New(fail.Usage, "a norm within groups, and no kernel is in a group").
				WithHint("write group=NAME behind kernels, after a blank")
		}
		n = norm.NewHierarchical(p, float64(r.GroupNorm), groups, indefinite)
	case r.ElasticNet != 0:
		n = norm.NewElasticNet(r.ElasticNet, indefinite)
	case r.SquaredNorm != 0:
		n = norm.NewSquared(p, r.SquaredNorm, indefinite)
	case r.Interaction != nil:
		if len(r.Interaction) != kernels*kernels {
			return nil, fail.New(fail.Usage, "interactions of %.0f kernels, and there are %d",
				math.Sqrt(float64(len(r.Interaction))), kernels)
		}
		n = norm.NewInteraction(r.Interaction, indefinite)
	case r.Rule != nil && r.Weights == nil: // The weights are found after the normalisation.
		if importance != nil || costs {
			return nil, fail.New(fail.Usage, "prior= and cost= beside the weights of a rule")
		}
		return n, c.options.checkRule()
	case r.Weights != nil:
		if len(r.Weights) != kernels {
			return nil, fail.New(fail.Usage, "%d fixed weights, and there are %d kernels",
				len(r.Weights), kernels)
		}
		if importance != nil || costs {
			return nil, fail.New(fail.Usage,
				"prior= and cost= beside fixed weights, which are all there is to it")
		}
		// Fixed weights d_m are the block norm of p = 2 over the kernels d_m K_m. Its own weights
		// are 1.
		importance = r.Weights
	}
	importance = timesEach(importance, r.tuned)
	if _, plain := n.(*norm.Block); plain && p == 1 && importance == nil && !c.options.Problem.JointCost && !movesAll(c.options.Solver.Method) {
		n = norm.NewSum(indefinite)
	}
	if importance != nil {
		n = norm.NewWeighted(n, importance)
	}
	return n, nil
}

// costPower returns the power with which costs of kernels enter the norm.
func (r *Norm) costPower() float64 {
	if r.CostPower == nil {
		return 1
	}
	return *r.CostPower
}

// mayBeIndefinite marks the kernels that are not known to be positive semi-definite. A norm drops
// one of them when its V_m = alpha'K_m alpha becomes negative by more than rounding.
func (c normChoice) mayBeIndefinite() []bool {
	r := make([]bool, c.kernels.Len())
	for i := range r {
		r[i] = !c.kernels.Definite(i)
	}
	return r
}

// needsDouble reports whether the weights of the norm are unbounded. Kernels with a small V_m then
// have the largest weights, and rounding to single precision would show in them.
func (r *Norm) needsDouble() bool {
	return r.P > 2 || r.GroupNorm > 2 || model.Coupled(r.Interaction)
}

// bytes returns what the norm holds beside vectors over the kernels: the matrix of interactions with its factor and a working
// copy, or sums of the gradients of groups on a working set of q points.
func (r *Norm) bytes(kernels, q int64) int64 {
	switch {
	case r.Interaction != nil:
		return 24*kernels*kernels + 16*kernels*q
	case r.GroupNorm != 0:
		return 16 * min(kernels, norm.MostRows) * q
	}
	return 0
}

// describeNorm describes the norm, P apart, in a line for the identity of a run. Checkpoints
// contain the line, and its form must stay; matrices enter it by their hash.
func (r *Norm) describeNorm() string {
	var h xxhash.Digest
	h.Reset()
	h.Write(mmap.Bytes(r.Interaction))
	h.Write(mmap.Bytes(r.Weights))
	rule := ""
	if r.Rule != nil {
		rule = fmt.Sprintf(" rule %s %d %d", r.Rule, r.RuleSample, r.RuleFolds)
	}
	return fmt.Sprintf("%v %v %v %d %d %016x%s", float64(r.GroupNorm), r.ElasticNet, r.SquaredNorm,
		len(r.Interaction), len(r.Weights), h.Sum64(), rule)
}

// ruleForModel returns the rule of the weights as a model file records it, nil without one.
func (r *Norm) ruleForModel() *model.WeightRule {
	if r.Rule == nil {
		return nil
	}
	rule := &model.WeightRule{Text: r.Rule.String(), Sample: r.RuleSample, Sums: r.ruleSums}
	if r.Rule.HoldsOut() {
		rule.Sample, rule.Folds = 0, r.RuleFolds
	}
	return rule
}

// heldNorm returns a block norm whose weights stay while alpha is optimised, with the rule that
// moves them in between: the rule of the user, cutting planes, or the analytical step of the
// wrapper.
func (c normChoice) heldNorm() *rule.Held {
	o, kernels, indefinite := c.options, c.kernels.Len(), c.mayBeIndefinite()
	switch {
	case o.Solver.Rule != nil:
		return rule.NewHeld(norm.NewBlock(o.Norm.P, indefinite), o.Solver.Rule(kernels), kernels)
	// At p = 1 the step of the wrapper makes little progress. One set of weights for several
	// classifiers therefore moves by cutting planes there, unless the wrapper was asked for.
	case o.Solver.cutsPlanes(),
		o.Problem.OneTheta && o.Solver.Method == MethodChunking && o.Norm.P == 1:
		settled := o.Solver.Method == MethodCPMWrapper // each cut is of a solved classifier
		return rule.NewCuttingPlane(o.Norm.P, kernels, settled, indefinite)
	}
	return rule.NewWrapper(o.Norm.P, kernels, indefinite)
}
