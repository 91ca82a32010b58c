package command

import (
	"errors"
	"fmt"
	"strings"

	"bigmkl"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/selection"
)

// importanceFlags are the command line of importance: the problem, and how sources are measured.
type importanceFlags struct {
	problemFlags
	importance selection.ImportanceOptions
	// kernels is kept apart from the options: with --each feature they follow from the data.
	kernels string
	// each is "kernel", "feature", or empty for views and groups.
	each string
	// splits are the folds.
	splits splitFlags
	// part is {I, N} of --part I/N.
	part  [2]int
	json  bool
	quiet bool
}

// defineFlags defines the flags of an importance. The measure of two classes is the area under the ROC
// curve by default and not the accuracy: it changes with every decision value, so it shows small
// contributions of a source.
// Names and meanings of the flags are the same as in select, where both have them.
func (s *importanceFlags) defineFlags(f *flags) {
	o := &s.importance
	f.StringVar(&s.kernels, "kernels", "", optionNamed("kernels").usage)
	f.offers.kernels()
	s.problemFlags.defineFlags(f, byImportance)
	addWords(f, &s.each, "each", "WHAT", "", []string{"kernel", "feature"},
		"sources to measure in place of views and groups: kernel, for every kernel, or feature, for every feature")
	add(f, &o.Costs, "grid-C", "C,..", "0.1,1,10,100",
		func(text string) ([]float64, error) { return kernelspec.Values(text, mostPath) },
		"costs to choose from; for tasks svr, quantile and survival the default values are multiplied by the standard deviation of the targets, and for ranked times by 0.01")
	add(f, &o.Norms, "grid-norm", "P,..", "", parseNorms, "block norms to choose from (default: the value of --norm, or 1, 4/3 and 2)")
	// 0 lets the number of rows decide how often folds are drawn.
	s.splits.defineFlags(f, &o.Splits, "until 2,000 rows are tested, at most 5 times", 0)
	f.StringVar(&o.Measure, "measure", "",
		"`FIGURE` to measure by, such as accuracy, mcc or rmse (default: auc; accuracy for several classes, macro_auc for sets of labels, r2 for regression, pinball for quantiles, expectile_loss for expectiles, c_index for times, ndcg for relevances)")
	add(f, &o.Rope, "rope", "D", "0.01", parseEpsilon,
		"differences of the measure up to D are negligible; for rmse, mae, pinball and expectile_loss, D is a share of the figure")
	o.Samples = selection.DefaultSamples
	add(f, &o.Samples, "samples", "N", fmt.Sprint(selection.DefaultSamples), parseCount,
		"number of random halves of the rows (at most 2,000 rows) on which shares are measured, 0 for none")
	add(f, &s.part, "part", "I/N", "", parsePart, "do part I of N parts of the work")
	f.StringArrayVar(&o.Merge, "merge", nil, "join the part in this `FOLDER`; repeat it for each part")
	f.BoolVar(&o.Resume, "resume", false, "continue from the state of the folder, or begin if it is empty")
	f.StringVarP(&o.Folder, "out", "o", "", "write the results to this `FOLDER`")
	addJSONFlag(f, &s.json)
	addQuietFlag(f, &s.quiet)
}

// checkFlags returns all faults of the command line that can be found without reading a file.
// words are the words of the command line, which a new folder keeps. The library checks the options
// themselves. Here are faults of flags that the options no longer show.
func (s *importanceFlags) checkFlags(f *flags, words []string) error {
	// The order is the order of select, so both report the same faults in the same order.
	var faults usageFaults
	o := &s.importance
	s.checkRepeated(f, "an importance", o.Norms, &faults)
	faults.require(s.each != "feature" || s.kernels == "", "--kernels 'linear@each-feature', or leave --kernels out",
		"--each feature makes a list of kernels of its own")
	faults.require(s.each != "feature" || s.rows.views == "", "use one of them", "--each feature cannot be combined with --views")
	s.splits.checkFlags(f, &o.Splits, &faults)
	s.norm.checkFlags(f, &s.options, &faults)
	faults.require(len(o.Norms) == 0 || len(s.norm.alternatives) == 0, "leave --grid-norm out",
		"%s leaves no p to choose by --grid-norm", strings.Join(s.norm.alternatives, " and "))
	checkTaskFlags(s.options.Task, f, &faults)
	s.posteriors.checkFlags(&faults)
	s.components.checkFlags(f, &s.options, &faults)
	s.costs.takeUp(f, &s.options, &faults)
	faults = append(faults, s.posteriors.takeUp(&s.options), checkKernels(s.kernels))
	if s.each == "kernel" {
		o.Each = selection.EachKernel
	}
	// The library takes 0 for the default number of samples.
	if o.Samples == 0 {
		o.Samples = bigmkl.Zero
	}
	o.Part, o.Parts, o.Command = s.part[0], s.part[1], keptWords(words)
	s.takeUpTaus()
	// The task decides how the reader has to understand labels.
	s.rows.read.Labels = s.options.Labeling()
	// Data and kernels come later. The options are checked now, on a copy, so faults do not wait for
	// the data.
	here := *o
	here.Training = s.options
	return errors.Join(append(faults, s.rows.read.Validate(), here.Validate())...)
}
