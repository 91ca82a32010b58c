package command

import (
	"errors"
	"time"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/dataset"
	"bigmkl/dataset/formats"
	"bigmkl/model"
)

// trainCommand holds the flags and arguments of the train command. The plan command uses it too.
type trainCommand struct {
	*app
	options bigmkl.Options
	norm    normFlags
	read    formats.Options
	// cost is that of the command line, and costGiven is set if there is one.
	cost      cost
	costGiven bool
	// ridge is that of task rkda.
	ridge     cost
	folds     int
	conformal conformalFlag
	// probability asks for probabilities.
	probability bool
	posteriors  posteriorsFlags
	components  componentFlags
	// posteriorsOut is the file for the probabilities of rows that were held out.
	posteriorsOut string
	views         string
	// viewLines are the views that a file of options has, in the form of the lines of --views.
	viewLines []string
	config    string
	// columns are those of the data if they are a table. The model keeps them.
	columns  *dataset.Columns
	init     string
	test     string
	narrow   bool
	gates    gateFlags
	gramTest []string
	out      string
	thetaOut string
	// trace is the file for the iterations.
	trace string
	json  bool
	quiet bool
	// planned is set by the plan command, which writes no model.
	planned bool
	began   time.Time
	data    []string
}

// defaultFolds is the number of folds that LIBSVM uses.
const defaultFolds = 5

// defineFlags defines the flags of a training.
func (t *trainCommand) defineFlags(f *flags) {
	o := &t.options
	addKernelFlags(f, o, &t.views, "multiplicative")
	addReadFlags(f, &t.read)
	addRowWeightFlag(f, &t.read)
	t.norm.defineFlags(f, o)
	t.defineProblemFlags(f)
	t.gates.defineFlags(f, o)
	t.components.defineFlags(f, o)
	add(f, &t.cost, "C,C", "C", "", parseCost,
		"cost C of the loss, above 0 (default: 1, and the standard deviation of the targets for tasks svr, quantile and survival), or joint: with a squared loss and p = 1 found along with the weights")
	t.defineAloneFlags(f)
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
	add(f, &t.conformal, "conformal", "HOW", "", parseConformal,
		"keep calibration scores, from which predict --coverage makes intervals or sets: split:0.2 (keeps a share of the rows from the training), folds:10 (trains once more without each fold; its coverage is not proven), by-class for scores of each class, or split:0.3,by-class")
	f.BoolVar(&t.probability, "probability", false,
		"fit probabilities by cross-validation; predict --probability writes them")
	t.folds = defaultFolds
	add(f, &t.folds, "folds", "K", "5", parseFolds,
		"number of cross-validation folds used to fit the probabilities, or for a rule of --weights")
	f.BoolVar(&o.SharedPreparation, "shared-preparation", false,
		"with --probability, make scaling, widths and normalisation once, from all rows, also those that folds leave out: faster, and probabilities may be too good")
	f.StringVar(&t.posteriorsOut, "posteriors-out", "",
		"with --probability, write the probability of the positive class of each row while it was held out to this `FILE`")
	f.StringVar(&t.config, configFlag, "",
		"read options from this TOML `FILE`, whose keys are the names of flags; flags beat it (see bigmkl config)")
	f.StringVar(&t.init, "init", "", "start from the dual variables of this `MODEL`")
	f.StringVar(&t.test, "test", "", "evaluate the model on the rows of this `FILE`")
	f.StringArrayVar(&t.gramTest, "gram-test", nil,
		"`FILE` with the n_test x n_train matrix of a precomputed kernel for --test; repeat for each, in order")
	addNarrowFlag(f, &t.narrow)
	f.StringVarP(&t.out, "out", "o", "",
		"write the model to this file `MODEL`, - for standard output")
	f.StringVar(&t.thetaOut, "theta-out", "",
		"write the weights to this .npy `FILE`, with a row for each of several classifiers")
	f.StringVar(&t.trace, "trace", "", "write each iteration as a line of JSON to this `FILE`, for report --trace")
	addJSONFlag(f, &t.json)
	addQuietFlag(f, &t.quiet)
}

// defineProblemFlags defines the flags of the problem and of its solution that train and select
// share.
func (t *trainCommand) defineProblemFlags(f *flags) {
	o := &t.options
	add(f, &o.Gap, "gap", "GAP", "1e-3", parseGap, "relative duality gap to reach")
	addWords(f, &o.Precision, "precision", "BITS", "auto", []string{"auto", "32", "64"},
		"precision of the kernel arithmetic: auto, 32 or 64")
	addWords(f, &o.Task, "task", "TASK", "class", model.Tasks,
		"what to learn: class, svr, square or huber (regression by the epsilon-insensitive, squared or Huber's loss), quantile (of the targets), survival (times, some of them censored), oneclass, rkda (kernel discriminant analysis of any number of classes), med (two classes by maximum entropy discrimination with mixtures) or mixture (two classes by a mixture of maximum likelihood each)")
	addWords(f, &o.Loss, "loss", "LOSS", "", model.Losses,
		"loss of task class: hinge (default) or squared-hinge, whose dual variables have no upper bound")
	add(f, &o.Epsilon, "epsilon", "EPS", "", parseEpsilon,
		"half-width of the tube of tasks svr, quantile and survival (default: a tenth of the standard deviation of the targets; 0 for quantile). The targets of task survival are the logarithms of the times")
	add(f, &o.Tau, "tau", "TAU", "", parseCoverage,
		"quantile of tasks quantile and survival, in (0, 1) (default: 0.5, the median)")
	add(f, &o.Delta, "delta", "D", "", parsePositive,
		"distance from the target at which the loss of task huber becomes a line (default: half of the standard deviation of the targets)")
	add(f, &o.ClassWeight, "class-weight", "L=W,..", "", parseClassWeights,
		"cost factors of classes, such as +1=2,-1=0.5")
	t.posteriors.defineFlags(f)
	add(f, &o.Cache, "cache", "MODE", "auto", cache.ParseMode,
		"when to cache kernel rows: auto, always or never")
	f.offers.words("cache", cache.Auto.String(), cache.Always.String(), cache.Never.String())
	add(f, &o.MaxIterations, "max-iter", "N", "0", parseCount,
		"stop after N iterations, 0 for no limit")
	addWords(f, &o.Multiclass, "multiclass", "KIND", "", model.Multiclasses,
		"train several classifiers: ovr, one for each class against the rest; ovo, one for each pair; labels, one for each label of sets such as 1,3; single, one classifier for all classes")
	add(f, &o.Positive, "positive", "L,..", "", parseLabels,
		"labels of the positive class; all others are negative")
}

// defineAloneFlags defines the flags of trainings that train and importance have, and select has not.
func (t *trainCommand) defineAloneFlags(f *flags) {
	o := &t.options
	add(f, &t.ridge, "lambda", "L", "5e-4", parseCost,
		"ridge parameter of task rkda, above 0, in the place of C, or joint: at p = 1 found along with the weights")
	addWords(f, &o.DiscriminantRule, "rule", "RULE", model.RuleMeans, model.DiscriminantRules,
		"how task rkda chooses a class: means, the nearest mean of the scores; indicator, the largest score as 0 or 1")
	f.BoolVar(&o.OneTheta, "one-theta", false,
		"learn one set of weights for all classifiers of --multiclass ovr or labels, for p up to 2")
	t.components.defineSearch(f, o)
}

// takeRidge takes up the ridge parameter of task rkda.
func (t *trainCommand) takeRidge(faults *usageFaults) {
	discriminant := t.options.Task == model.TaskRKDA
	faults.require(!t.ridge.joint || discriminant, "-C joint", "lambda without task rkda: other tasks have C")
	t.options.Lambda = t.ridge.value
	t.options.JointCost = t.cost.joint && !discriminant || t.ridge.joint && discriminant
}

// readArguments takes the data files of the command line, and the options of the file of --config.
// Faults of that file would lead to others, so that they are returned at once.
func (t *trainCommand) readArguments(f *flags, args []string) error {
	t.data = args
	if t.config == "" {
		return nil
	}
	list, err := readConfig(t.config)
	if err == nil {
		err = atFile(applySettings(f, list, t), t.config)
	}
	if err != nil {
		return errors.Join(f.err(), err)
	}
	return nil
}

// setViews takes views in the form of the lines of --views.
func (t *trainCommand) setViews(lines []string) (err error) {
	t.viewLines = lines
	t.options.Views, err = dataset.ParseViews(lines)
	return err
}

// checkFlags returns all faults of the command line that can be found without reading a file.
func (t *trainCommand) checkFlags(f *flags) error {
	var faults usageFaults
	faults.require(t.out != "" || t.planned, "-o MODEL", "no model file is named")
	faults.require(len(t.data) > 0 || t.read.LabelFile != "" && allPrecomputed(t.options.Kernels), "- is standard input; precomputed matrices take --labels FILE alone", "no data file is named")
	faults.require(!t.json || !isStandardOutput(t.out), "write the model to a file",
		"--json and the model cannot both go to standard output")
	faults.require(!isStandardOutput(t.thetaOut), "name a file",
		"--theta-out cannot go to standard output")
	faults.require(t.options.Checkpoint != "" || !f.Changed("checkpoint-every"), "--checkpoint DIR",
		"--checkpoint-every has no effect without --checkpoint")
	faults.require(!isStandardOutput(t.trace), "name a file", "--trace cannot go to standard output")
	forecast := !t.planned || !f.Changed("solver") || t.options.Solver == bigmkl.SolverChunking ||
		t.options.Solver == bigmkl.SolverSMO
	faults.require(forecast, "leave --solver out",
		"plan cannot predict how long --solver %s takes", t.options.Solver)
	faults.require(t.options.Multiclass == "" || t.init == "", "leave one of them out",
		"--init starts a model of one machine and does not go with --multiclass")
	faults.require(len(t.gramTest) == 0 || t.test != "", "--test FILE",
		"--gram-test has no effect without --test")
	faults.require(!t.narrow || t.test != "", "--test FILE",
		"--ignore-extra-features has no effect without --test")
	t.gates.checkFlags(f, &t.options, t.test != "", &faults)
	checkMissing(t.options.Missing, t.test != "", &faults)
	t.norm.checkFlags(f, &t.options, &faults)
	checkTaskFlags(t.options.Task, f, &faults)
	rule, err := bigmkl.ParseWeightRule(t.options.Regularizer.Rule)
	held := err == nil && rule.HoldsOut()
	faults.require(t.probability || held || !f.Changed("folds"), "--probability",
		"--folds has no effect without --probability or a rule for weights that looks at rows held out")
	if held && f.Changed("folds") {
		t.options.Regularizer.RuleFolds = t.folds
	}
	faults.require(t.probability || !t.options.SharedPreparation, "--probability", "--shared-preparation has no effect without --probability")
	t.posteriors.checkFlags(&faults)
	t.checkPosteriorsOut(&faults)
	t.components.checkFlags(f, &t.options, &faults)
	if t.probability {
		t.options.Folds = t.folds
	}
	if t.conformal.asked {
		faults = append(faults, t.conformal.Validate(&t.options))
	}
	t.costGiven = f.Changed("C")
	faults.require(!t.cost.joint || t.options.Task != model.TaskRKDA, "--lambda joint", "C beside lambda: task rkda finds lambda and not C")
	t.options.C = t.cost.value
	t.takeRidge(&faults)
	t.read.Labels = t.options.Labeling()
	faults = append(faults, t.posteriors.takeUp(&t.options))
	faults = append(faults, checkKernels(t.options.Kernels), t.options.Validate(),
		t.read.Validate())
	return errors.Join(faults...)
}

// checkPosteriorsOut returns what does not go with --posteriors-out.
func (t *trainCommand) checkPosteriorsOut(faults *usageFaults) {
	if t.posteriorsOut == "" {
		return
	}
	faults.require(t.probability, "--probability",
		"--posteriors-out has no effect without --probability")
	faults.require(t.options.Multiclass == "", "--positive names the labels of one of two classes",
		"--posteriors-out writes one number for each row, and does not go with --multiclass")
	faults.require(!isStandardOutput(t.posteriorsOut), "name a file",
		"--posteriors-out cannot go to standard output")
}
