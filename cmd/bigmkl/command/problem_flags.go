package command

import (
	"context"
	"errors"
	"slices"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/model"
)

// problemFlags set what is learned of which rows: the part of a command line that train, plan, select and
// importance share. The options are options of the library. Files complete them.
type problemFlags struct {
	options    bigmkl.Options
	rows       rowFlags
	norm       normFlags
	costs      costFlags
	posteriors posteriorsFlags
	components componentFlags
	config     string
	// complete is set if files of options may have all flags, those with their defaults included.
	complete bool
}

// defineFlags defines the flags of the problem and of its solution that all of these commands have.
func (p *problemFlags) defineFlags(f *flags) {
	o := &p.options
	add(f, &o.Gap, "gap", "GAP", "1e-3", parseGap, "relative duality gap to reach")
	addWords(f, &o.Precision, "precision", "BITS", "auto", []string{"auto", "32", "64"},
		"precision of the kernel arithmetic: auto, 32 or 64")
	addWords(f, &o.Task, "task", "TASK", "class", model.Tasks,
		"what to learn: class, logistic (classes with their probabilities, by the log loss), svr, square or huber (regression by the epsilon-insensitive, squared or Huber's loss), quantile or expectile (of the targets), survival (times, some of them censored), oneclass, rkda (kernel discriminant analysis of any number of classes), med (two classes by maximum entropy discrimination with mixtures) or mixture (two classes by a mixture of maximum likelihood each)")
	addWords(f, &o.Loss, "loss", "LOSS", "", model.Losses,
		"loss of task class: hinge (default) or squared-hinge, whose dual variables have no upper bound")
	add(f, &o.Epsilon, "epsilon", "EPS", "", parseEpsilon,
		"half-width of the tube of tasks svr, quantile and survival (default: a tenth of the standard deviation of the targets; 0 for quantile). The targets of task survival are the logarithms of the times")
	add(f, &o.Tau, "tau", "TAU", "", parseCoverage,
		"quantile of tasks quantile and survival, and expectile of task expectile, in (0, 1) (default: 0.5, the median, or the mean)")
	add(f, &o.Delta, "delta", "D", "", parsePositive,
		"distance from the target at which the loss of task huber becomes a line (default: half of the standard deviation of the targets)")
	add(f, &o.ClassWeight, "class-weight", "L=W,..", "", parseClassWeights,
		"cost factors of classes, such as +1=2,-1=0.5")
	p.posteriors.defineFlags(f)
	add(f, &o.Cache, "cache", "MODE", "auto", cache.ParseMode,
		"when to cache kernel rows: auto, always or never")
	f.offers.words("cache", cache.Auto.String(), cache.Always.String(), cache.Never.String())
	add(f, &o.MaxIterations, "max-iter", "N", "0", parseCount,
		"stop after N iterations, 0 for no limit")
	addWords(f, &o.Multiclass, "multiclass", "KIND", "", model.Multiclasses,
		"train several classifiers: ovr, one for each class against the rest; ovo, one for each pair; labels, one for each label of sets such as 1,3; single, one classifier for all classes")
	add(f, &o.Positive, "positive", "L,..", "", parseLabels,
		"labels of the positive class; all others are negative")
	p.rows.defineFlags(f)
	p.norm.defineFlags(f, o)
	f.StringVar(&p.config, configFlag, "",
		"read options from this TOML `FILE`, whose keys are the names of flags; flags beat it (see bigmkl config)")
}

// defineSingleFlags defines what trainings one by one have, which select does not do.
func (p *problemFlags) defineSingleFlags(f *flags) {
	o := &p.options
	p.costs.defineRidge(f)
	addWords(f, &o.DiscriminantRule, "rule", "RULE", model.RuleMeans, model.DiscriminantRules,
		"how task rkda chooses a class: means, the nearest mean of the scores; indicator, the largest score as 0 or 1")
	f.BoolVar(&o.OneTheta, "one-theta", false,
		"learn one set of weights for all classifiers of --multiclass ovr or labels, for p up to 2")
	p.components.defineSearch(f, o)
}

// readArguments takes the data files of the command line, and the options of the file of --config.
// Faults of that file would lead to others, and are returned at once.
func (p *problemFlags) readArguments(f *flags, args []string) error {
	p.rows.paths = args
	if p.config == "" {
		return nil
	}
	list, err := readConfig(p.config)
	if err == nil {
		err = atFile(applySettings(f, list, p), p.config)
	}
	if err != nil {
		return errors.Join(f.err(), err)
	}
	return nil
}

// files lists the files that the problem comes from.
func (p *problemFlags) files() []string {
	return slices.Concat(p.rows.files(), []string{missingFile(p.options.Missing), p.norm.file(), p.norm.matrix,
		p.posteriors.file(), p.components.observe})
}

// readFiles reads every small file into the options and validates them again, as files have completed them.
func (p *problemFlags) readFiles() error {
	o := &p.options
	if err := completeOptions(o, &p.rows.read, p.rows.views); err != nil {
		return err
	}
	if err := p.norm.readFiles(&o.Regularizer); err != nil {
		return err
	}
	if err := p.posteriors.readFile(o); err != nil {
		return err
	}
	if err := p.components.readFile(o); err != nil {
		return err
	}
	return o.Validate()
}

// open reads every small file and opens the data.
func (p *problemFlags) open(ctx context.Context, at *opener) (source, error) {
	if err := p.readFiles(); err != nil {
		return nil, err
	}
	return at.openWithScratch(ctx, &p.options, p.rows.paths, p.rows.read)
}

// checkRepeated rejects what does not go with many trainings on the same rows, of which some choose a norm. what names
// the command.
func (p *problemFlags) checkRepeated(f *flags, what string, norms []float64, faults *usageFaults) {
	faults.require(len(p.rows.paths) > 0, "name a file", "no data file is named")
	faults.require(!slices.Contains(p.rows.paths, "-"), "write them to a file first",
		"%s reads its data more than once, which standard input does not allow", what)
	faults.require(len(norms) == 0 || !f.Changed("norm") && !f.Changed("theta-norm"), "use one of them",
		"--grid-norm cannot be combined with --norm or --theta-norm")
}
