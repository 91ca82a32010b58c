package command

import (
	"bigmkl"
	"bigmkl/model"
)

// componentFlags are about the components of tasks med and mixture.
type componentFlags struct {
	// observe is the file of the components of rows that are known.
	observe string
}

// defineFlags defines which components there are.
func (c *componentFlags) defineFlags(f *flags, o *bigmkl.Options) {
	f.StringVar(&o.Components, "components", "",
		"kernels of the components of tasks med and mixture, counted from 1, as `A/B` for the positive and the negative class, such as 1,2/1,3 (default: every kernel for both classes)")
	f.StringVar(&c.observe, "observe", "",
		"`FILE` with the known component of each row in tasks med and mixture, counted from 1 within its class; 0 if it is not known")
}

// defineSearch defines how tasks med and mixture look for a solution.
func (c *componentFlags) defineSearch(f *flags, o *bigmkl.Options) {
	addWords(f, &o.Entropy, "entropy", "KIND", model.EntropyExact, model.Entropies,
		"entropy in task med: exact, or drop, which leaves out the entropy of the components of the other class")
	add(f, &o.Restarts, "restarts", "R", "8", parsePositiveCount,
		"number of starts of tasks med and mixture; the start with the smallest objective is kept")
	add(f, &o.Rounds, "rounds", "N", "50", parsePositiveCount, "largest number of projections of task med, or of EM steps of task mixture, from each start")
}

// checkFlags takes up what tasks med and mixture have defaults of their own for.
func (c *componentFlags) checkFlags(f *flags, o *bigmkl.Options, faults *usageFaults) {
	if o.Task == model.TaskMixture && !f.Changed("entropy") {
		o.Entropy = "" // It is an option of task med alone.
	}
	if model.HasComponents(o.Task) {
		if !f.Changed("normalize") {
			o.Normalize = "" // The task has a default of its own.
		}
	} else {
		faults.require(c.observe == "", "--task med or mixture", "--observe is an option of --task med and mixture alone")
	}
	faults.require(c.observe == "" || !isStandardOutput(c.observe), "name a file",
		"--observe needs a file, not standard input")
}

// readFile reads the file of --observe into the options.
func (c *componentFlags) readFile(o *bigmkl.Options) (err error) {
	if c.observe != "" {
		o.Observed, err = readNumbers(c.observe)
	}
	return err
}
