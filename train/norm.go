package train

import (
	"fmt"
	"math"

	"github.com/cespare/xxhash/v2"

	"bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/chunking/rule"
	"bigmkl/internal/fail"
	"bigmkl/mmap"
	"bigmkl/model"
)

// A norm has a state: how far it is smoothed, and which kernels it has dropped because they turned out
// indefinite. So each problem gets a norm of its own, and what a norm needs of the kernels is checked
// here, once they are known: groups, the size of matrices, prior weights.

// regularizer makes the norm for the kernels of the run, or says why there is none. What is learned from the kernels, such as
// interactions that are their alignments, has its place here.
func (w *Workspace) regularizer() (chunking.Norm, error) {
	r, p, kernels, indefinite := &w.Options.Norm, w.Options.Norm.P, w.Kernels.Len(), w.mayBeIndefinite()
	importance, groups := w.Kernels.Expanded.Importance(), w.Kernels.Expanded.Grouping()
	if groups != nil && r.GroupNorm == 0 {
		return nil, fail.New(fail.Usage, "kernels are in groups, such as %s, and no norm within groups is given", fail.Quote(w.Kernels.Expanded.Groups[0])).
			WithHint("--group-norm Q; with Q = P groups make no difference")
	}
	var n chunking.Norm = norm.NewBlock(p, indefinite)
	switch {
	case w.Options.Solver.holdsWeights():
		n = w.heldNorm()
	case r.GroupNorm != 0:
		if groups == nil {
			return nil, fail.New(fail.Usage, "a norm within groups, and no kernel is in a group").WithHint("write group=NAME behind kernels, after a blank")
		}
		n = norm.NewHierarchical(p, r.GroupNorm, groups, indefinite)
	case r.ElasticNet != 0:
		n = norm.NewElasticNet(r.ElasticNet, indefinite)
	case r.SquaredNorm != 0:
		n = norm.NewSquared(p, r.SquaredNorm, indefinite)
	case r.Interaction != nil:
		if len(r.Interaction) != kernels*kernels {
			return nil, fail.New(fail.Usage, "interactions of %.0f kernels, and there are %d", math.Sqrt(float64(len(r.Interaction))), kernels)
		}
		n = norm.NewInteraction(r.Interaction, indefinite)
	case r.Weights != nil:
		if len(r.Weights) != kernels {
			return nil, fail.New(fail.Usage, "%d fixed weights, and there are %d kernels", len(r.Weights), kernels)
		}
		if importance != nil {
			return nil, fail.New(fail.Usage, "prior= and cost= beside fixed weights, which are all there is to it")
		}
		importance = r.Weights
	}
	if importance != nil {
		n = norm.NewWeighted(n, importance)
	}
	return n, nil
}

// indefinite marks the kernels that may be.
func (w *Workspace) mayBeIndefinite() []bool {
	r := make([]bool, w.Kernels.Len())
	for i := range r {
		r[i] = !w.Kernels.Definite(i)
	}
	return r
}

// identity says what the bits of a run depend on.
func (r *Norm) describeNorm() string {
	var h xxhash.Digest
	h.Reset()
	h.Write(mmap.Bytes(r.Interaction))
	h.Write(mmap.Bytes(r.Weights))
	return fmt.Sprintf("%v %v %v %d %d %016x", r.GroupNorm, r.ElasticNet, r.SquaredNorm, len(r.Interaction), len(r.Weights), h.Sum64())
}

// recorded is what a model says of it.
func (r *Norm) forModel() model.Regularizer {
	return model.Regularizer{
		GroupNorm: model.Norm(r.GroupNorm), ElasticNet: r.ElasticNet, SquaredNorm: r.SquaredNorm, Interaction: r.Interaction, Weights: r.Weights,
	}
}

// held makes a block norm whose weights move as the solver has it.
func (w *Workspace) heldNorm() *rule.Held {
	o, kernels, indefinite := &w.Options, w.Kernels.Len(), w.mayBeIndefinite()
	switch {
	case o.Solver.Rule != nil:
		return rule.NewHeld(norm.NewBlock(o.Norm.P, indefinite), o.Solver.Rule(kernels), kernels)
	case o.Solver.cutsPlanes() || o.Problem.OneTheta && o.Solver.Method == MethodChunking && o.Norm.P == 1: // the wrapper creeps at p = 1
		return rule.NewCuttingPlane(o.Norm.P, kernels, o.Solver.Method == MethodCPMWrapper, indefinite)
	}
	return rule.NewWrapper(o.Norm.P, kernels, indefinite)
}
