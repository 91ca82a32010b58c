package bigmkl

import (
	"bigmkl/internal/gating"
	"bigmkl/internal/kernelspec"
)

// mostDecay is the largest GateDecay. Weights of gates are nothing long before, and beyond it the squares
// of slopes overflow.
const mostDecay = 1e50

// gates returns the gates that the options ask for.
func (o *Options) gates() (gating.Spec, error) {
	s, err := gating.Parse(o.Gating)
	s.On, s.Tolerance, s.Steps, s.Starts = o.GateOn, o.GateTol, o.GateSteps, o.Starts
	s.Decay, s.Floor, s.One = o.GateDecay, o.GateFloor, o.OneGate
	return s, err
}

// checkGates finds options that do not go with gates. Other solvers than chunking hold the weights
// or move all points, and their steps do not move gates.
func (v *validation) checkGates() {
	s, err := v.gates()
	if err != nil {
		return // Validate reports it.
	}
	v.check(v.GateOn == "" || s.SeesFeatures(),
		"features of gates are given, but no gates that are functions of features")
	_, _, _, err = kernelspec.CutLandmarks(v.GateOn)
	v.check(err == nil, "%v", err)
	v.checkLearned(s.Learned())
	if !s.Gated() {
		return
	}
	v.check(v.Solver == "" || v.Solver == SolverChunking, "gates need solver chunking, and not %s",
		v.Solver)
	v.check(v.Rule == nil, "gates cannot be combined with a rule for the weights")
	v.check(v.Regularizer.Rule == "", "gates cannot be combined with weights by a rule, which is for kernels without gates")
	v.check(!v.OneTheta, "gates cannot be combined with one set of weights for all classifiers")
}

// checkLearned finds options that do not go with gates that are learned, or that go with nothing
// else.
func (v *validation) checkLearned(learned bool) {
	v.check(v.GateTol > 0 && v.GateTol < 1, "tolerance %g of gates is not between 0 and 1", v.GateTol)
	v.check(v.GateSteps >= 1, "%d steps of gates: at least 1", v.GateSteps)
	v.check(v.Starts >= 1, "%d starts of gates: at least 1", v.Starts)
	v.check(v.GateDecay >= 0 && v.GateDecay <= mostDecay,
		"the decay of gates %g is not a number from 0 to %g", v.GateDecay, mostDecay)
	v.check(v.GateFloor >= 0 && v.GateFloor < 1, "the floor of gates %g is not in [0, 1)",
		v.GateFloor)
	if !learned {
		v.check(v.GateDecay == 0 && v.GateFloor == 0,
			"a decay or a floor of gates is given, but no gates that are learned")
		return
	}
	v.check(v.Regularizer.isBlockNorm(), "gates are learned only with the block norm")
}
