package command

import (
	"errors"

	"bigmkl"
)

// trainFlags are the command line of train, which plan and config take as well.
type trainFlags struct {
	problemFlags
	gates   gateFlags
	folds   foldFlags
	test    testFlags
	results resultFlags
	init    string
	// planned is set by commands that train no model.
	planned bool
	json    bool
	quiet   bool
}

// defineFlags defines the flags of a training.
func (t *trainFlags) defineFlags(f *flags) {
	o := &t.options
	t.complete = true
	addKernelFlags(f, o, &t.rows.views, "multiplicative")
	t.problemFlags.defineFlags(f)
	t.defineSingleFlags(f)
	t.gates.defineFlags(f, o)
	t.components.defineFlags(f, o)
	t.costs.defineCost(f)
	addWords(f, &o.Solver, "solver", "NAME", "chunking, lbfgs for task square with linear kernels alone",
		bigmkl.Solvers,
		"chunking; for task square also lbfgs. wrapper, cpm and cpm-wrapper exist for comparison, for task rkda cpm-wrapper, qcqp, sdp, sdp-approx and sdp-kim, of which the last two have other optima, for task med with --entropy drop smo")
	add(f, &o.Nu, "nu", "NU", "0.5", parsePositiveShare,
		"share of the rows that task oneclass may leave out, above 0; at 1 all rows count alike")
	add(f, &o.MaxTime, "max-time", "TIME", "0", parseDuration,
		"end the run after this time, reading included, such as 90, 10m or 2h30m; 0 for no limit")
	f.StringVar(&o.Checkpoint, "checkpoint", "",
		"save the state of the run in this `DIR`, for --resume")
	add(f, &o.CheckpointEvery, "checkpoint-every", "TIME", "5m", parseInterval,
		"time between two checkpoints, such as 90, 10m or 1h")
	f.BoolVar(&o.Resume, "resume", false,
		"continue from the last checkpoint, or begin if there is none")
	t.folds.defineFlags(f, o)
	f.StringVar(&t.init, "init", "", "start from the dual variables of this `MODEL`")
	t.test.defineFlags(f)
	t.results.defineFlags(f)
	addJSONFlag(f, &t.json)
	addQuietFlag(f, &t.quiet)
}

// checkFlags returns all faults of the command line that can be found without reading a file.
func (t *trainFlags) checkFlags(f *flags) error {
	var faults usageFaults
	o := &t.options
	faults.require(t.results.model != "" || t.planned, "-o MODEL", "no model file is named")
	faults.require(len(t.rows.paths) > 0 || t.rows.read.LabelFile != "" && allPrecomputed(o.Kernels), "- is standard input; precomputed matrices take --labels FILE alone", "no data file is named")
	t.results.checkFlags(t.json, &faults)
	faults.require(o.Checkpoint != "" || !f.Changed("checkpoint-every"), "--checkpoint DIR",
		"--checkpoint-every has no effect without --checkpoint")
	faults.require(!isStandardOutput(t.results.trace), "name a file", "--trace cannot go to standard output")
	forecast := !t.planned || !f.Changed("solver") || o.Solver == bigmkl.SolverChunking ||
		o.Solver == bigmkl.SolverSMO
	faults.require(forecast, "leave --solver out",
		"plan cannot predict how long --solver %s takes", o.Solver)
	faults.require(o.Multiclass == "" || t.init == "", "leave one of them out",
		"--init starts a model of one classifier and does not go with --multiclass")
	faults.require(len(t.taus) < 2 || t.init == "", "leave --init out, or give one --tau",
		"--init starts a model of one quantile and does not go with several")
	t.test.checkFlags(&faults)
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
	t.rows.read.Labels = o.Labeling()
	faults = append(faults, t.posteriors.takeUp(o), checkKernels(o.Kernels), o.Validate(), t.rows.read.Validate())
	return errors.Join(faults...)
}

// files lists the files that no result may replace. The model to start from may be replaced, because it is in
// memory by then.
func (t *trainFlags) files() []string {
	return append(t.problemFlags.files(), t.test.path, t.gates.file)
}
