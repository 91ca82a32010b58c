package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/kernelspec"
	"bigmkl/selection"
)

// importanceCommand holds the flags and arguments of the importance command.
type importanceCommand struct {
	*trainCommand
	importance selection.ImportanceOptions
	kernels    string
	each       string
	splits     splitFlags
	part       [2]int
}

// newImportanceCommand defines the importance command.
func newImportanceCommand(a *app) *cobra.Command {
	s := &importanceCommand{trainCommand: &trainCommand{app: a, planned: true}}
	c := &cobra.Command{
		Use:   "importance [flags] -o FOLDER DATA...",
		Short: "Measure what each source of data is worth",
		Long: "Importance measures how much each source of data contributes. A source is a view or a group of\n" +
			"kernels (group=NAME behind kernels), or with --each every kernel or feature. All figures come\n" +
			"from held-out rows:\n\n" +
			"  alone          the source by itself\n" +
			"  left out       all others, without it and without it and any second source\n" +
			"  permuted       all, with the rows of the source shuffled at prediction\n" +
			"  noise          all, with a shuffled copy in its place in the training\n\n" +
			"Errors are corrected for the rows that trainings share. A finding sums it up: needed, helps,\n" +
			"redundant (with another source), no sign of use, or undecided at this number of rows. Shares of\n" +
			"||w||, which inspect shows, are not importance: noise has a share, too.\n\n" +
			"Each fold chooses norm and C without its rows, unless --norm and a single --grid-C are given.\n" +
			"Folds are drawn more often if there are few rows. FOLDER/importance.json has all figures, and\n" +
			"report FOLDER makes a page of them.\n\n" +
			"--resume continues a killed run. --part 2/8 does an eighth of the work, in its own folder or in\n" +
			"a shared one. A run with --merge FOLDER for each part joins them, with the same result as one\n" +
			"run.",
		Example: "  bigmkl importance --views v.txt -o imp patients.csv\n" +
			"  bigmkl importance --kernels 'linear@each-view' --folds 10 --repeat 3 --measure auc --views v.txt -o imp data\n" +
			"  bigmkl importance --each feature --task svr -o imp wine.csv",
	}
	f := newFlags(c)
	s.defineFlags(f)
	c.RunE = func(_ *cobra.Command, args []string) error {
		s.data = args
		if err := errors.Join(f.err(), s.checkFlags(f)); err != nil {
			return err
		}
		return s.run(c.Context())
	}
	return c
}

// defineFlags defines the flags of an importance.
func (s *importanceCommand) defineFlags(f *flags) {
	t, o := s.trainCommand, &s.importance
	f.StringVar(&s.kernels, "kernels", "", kernelsUsage)
	f.offers.kernels()
	addPointFlags(f, &t.options, &t.views, "multiplicative")
	addReadFlags(f, &t.read)
	addRowWeightFlag(f, &t.read)
	t.norm.defineFlags(f, &t.options)
	t.defineProblemFlags(f)
	t.defineAloneFlags(f)
	addWords(f, &s.each, "each", "WHAT", "", []string{"kernel", "feature"},
		"a source is every kernel, or every feature of the data, in place of views and groups")
	add(f, &o.Costs, "grid-C", "C,..", "0.1,1,10,100",
		func(text string) ([]float64, error) { return kernelspec.Values(text, mostPath) },
		"costs to choose from; the default counts deviations of the targets for tasks svr and quantile")
	add(f, &o.Norms, "grid-norm", "P,..", "", parseNorms, "block norms to choose from (default: that of --norm, or 1, 4/3 and 2)")
	s.splits.defineFlags(f, &o.Splits, "so often that 2,000 rows are tested, at most 5 times", 0)
	f.StringVar(&o.Measure, "measure", "",
		"`FIGURE` to measure by, such as accuracy, mcc or rmse (default: auc; accuracy for several classes, macro_auc for sets of labels, r2 for regression, pinball for quantiles, c_index for times)")
	add(f, &o.Rope, "rope", "D", "0.01", parseEpsilon,
		"differences of the measure up to this are negligible; of rmse, mae and pinball a share of the figure")
	o.Samples = selection.DefaultSamples
	add(f, &o.Samples, "samples", "N", fmt.Sprint(selection.DefaultSamples), parseCount,
		"samples of half of at most 2,000 rows on which shares are measured, 0 for none")
	add(f, &s.part, "part", "I/N", "", parsePart, "do part I of N of the work")
	f.StringArrayVar(&o.Merge, "merge", nil, "join the part in this `FOLDER`; repeat for each")
	f.BoolVar(&o.Resume, "resume", false, "continue from the state of the folder, or begin if it is empty")
	f.StringVarP(&o.Folder, "out", "o", "", "write what is found to this `FOLDER`")
	addJSONFlag(f, &t.json)
	addQuietFlag(f, &t.quiet)
}

// checkFlags returns all faults of the command line that can be found without reading a file.
func (s *importanceCommand) checkFlags(f *flags) error {
	var faults usageFaults
	t, o := s.trainCommand, &s.importance
	faults.require(len(t.data) > 0, "name a file", "no data file is named")
	faults.require(!slices.Contains(t.data, "-"), "write them to a file first",
		"an importance reads its data more than once, which standard input does not allow")
	faults.require(len(o.Norms) == 0 || !f.Changed("norm") && !f.Changed("theta-norm"), "use one of them",
		"--grid-norm cannot be combined with --norm or --theta-norm")
	faults.require(s.each != "feature" || s.kernels == "", "--kernels 'linear@each-feature', or leave --kernels out",
		"--each feature makes a list of kernels of its own")
	faults.require(s.each != "feature" || t.views == "", "use one of them", "--each feature cannot be combined with --views")
	s.splits.checkFlags(f, &o.Splits, &faults)
	t.norm.checkFlags(f, &t.options, &faults)
	faults.require(len(o.Norms) == 0 || len(t.norm.alternatives) == 0, "leave --grid-norm out",
		"%s leaves no p to choose by --grid-norm", strings.Join(t.norm.alternatives, " and "))
	checkTaskFlags(t.options.Task, f, &faults)
	t.posteriors.checkFlags(&faults)
	t.components.checkFlags(f, &t.options, &faults)
	t.takeRidge(&faults)
	faults = append(faults, t.posteriors.takeUp(&t.options), checkKernels(s.kernels))
	if s.each == "kernel" {
		o.Each = selection.EachKernel
	}
	if o.Samples == 0 {
		o.Samples = bigmkl.Zero
	}
	o.Part, o.Parts, o.Command = s.part[0], s.part[1], keptWords(s.args)
	t.read.Labels = t.options.Labeling()
	here := *o
	here.Training = t.options
	return errors.Join(append(faults, t.read.Validate(), here.Validate())...)
}

// run measures and reports.
func (s *importanceCommand) run(ctx context.Context) error {
	t, o := s.trainCommand, &s.importance
	t.began, t.options.Grace = time.Now(), t.grace
	if err := s.splits.readFiles(&o.Splits, t.options.Limit); err != nil {
		return err
	}
	defer limitHeap(&t.options)()
	found, err := s.measure(ctx)
	if err != nil {
		return endOfFolder(err, s.console, "measured", t.data)
	}
	report := importanceReport{s.console, s.json, o.Folder, s.part, len(o.Merge) > 0}
	if found.Missing > 0 {
		return report.showPart(found)
	}
	if err := found.Save(o.Folder); err != nil { // The figures are not lost with the file.
		return errors.Join(err, report.show(found))
	}
	s.warn(found.Warnings...)
	return report.show(found)
}

// measure opens the data and measures.
func (s *importanceCommand) measure(ctx context.Context) (*selection.Importance, error) {
	t, o := s.trainCommand, &s.importance
	t.options.Kernels = s.kernels
	if strings.HasPrefix(s.kernels, "@") {
		list, err := kernelspec.Split(s.kernels)
		if err != nil {
			return nil, err
		}
		t.options.Kernels = strings.Join(list, ",")
	}
	if s.each == "feature" {
		t.options.Kernels = "gauss:auto@each-feature"
	}
	src, err := t.openInputs(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if s.each == "feature" {
		s.nameFeatures(src)
	}
	p := newProgress(t.messages, t.quiet)
	lines := &progressLines{to: s.stderr, quiet: s.quiet, began: s.began}
	o.Report = func(q selection.Progress) {
		p.finish()
		lines.show(q, func(left string) string { return describeReading(q, left) })
	}
	o.Training = t.options
	if p != nil {
		o.Training.Recorder = p
	}
	defer p.finish()
	return selection.Measure(ctx, p.countRows(src), *o)
}

// nameFeatures makes a view of each column of a table, under its name. Other data have features by their numbers.
func (s *importanceCommand) nameFeatures(src source) {
	c := src.Columns()
	if c == nil || c.Alphabet() != dataset.Numbers {
		return
	}
	s.options.Views, s.options.Kernels = c.Views(), "gauss:auto@each-view"
}
