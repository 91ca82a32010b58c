package bigmkl

import "bigmkl/gating"

// gates returns the gates that the options ask for.
func (o *Options) gates() (gating.Spec, error) {
	s, err := gating.Parse(o.Gating)
	s.On = o.GateOn
	return s, err
}

// checkGates finds options that do not go with gates. Other solvers than chunking hold the weights
// or move all points, and their steps know of no gates.
func (o *Options) checkGates(check func(ok bool, format string, args ...any)) {
	s, err := o.gates()
	if err != nil {
		return // Validate reports it.
	}
	check(o.GateOn == "" || s.Kind == gating.KindRegions,
		"features for gates to look at, and no gates of regions")
	if !s.Gated() {
		return
	}
	check(o.Solver == "" || o.Solver == SolverChunking, "gates go with solver chunking, and not %s",
		o.Solver)
	check(o.Rule == nil, "gates beside a rule for the weights")
	check(o.Regularizer.Rule == "", "gates beside weights by a rule, which is about kernels without gates")
	check(!o.OneTheta, "gates beside one set of weights for all machines")
}
