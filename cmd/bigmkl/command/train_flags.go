package command

import (
	"errors"

	"bigmkl"
)

// trainFlags are the command line of train, which plan and config take as well.
// Each group of flags has its checks in a file of its own.
type trainFlags struct {
	problemFlags
	gates   gateFlags
	folds   foldFlags
	test    testFlags
	results resultFlags
	// init is a model whose dual variables the training begins with, and empty for 0.
	init string
	// planned is set by commands that train no model.
	planned bool
	json    bool
	quiet   bool
}

// defineFlags defines the flags of a training.
func (t *trainFlags) defineFlags(f *flags) {
	// Config writes these flags with their defaults, and the files come back through --config.
	t.complete = true
	// byTraining selects the rows of the table that train takes.
	t.problemFlags.defineFlags(f, byTraining)
	t.folds.defineFlags(f, &t.options)
	f.StringVar(&t.init, "init", "", "start from the dual variables of this `MODEL`")
	t.test.defineFlags(f)
	t.results.defineFlags(f)
	addJSONFlag(f, &t.json)
	addQuietFlag(f, &t.quiet)
}

// checkFlags returns all faults of the command line that can be found without reading a file. Defaults
// of tasks are settled before the options are validated, so the library sees what it would be called
// with.
func (t *trainFlags) checkFlags(f *flags) error {
	// Faults are collected in the order of the help.
	var faults usageFaults
	o := &t.options
	faults.require(t.results.model != "" || t.planned, "-o MODEL", "no model file is named")
	faults.require(len(t.rows.paths) > 0 || t.rows.read.LabelFile != "" && allPrecomputed(o.Kernels), "- is standard input; precomputed matrices take --labels FILE alone", "no data file is named")
	t.results.checkFlags(t.json, &faults)
	checkNeeds(f, &faults)
	faults.require(!isStandardOutput(t.results.trace), "name a file", "--trace cannot go to standard output")
	// Other solvers are for comparison, and no formula forecasts their iterations.
	forecast := !t.planned || !f.Changed("solver") || o.Solver == bigmkl.SolverChunking ||
		o.Solver == bigmkl.SolverSMO
	faults.require(forecast, "leave --solver out",
		"plan cannot predict how long --solver %s takes", o.Solver)
	faults.require(o.Multiclass == "" || t.init == "", "leave one of them out",
		"--init starts a model of one classifier and does not go with --multiclass")
	faults.require(len(t.taus) < 2 || t.init == "", "leave --init out, or give one --tau",
		"--init starts a model of one quantile and does not go with several")
	tested := t.test.path != ""
	t.gates.checkFlags(f, o, tested, &faults)
	checkMissing(o.Missing, tested, &faults)
	t.norm.checkFlags(f, o, &faults)
	checkTaskFlags(o.Task, f, &faults)
	t.folds.checkFlags(f, o, &faults)
	t.posteriors.checkFlags(&faults)
	t.folds.checkOutput(o, &faults)
	t.components.checkFlags(f, o, &faults)
	faults = append(faults, t.folds.takeUp(o))
	t.costs.takeUp(f, o, &faults)
	t.takeUpTaus()
	// The task decides how labels are parsed.
	t.rows.read.Labels = o.Labeling()
	faults = append(faults, t.posteriors.takeUp(o), checkKernels(o.Kernels), o.Validate(), t.rows.read.Validate())
	return errors.Join(faults...)
}

// files lists the files that no result may replace. The model to start from may be replaced, because it is in
// memory by then.
func (t *trainFlags) files() []string {
	return append(t.problemFlags.files(), t.test.path, t.gates.file, t.folds.groups)
}
