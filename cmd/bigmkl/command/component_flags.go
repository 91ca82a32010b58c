package command

import (
	"bigmkl"
	"bigmkl/internal/model"
)

// componentFlags are about the components of tasks med and mixture.
type componentFlags struct {
	// observe is the file of the components of rows that are known.
	observe string
}

// checkFlags clears options whose flags have defaults for other tasks. The library then takes the
// default of task med or mixture.
func (c *componentFlags) checkFlags(f *flags, o *bigmkl.Options, faults *usageFaults) {
	// Likelihood has no entropy of components.
	if model.MaximisesLikelihood(o.Task) && !f.Changed("entropy") {
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
// The values are numbers of components within the class of a row, 0 for unknown ones.
func (c *componentFlags) readFile(o *bigmkl.Options) (err error) {
	if c.observe != "" {
		o.Observed, err = readNumbers(c.observe)
	}
	return err
}
