package command

import (
	"bigmkl"
	"bigmkl/internal/gating"
)

// gateFlags choose the gates of kernels. All but their file are options of the library.
type gateFlags struct {
	// file is the matrix of --gating fixed.
	file string
}

// checkFlags finds flags that make no sense beside gates. tested is set if there is a test file. Fixed
// gates are a matrix with a line for each training row, so rows of a test file would need a matrix of
// their own.
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

// learnedFlags names the flags of learned gates whose default values are valid values, too. The options
// therefore do not show whether the user gave them, and the flags have to.
var learnedFlags = []string{"gate-tol", "gate-steps", "starts"}
