package command

// resultFlags name the files that a training writes.
type resultFlags struct {
	// model may be standard output.
	model string
	// theta is the file of the weights, and trace the file of the iterations.
	theta, trace string
}

// defineFlags defines the flags.
func (r *resultFlags) defineFlags(f *flags) {
	f.StringVarP(&r.model, "out", "o", "",
		"write the model to this file `MODEL`, - for standard output")
	f.StringVar(&r.theta, "theta-out", "",
		"write the weights to this .npy `FILE`, with a row for each of several classifiers")
	f.StringVar(&r.trace, "trace", "", "write each iteration as a line of JSON to this `FILE`, for report --trace")
}

// checkFlags rejects a second result on standard output. json is set if an object goes there.
func (r *resultFlags) checkFlags(json bool, faults *usageFaults) {
	faults.require(!json || !isStandardOutput(r.model), "write the model to a file",
		"--json and the model cannot both go to standard output")
	faults.require(!isStandardOutput(r.theta), "name a file",
		"--theta-out cannot go to standard output")
}

// files lists the files.
func (r *resultFlags) files() []string { return []string{r.model, r.theta, r.trace} }
