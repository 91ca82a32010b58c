package selection

import (
	"errors"
	"math"
	"slices"
	"strings"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// Options set the alternatives of a selection, and its method. The zero value selects among the
// costs 0.1 to 100 and the norms 1, 4/3 and 2 by 5 folds.
type Options struct {
	// Training holds the options of every training. Each cell has its own norm, cost and kernels
	// in their place.
	Training bigmkl.Options
	// Banks are the lists of kernels to choose from. If it is empty, there is one, that of Training.
	Banks []string
	// Norms are the block norms to choose from, each in [1, +Inf]. If it is empty, it is the norm
	// of Training, and if Training has none 1, 4/3 and 2. Trials and tuned weights have one.
	Norms []float64
	// CostPowers are the powers of the costs of kernels to choose from, each at least 0: the norm is taken
	// of d_m^power ||w_m||. If it is empty, the power is the power of Training.
	CostPowers []float64
	// CostBase is where the costs d_m of kernels come from. If it is empty, they are those that the
	// specifications name.
	CostBase CostBase
	// Costs are the costs C to choose from, each above 0. If it is empty, they are 0.1, 1, 10 and 100,
	// and where the best one is at an end, one more beyond that: see widen. Those of trials are 0.01
	// to 100. The defaults are multiplied by model.CostsFactor. In tasks such as svr they count deviations of the targets of all rows; what is
	// given is taken as it is.
	Costs []float64
	// Choose is the rule by which a cell is chosen. If it is empty, the best cell is.
	Choose Choice
	// Splits describes which rows are left out.
	Splits Splits
	// Trials describe the trials, each with rows of its own.
	Trials Trials
	// Nested asks for an estimate of what the selection itself achieves: for each fold, the cell is
	// chosen by the other folds alone.
	Nested bool
	// Measure is the key of the figure that is optimised. If it is empty, it is accuracy for
	// classes, subset_accuracy for sets of labels and rmse for regression.
	Measure string
	// Rope is half the width of the region of practical equivalence: differences of the measure up to it
	// do not matter. Of rmse and mae it is a share of the figure. If it equals zero, it is DefaultRope;
	// bigmkl.Zero asks for none.
	Rope float64
	// SharedPreparation makes scaling, widths, normalisation and all else that depends on no label once,
	// from all rows, also those that are left out. That is faster, and figures may be too good.
	// Trials always share what is prepared from the rows of the trial.
	SharedPreparation bool
	// NoBaselines leaves out the plain sum of the kernels, p = 1, each view and each kernel by itself.
	NoBaselines bool
	// Tune asks for a tuning of the best cell; see Tuning. If it is empty, there is none.
	Tune TuneKind
	// TuneRows is the number of rows that the trainings of a tuning choose from. If it equals
	// zero, it is all. Figures are computed on all rows of a fold.
	TuneRows int
	// Part and Parts select the chains of this run: those of part Part of 1..Parts. If Parts equals
	// zero, all chains are run.
	Part, Parts int
	// Merge lists folders of other parts, whose chains count as chains of this run.
	Merge []string
	// Folder is where the selection lives. It is created if it is missing.
	Folder string
	// Command holds the words of the command that asked for the selection. A new folder keeps them for its
	// readers. They have no effect.
	Command []string
	// Resume continues what the folder has. Without it a folder that holds a selection is an error.
	Resume bool
	// Report is called after each training of a cell. It may be nil.
	Report func(Progress)

	importance bool // they are options of an importance, which messages name
	anyNorm    bool // the norms come from no option
	widens     bool // the costs come from no option, and the grid may grow

	inDeviations bool    // the costs count deviations of the targets
	costUnit     float64 // that deviation, once the rows have been read
}

// Progress describes a cell that was trained without one fold.
type Progress struct {
	// Done of Total trainings of this run are done.
	Done, Total int
	// Arm and Cost are the cell, and Fold what was left out, as in "2.3": repetition and fold.
	Arm  Arm
	Cost float64
	Fold string
	// Value is the figure that is optimised, NaN where it is not defined.
	Value float64
	// Reading names the measurement for an importance. It is empty in a cell.
	Reading string
	// Point is the number of the point of a tuning, from 1, of which Total counts the largest number
	// there can be. It is 0 in a cell.
	Point int
}

// MostSingles is the largest number of kernels of which each is tried by itself.
const MostSingles = 64

// DefaultRope is half the width of the region of practical equivalence of a zero Options. It is one
// percentage point of a share such as accuracy.
const DefaultRope = 0.01

// defaultCosts and defaultNorms belong to a zero Options, and trialCosts are the costs of trials. All costs are multiplied by the factor of the task.
var (
	defaultCosts = []float64{0.1, 1, 10, 100}
	trialCosts   = []float64{0.01, 0.1, 1, 10, 100}
	defaultNorms = []float64{1, 4. / 3, 2}
)

// measures lists the figures that can be optimised, and whether a smaller one is better.
var measures = map[string]bool{
	"accuracy": false, "auc": false, "average_precision": false, "mcc": false,
	"macro_f1": false, "subset_accuracy": false, "micro_f1": false, "hamming_loss": true,
	"macro_auc": false,
	"rmse":      true, "mae": true, "r2": false, "pinball": true, "expectile_loss": true, "c_index": false, "uno_c": false,
	"ndcg": false, "ndcg_10": false, "map": false, "kendall": false,
	sensitivity: false, specificity: false,
	"log_loss": true, "brier": true,
}

// setDefaults puts defaults in the place of zeros.
func (o *Options) setDefaults() {
	if len(o.Banks) == 0 {
		o.Banks = []string{o.Training.Kernels}
	}
	switch {
	case len(o.Norms) > 0:
	case o.Training.Norm != 0 || !isBlockNorm(&o.Training.Regularizer) || o.Trials.asked() || o.Tune == TuneWeights:
		o.Norms = []float64{o.Training.Point().Norm}
	default:
		o.Norms, o.anyNorm = defaultNorms, true
	}
	task := model.Variant(o.Training.Task, o.Training.Survival)
	switch {
	case len(o.Costs) > 0:
	case o.Trials.asked():
		o.Costs, o.inDeviations = costsOf(task, trialCosts)
	default:
		o.Costs, o.inDeviations = costsOf(task, defaultCosts)
		o.widens = !o.Nested
	}
	if o.Choose == "" {
		o.Choose = ChooseBest
	}
	o.Costs = slices.Compact(slices.Sorted(slices.Values(o.Costs)))
	o.Banks, o.Norms, o.CostPowers = distinct(o.Banks), distinct(o.Norms), distinct(o.CostPowers)
	o.Splits.setDefaults()
	if o.Measure == "" {
		switch {
		case o.Training.Multiclass == model.MultiLabel && o.Trials.Contrast == "":
			o.Measure = "subset_accuracy"
		case model.Labeling(o.Training.Task) == dataset.Classes:
			o.Measure = "accuracy"
		case model.OwnMeasure(o.Training.Task) != "":
			o.Measure = model.OwnMeasure(o.Training.Task)
		default:
			o.Measure = "rmse"
		}
	}
	switch o.Rope {
	case 0:
		o.Rope = DefaultRope
	case bigmkl.Zero:
		o.Rope = 0
	}
	if o.Parts == 0 {
		o.Part, o.Parts = 1, 1
	}
}

// distinct returns the elements of a list, each at its first place. A combination that is named twice
// is trained once.
func distinct[T comparable](list []T) []T {
	var out []T
	for _, x := range list {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// Validate lists every fault at once. Each is of class fail.Usage.
func (o Options) Validate() error {
	o.setDefaults()
	var faults []error
	check := func(ok bool, hint, format string, args ...any) {
		if !ok {
			faults = append(faults, fail.New(fail.Usage, format, args...).WithHint("%s", hint))
		}
	}
	for _, c := range o.Costs {
		check(c > 0 && c <= math.MaxFloat64, "", "the cost %g is not above 0", c)
	}
	check(o.Rope >= 0 && o.Rope < math.Inf(1), "", "a region of practical equivalence of %g", o.Rope)
	figures := o.figures()
	check(len(figures) == 0 || slices.Contains(figures, o.Measure), "one of "+strings.Join(figures, ", "),
		"%s is not a figure to %s by", fail.Quote(o.Measure), o.word("select", "measure"))
	check(slices.Contains(Choices, string(o.Choose)), "one of "+strings.Join(Choices, ", "), "%s is no way to choose", fail.Quote(string(o.Choose)))
	check(o.Choose == ChooseBest || !o.Nested, "leave one of them out", "a nested selection chooses the best cell without each fold")
	check(o.Choose == ChooseBest || o.Tune == "", "leave one of them out", "a tuning is that of the best combination")
	check(o.Choose == ChooseBest || !o.Trials.asked(), "leave one of them out", "trials compare combinations, and none is chosen")
	check(o.Folder != "", "-o FOLDER", "no folder is named")
	check(o.Part >= 1 && o.Part <= o.Parts, "such as 2/8", "part %d of %d", o.Part, o.Parts)
	check(o.Parts == 1 || len(o.Merge) == 0, "merge when all parts are there",
		"a part cannot be merged as it runs")
	t := o.Training
	check(!model.DescribesSupport(t.Task), "", "one class has no figure to %s by", o.word("select", "measure"))
	if !o.importance { // which trains them one by one
		other := "other options"
		if name := model.InPlaceOfCost(t.Task); name != "" {
			other = "another --" + name
		}
		check(!model.TrainsAlone(t.Task, ""), "train, with "+other+" each time", "a selection does not train task %s", t.Task)
		check(t.Multiclass != model.SingleClassifier, "--multiclass ovr or ovo", "a selection does not train one classifier for all classes")
		check(!t.OneTheta, "", "a selection does not go with one set of weights for several classifiers")
	}
	check(t.Checkpoint == "" && !t.Resume, "--resume goes on with the folder", "%s has no checkpoints", o.name())
	check(t.Init == nil, "", "the trainings of %s start from each other", o.name())
	check(t.Folds == 0, "train the best cell with probabilities afterwards",
		"the models of %s have no probabilities", o.name())
	check(isBlockNorm(&t.Regularizer) || len(o.Norms) == 1, "leave the norms out",
		"another norm than the block norm has no p to choose")
	check(t.Solver == "" || t.Solver == bigmkl.SolverChunking, "",
		"%s is trained by the chunking solver alone", o.name())
	for _, p := range o.Norms {
		check(p >= 1, "", "the block norm %g is below 1", p)
	}
	check(!o.Nested || o.Splits.Random == 0, "use folds",
		"random splits overlap, so that none can be chosen by the others")
	check(!o.Nested || o.Splits.Folds != 2, "use 3 folds or more", nestedFolds)
	o.validateTuning(check)
	o.validateTrials(check)
	o.validatePowers(check)
	faults = append(faults, o.Splits.Validate(), t.Validate())
	return errors.Join(faults...)
}

// word returns its first argument for a selection, and the second for an importance.
func (o *Options) word(selection, importance string) string {
	if o.importance {
		return importance
	}
	return selection
}

// name returns the noun for messages.
func (o *Options) name() string { return o.word("a selection", "an importance") }

// nestedFolds is the reason why two folds are too few for a nested selection.
const nestedFolds = "a nested selection leaves two folds out at a time, " +
	"and of two folds nothing is left"

// figures lists the keys of the figures that a selection with these options can be made by. One class
// has none.
func (o *Options) figures() []string {
	m := model.Model{Task: o.Training.Task, Decomposition: model.Decomposition{Multiclass: o.Training.Multiclass}}
	if o.Trials.Contrast != "" {
		m.Multiclass = ""
	}
	if o.Training.Taus != nil {
		m.Multiclass, m.Taus = model.Quantiles, o.Training.Taus
	}
	if m.Task == "" {
		m.Task = model.TaskClass
	}
	var keys []string
	for _, f := range score.New(&m).Evaluation().Figures { // They are not defined, but have keys.
		if _, known := measures[f.Key]; known {
			keys = append(keys, f.Key)
		}
	}
	if model.ByMargin(m.Task) && m.Multiclass == "" {
		keys = append(keys, sensitivity, specificity)
	}
	return keys
}
