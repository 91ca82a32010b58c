package command

import (
	"bigmkl"
	"bigmkl/gating"
)

// gateFlags choose the gates of kernels. All but their file are options of the library.
type gateFlags struct {
	// file is the matrix of --gating fixed.
	file string
}

// defineFlags defines the flags, which projections share.
func (g *gateFlags) defineFlags(f *flags, o *bigmkl.Options) {
	f.StringVar(&o.Gating, "gating", "",
		"weights of kernels that depend on the row, as `GATES`: softmax, sigmoid or gauss, which are learned; regions:R, each kernel once in each of R regions of the data; or fixed:FILE, a .npy file of rows x kernels. The default of --norm is then 2")
	f.StringVar(&o.GateOn, "gate-on", "",
		"features that gates use, as `WHAT`: a view, 1-76 or 3+17, as after the @ of a kernel; pca:R, the first R principal components; or kernel:SPEC*L, the values of a kernel with L of the rows (default: all features)")
	add(f, &o.GateTol, "gate-tol", "T", "1e-2", parseGap,
		"gates or a projection have converged if the slope of the objective is at most this share of the objective, and the last step has lowered it by less than a tenth of this share")
	add(f, &o.GateSteps, "gate-steps", "N", "500", parseLimit,
		"largest number of steps of a descent of gates or of a projection; if it is reached before --gate-tol, the exit code is 4")
	add(f, &o.Starts, "starts", "R", "1", parseLimit,
		"number of descents of gates or of a projection from different starts; the one with the smallest objective is kept")
	add(f, &o.GateDecay, "gate-decay", "L", "0", parseWeight,
		"add a penalty, so gates do not become ever sharper: L/2 times the objective at the start times the squared weights of the gates; L is at most 1e50")
	add(f, &o.GateFloor, "gate-floor", "F", "0", parseFloor,
		"set gates below F, in [0, 1), to 0 at the end, and train the classifier once more; predictions skip kernels whose gate is 0")
	f.BoolVar(&o.OneGate, "one-gate", false,
		"learn one set of gates, or one projection as in --kernels 'proj(gauss:0.5,2)', for all classifiers of --multiclass")
}

// checkFlags finds flags that make no sense beside gates. tested is set if there is a test file.
func (g *gateFlags) checkFlags(f *flags, o *bigmkl.Options, tested bool, faults *usageFaults) {
	s, err := gating.Parse(o.Gating)
	if err != nil {
		return // Validate reports it.
	}
	faults.require(s.Kind != gating.KindFixed || !tested,
		"predict --gates F takes the gates of other rows",
		"--test has no gates for its rows with --gating fixed:FILE")
	g.file = s.File
	for _, name := range learnedFlags {
		faults.require(s.Learned() || projects(o.Kernels) || !f.Changed(name),
			"--gating softmax, sigmoid or gauss",
			"--%s is for gates that are learned, and for projections", name)
	}
}

// learnedFlags names the flags of gates that are learned whose values do not show that they were given.
var learnedFlags = []string{"gate-tol", "gate-steps", "starts"}
