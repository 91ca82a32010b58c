package command

import (
	"errors"
	"strings"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/selection"
)

// selectFlags are the command line of select: the problem, and what to choose from on which rows.
type selectFlags struct {
	problemFlags
	selection selection.Options
	splits    splitFlags
	// part is {I, N} of --part I/N, and {0, 0} without it.
	part   [2]int
	lacks  selection.Trials // shares of rows that lack a view
	noise  selection.Trials // copies of a view
	labels string           // file of labels by name, of matrices with names
	resume bool
	// probability gives the model of the chosen combination probabilities.
	probability bool
	// folder has the state and the results, for --resume, --merge and report.
	folder string
	json   bool
	quiet  bool
}

// defineFlags defines the flags of a selection: the flags of the grid, and of the trainings. Most flags
// write directly into the options of package selection. Its zero values mean the defaults in the help.
// Help and manual follow the table of options, whatever the order of these calls is.
func (s *selectFlags) defineFlags(f *flags) {
	o := &s.selection
	f.StringArrayVar(&o.Banks, "kernels", nil, optionNamed("kernels").usage)
	// offers are completions of a shell.
	f.offers.kernels()
	s.problemFlags.defineFlags(f, bySelection)
	add(f, &o.Costs, "grid-C", "C,..", "0.1,1,10,100",
		func(text string) ([]float64, error) { return kernelspec.Values(text, mostPath) },
		"costs to choose from, such as 0.1..100/7 (geometric) or 1,10,100; for tasks svr, quantile and survival the default values are multiplied by the standard deviation of the targets, and for ranked times by 0.01. If an end of the default list is best, the list is extended by a factor of 10")
	add(f, &o.Norms, "grid-norm", "P,..", "", parseNorms, "block norms to choose from (default: the value of --norm, or 1, 4/3 and 2)")
	add(f, &o.CostPowers, "grid-cost-power", "G,..", "", parsePowers,
		"powers of the costs of kernels to choose from, such as 0..1/11")
	addWords(f, (*string)(&o.CostBase), "cost-base", "WHAT", "", []string{"eigen"},
		"compute the costs of kernels: eigen, the number of eigenvalues above 1/2 of a matrix with unit diagonal, on up to 2,000 rows")
	// A selection draws folds once by default. importance draws them more often if rows are few.
	s.splits.defineFlags(f, &o.Splits, "1", 1)
	f.BoolVar(&o.Nested, "nested", false, "estimate the score of the whole selection on new rows, by a selection without each fold")
	f.StringVar(&o.Measure, "measure", "",
		"`FIGURE` to choose by, such as auc, mcc, macro_f1 or r2 (default: accuracy; rmse for regression, pinball for quantiles, expectile_loss for expectiles, c_index for times, ndcg for relevances)")
	addWords(f, (*string)(&o.Choose), "choose", "WHICH", "best", selection.Choices,
		"combination to train on all rows: best, or simplest, the simplest one that is not shown to be worse")
	add(f, &o.Rope, "rope", "D", "0.01", parseEpsilon,
		"differences of the measure up to D are negligible; for rmse, mae, pinball and expectile_loss, D is a share of the figure")
	f.BoolVar(&o.SharedPreparation, "shared-preparation", false,
		"compute scaling, widths and normalisation once, from all rows, held-out rows included: faster, but figures may be optimistic")
	f.BoolVar(&o.NoBaselines, "no-baselines", false, "leave out the comparisons: the plain sum, p = 1, each view and each kernel alone")
	addWords(f, (*string)(&o.Tune), "tune", "WHAT", "", []string{"cost", "weights"},
		"tune the kernels of the best combination by a response surface: cost tunes the cost of each kernel, or of each group (group=NAME); weights tunes their fixed weights")
	add(f, &o.TuneRows, "tune-rows", "N", "", parsePositiveCount, "train on N rows in each training of --tune, drawn by class")
	add(f, &o.Trials.Size, "size", "N", "", parsePositiveCount, "use N rows, drawn again for each repetition")
	addWords(f, (*string)(&o.Trials.Contrast), "contrast", "WHAT", "", selection.Contrasts,
		"make a problem of two classes for each class or label: rest, against all others; sample, against equally many of the others; pairs, for each pair of classes")
	add(f, &o.Trials.Least, "least", "N", "", parsePositiveCount, "leave out classes with fewer than N rows in a repetition")
	add(f, &s.lacks, "missing", "SHARES@VIEW", "", parseShares,
		"shares of the rows that lack a view, drawn separately in training and test, such as 0.1..0.5/5@expression")
	add(f, &s.noise, "noise", "N@VIEW", "", parseNoise, "add N copies of a view with row order shuffled")
	f.StringVar(&s.labels, "named-labels", "",
		"`FILE` of labels: a tab-separated matrix with names of rows and classes. Each data file is then such a matrix, and a view. The matrices are joined by the names of the rows")
	add(f, &s.part, "part", "I/N", "", parsePart, "do part I of N parts of the trainings")
	f.StringArrayVar(&o.Merge, "merge", nil, "join the part in this `FOLDER`; repeat it for each part")
	f.BoolVar(&s.probability, "probability", false,
		"train the chosen combination with probabilities, fitted by cross-validation in 5 folds; predict --probability writes them. The choice stays the same")
	f.BoolVar(&s.resume, "resume", false, "continue from the state of the folder, or begin if it is empty")
	f.StringVarP(&s.folder, "out", "o", "", "write the selection to this `FOLDER`")
	addJSONFlag(f, &s.json)
	addQuietFlag(f, &s.quiet)
}

// checkFlags returns all faults of the command line that can be found without reading a file.
// words are the words of the command line, which a new folder keeps.
func (s *selectFlags) checkFlags(f *flags, words []string) error {
	var faults usageFaults
	o := &s.selection
	// Many trainings on the same rows exclude some options of a single training.
	s.checkRepeated(f, "a selection", o.Norms, &faults)
	s.splits.checkFlags(f, &o.Splits, &faults)
	if s.labels != "" {
		s.checkNamed(f, &faults)
	}
	s.norm.checkFlags(f, &s.options, &faults)
	faults.require(len(o.Norms) == 0 || len(s.norm.alternatives) == 0, "leave --grid-norm out",
		"%s leaves no p to choose by --grid-norm", strings.Join(s.norm.alternatives, " and "))
	checkTaskFlags(s.options.Task, f, &faults)
	if o.Tune == selection.TuneWeights && len(o.Norms) == 0 && !f.Changed("norm") && !f.Changed("theta-norm") &&
		len(s.norm.alternatives) == 0 {
		s.options.Norm = 2 // A weighted sum has the weights of p = 2.
	}
	faults.require(o.Tune == "" || s.norm.weights == "", "leave one of them out",
		"--tune cannot be combined with --weights, which leaves nothing to tune")
	s.posteriors.checkFlags(&faults)
	faults = append(faults, s.posteriors.takeUp(&s.options))
	for _, specs := range o.Banks {
		faults = append(faults, checkKernels(specs))
	}
	// Two flags fill one struct, so each has a value of its own until here.
	o.Trials.Missing, o.Trials.MissingView = s.lacks.Missing, s.lacks.MissingView
	o.Trials.Noise, o.Trials.NoiseView = s.noise.Noise, s.noise.NoiseView
	o.Part, o.Parts = s.part[0], s.part[1]
	o.Folder, o.Resume, o.Command = s.folder, s.resume, keptWords(words)
	// Several quantiles need a classifier for each.
	s.takeUpTaus()
	s.rows.read.Labels = s.options.Labeling()
	faults = append(faults, s.checkProbability())
	// The copy has the options of the trainings, which the run adds only after the data are open.
	here := *o
	here.Training = s.options
	return errors.Join(append(faults, s.rows.read.Validate(), here.Validate())...)
}

// folds are the folds of the training on all rows. The selection has folds of its own, which measure
// and do not fit probabilities.
// The number of folds is a constant, because select has --folds for its own folds.
func (s *selectFlags) folds() *foldFlags {
	return &foldFlags{probability: s.probability, count: defaultFolds}
}

// checkProbability returns the faults of --probability beside other flags. The options of the
// final training are checked as a whole, because a fault found after hours of cross-validation
// would be too late.
func (s *selectFlags) checkProbability() error {
	if !s.probability {
		return nil
	}
	var faults usageFaults
	// o is a copy, since the folds of the final training must not reach the trainings of the grid.
	o, t := s.options, &s.selection.Trials
	faults.require(t.Size == 0 && t.Contrast == "" && len(s.lacks.Missing) == 0 && s.noise.Noise == 0, "leave it out",
		"--probability has no effect on trials, which train nothing on all rows")
	if err := s.folds().takeUp(&o); err != nil {
		return errors.Join(append(faults, err)...)
	}
	o.SharedPreparation = s.selection.SharedPreparation
	return errors.Join(append(faults, o.Validate())...)
}

// checkNamed adds the faults of --named-labels beside other flags. Its files name rows, classes
// and views, so flags that name these have no meaning.
func (s *selectFlags) checkNamed(f *flags, faults *usageFaults) {
	faults.require(s.selection.Trials.Contrast != "", "such as --contrast rest",
		"--named-labels has a class for each column, and needs --contrast")
	// A flag that this command does not have cannot have been given.
	for _, name := range []string{"views", "row-weights", "sequences", "label", "positive", "class-weight", "multiclass", "folds-file", "groups-file"} {
		faults.require(f.Lookup(name) == nil || !f.Changed(name), "leave it out", "--%s does not go with --named-labels, whose files name rows, classes and views", name)
	}
	faults.require(!isStandardOutput(s.labels), "name a file", "--named-labels needs a file, not standard input")
}

// banks is the number of lists of kernels, of which those that were named twice count once. Names of
// lines have the list of kernels only if there are several.
func (s *selectFlags) banks() int {
	names := map[string]bool{}
	for _, specs := range s.selection.Banks {
		names[specs] = true
	}
	return len(names)
}
