package command

import (
	"fmt"

	"bigmkl"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// foldFlags ask for trainings without some of the rows: for probabilities, for calibration scores, and for
// weights by a rule that looks at rows held out.
type foldFlags struct {
	// probability asks for sigmoids, which are fitted to decision values of held-out rows. Decision
	// values of training rows are too large for such a fit.
	probability bool
	// count is the number of folds, also of a rule for weights.
	count     int
	conformal conformalFlag
	// groups is the file with the group of each row, all of whose rows are held out together.
	groups string
	// posteriors is the file for the probabilities of the rows while they were held out.
	posteriors string
}

// defaultFolds is the number of folds that LIBSVM uses for its probabilities (Platt's method).
const defaultFolds = 5

// defineFlags defines the flags.
func (h *foldFlags) defineFlags(f *flags, o *bigmkl.Options) {
	add(f, &h.conformal, "conformal", "HOW", "", parseConformal,
		"keep calibration scores, from which predict --coverage computes intervals or sets. For task survival, keep residuals, from which predict --survival-at computes survival curves. HOW is split:0.2 (leaves this share of the rows out of the training), folds:10 (trains again without each fold; its coverage is not proven), by-class (scores of each class), or split:0.3,by-class")
	f.BoolVar(&h.probability, "probability", false,
		"fit probabilities by cross-validation; predict --probability writes them")
	// The defaults are in the help as well, so both must change together.
	h.count = defaultFolds
	add(f, &h.count, "folds", "K", "5", parseFolds,
		"number of cross-validation folds used to fit the probabilities, or for a rule of --weights")
	f.StringVar(&h.groups, "groups-file", "",
		"with --probability or --conformal folds, name of the group of each row, such as a patient: a `FILE[:COLUMN]` with a name on each line, or a table with a column of this name; the rows of a group are held out together")
	f.BoolVar(&o.SharedPreparation, "shared-preparation", false,
		"with --probability, compute scaling, widths and normalisation once, from all rows, held-out rows included: faster, but probabilities may be optimistic")
	f.StringVar(&h.posteriors, "posteriors-out", "",
		"with --probability, write the probability of the positive class of each row while it was held out to this `FILE`")
}

// checkFlags returns folds that have no effect, and gives a rule for weights its folds. A flag without
// an effect is an error throughout, since its user expects one.
func (h *foldFlags) checkFlags(f *flags, o *bigmkl.Options, faults *usageFaults) {
	// A faulty rule is reported by normFlags.
	rule, err := bigmkl.ParseWeightRule(o.Regularizer.Rule)
	held := err == nil && rule.HoldsOut()
	faults.require(h.probability || held || !f.Changed("folds"), "--probability",
		"--folds has no effect without --probability or a rule for weights that looks at rows held out")
	if held && f.Changed("folds") {
		o.Regularizer.RuleFolds = h.count
	}
	faults.require(h.groups == "" || h.probability || h.conformal.asked, "--probability, or --conformal folds:10",
		"--groups-file has no effect without --probability or --conformal")
	if h.groups != "" {
		o.FoldGroups = []string{} // The names are still to be read.
	}
}

// checkOutput returns what does not go with --posteriors-out.
func (h *foldFlags) checkOutput(o *bigmkl.Options, faults *usageFaults) {
	if h.posteriors == "" {
		return
	}
	faults.require(o.Multiclass == "", "--positive names the labels of one of two classes",
		"--posteriors-out writes one number for each row, and does not go with --multiclass")
	faults.require(!isStandardOutput(h.posteriors), "name a file",
		"--posteriors-out cannot go to standard output")
}

// takeUp enters the folds of probabilities in the options of a training, and returns what does not go with
// calibration scores.
func (h *foldFlags) takeUp(o *bigmkl.Options) error {
	if h.probability && model.GivesOdds(o.Task) {
		return fail.New(fail.Usage, "--probability has no effect in task %s: its models give probabilities without folds", o.Task).
			WithHint("leave it out; predict --probability writes them")
	}
	if h.probability {
		o.Folds = h.count
	}
	if h.conformal.asked {
		return h.conformal.Validate(o)
	}
	return nil
}

// describeHeldOutProbabilities is a line about the probabilities that rows got while they were held out, and empty without them.
func describeHeldOutProbabilities(r *bigmkl.Result) string {
	f := r.Folding
	if f.Posteriors == nil {
		return ""
	}
	return fmt.Sprintf("probabilities of rows while they were held out: log loss %.4g, Brier score %.4g\n", f.LogLoss, f.Brier)
}

// heldOutProbabilitiesJSON is how good the probabilities of rows were while they were held out.
// LogLoss is the mean of -log Pr of the known class, and Brier the mean of (Pr - y)^2 with y in 0 and 1.
type heldOutProbabilitiesJSON struct {
	LogLoss number `json:"log_loss"`
	Brier   number `json:"brier"`
}

// newHeldOutProbabilitiesJSON returns nil without such probabilities.
func newHeldOutProbabilitiesJSON(r *bigmkl.Result) *heldOutProbabilitiesJSON {
	f := r.Folding
	if f.Posteriors == nil {
		return nil
	}
	return &heldOutProbabilitiesJSON{number(f.LogLoss), number(f.Brier)}
}

// save writes the probabilities that rows got while they were held out, if that was asked for and the run
// came to them.
func (h *foldFlags) save(at *cleanup, r *bigmkl.Result) error {
	// An interrupted run has no probabilities, and the file is then not written.
	if h.posteriors == "" || r.Folding.Posteriors == nil {
		return nil
	}
	at.addTarget(h.posteriors)
	return writePosteriors(h.posteriors, r.Folding.Posteriors)
}
