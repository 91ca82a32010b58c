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
		"gates of kernels, as `GATES`: softmax, sigmoid or gauss, which are learned; regions:R, each kernel once in each of R regions of the data; or fixed:FILE, an .npy file of rows x kernels; --norm is then 2 unless given")
	f.StringVar(&o.GateOn, "gate-on", "",
		"features that the gates of --gating look at, as `WHAT` behind the @ of a kernel: a view, 1-76 or 3+17, or pca:R for principal components; or kernel:SPEC*L, the values of a kernel with L of the rows, of any data (default: all features)")
	add(f, &o.GateTol, "gate-tol", "T", "1e-2", parseGap,
		"gates, or a projection, have converged where the slope of the objective is no longer than this part of it and the last step has lowered it by less than a tenth of that")
	add(f, &o.GateSteps, "gate-steps", "N", "500", parseLimit,
		"largest number of steps of a descent of gates, or of a projection; reached before --gate-tol, the exit code is 4")
	add(f, &o.Starts, "starts", "R", "1", parseLimit,
		"number of descents of gates, or of a projection, from different starts, of which the lowest stays")
	add(f, &o.GateDecay, "gate-decay", "L", "0", parseWeight,
		"add L/2 times the objective at the start times the squared weights of gates, which keeps gates from hardening without end; at most 1e50")
	add(f, &o.GateFloor, "gate-floor", "F", "0", parseFloor,
		"close gates below F, in [0, 1), at the end and solve the classifier once more; predictions do not compute what is closed")
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
