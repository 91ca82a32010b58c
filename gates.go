package bigmkl

import (
	"bigmkl/gating"
	"bigmkl/kernelspec"
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
func (o *Options) checkGates(check func(ok bool, format string, args ...any)) {
	s, err := o.gates()
	if err != nil {
		return // Validate reports it.
	}
	check(o.GateOn == "" || s.SeesFeatures(),
		"features for gates to look at, and no gates that are functions of features")
	_, _, _, err = kernelspec.CutLandmarks(o.GateOn)
	check(err == nil, "%v", err)
	o.checkLearned(s.Learned(), check)
	if !s.Gated() {
		return
	}
	check(o.Solver == "" || o.Solver == SolverChunking, "gates go with solver chunking, and not %s",
		o.Solver)
	check(o.Rule == nil, "gates beside a rule for the weights")
	check(o.Regularizer.Rule == "", "gates beside weights by a rule, which is about kernels without gates")
	check(!o.OneTheta, "gates beside one set of weights for all classifiers")
}

// checkLearned finds options that do not go with gates that are learned, or that go with nothing
// else.
func (o *Options) checkLearned(learned bool, check func(ok bool, format string, args ...any)) {
	check(o.GateTol > 0 && o.GateTol < 1, "tolerance %g of gates is not between 0 and 1", o.GateTol)
	check(o.GateSteps >= 1, "%d steps of gates", o.GateSteps)
	check(o.Starts >= 1, "%d starts of gates", o.Starts)
	check(o.GateDecay >= 0 && o.GateDecay <= mostDecay,
		"a decay of gates of %g, which is not a number from 0 to %g", o.GateDecay, mostDecay)
	check(o.GateFloor >= 0 && o.GateFloor < 1, "a floor of gates of %g, which is not in [0, 1)",
		o.GateFloor)
	if !learned {
		check(o.GateDecay == 0 && o.GateFloor == 0,
			"a decay or a floor of gates, and no gates that are learned")
		return
	}
	check(o.Regularizer.countAlternatives() == 0, "gates are learned with the block norm alone")
}
