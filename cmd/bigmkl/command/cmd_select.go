package command

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
	"bigmkl/selection"
)

// selectCommand holds the flags and arguments of the select command.
type selectCommand struct {
	*trainCommand
	selection selection.Options
	splits    splitFlags
	part      [2]int
	lacks     selection.Trials // shares of rows that lack a view
	noise     selection.Trials // copies of a view
	labels    string           // file of labels by name, of matrices with names
	resume    bool
	folder    string
}

// newSelectCommand defines the select command.
func newSelectCommand(a *app) *cobra.Command {
	s := &selectCommand{trainCommand: &trainCommand{app: a, planned: true}}
	c := &cobra.Command{
		Use:   "select [flags] -o FOLDER DATA...",
		Short: "Choose kernels, norm and C by cross-validation",
		Long: "Select trains every combination of --kernels (which may be repeated), --grid-norm and --grid-C\n" +
			"without each fold in turn. It measures each on the held-out rows, and shows the means with their\n" +
			"standard errors. The plain sum of the kernels, p = 1, each view and each kernel alone compete as\n" +
			"well. The best of all is trained on all rows: FOLDER/best.model. With --choose simplest it is\n" +
			"the simplest combination that is not shown to be worse. FOLDER/table.json has all figures.\n\n" +
			"Held-out rows do not affect scaling, widths and normalisation, unless --shared-preparation makes\n" +
			"these once from all rows. The best of many figures is optimistic: --nested estimates the\n" +
			"selection itself on rows that it did not use. --tune searches for the importances of the kernels\n" +
			"that maximise the score of the best combination, and trains that.\n\n" +
			"--resume continues a killed run. --part 2/8 does an eighth of the work, in its own folder or in\n" +
			"a shared one. A run with --merge FOLDER for each part joins them, with the same result as one\n" +
			"run.\n\n" +
			"--size, --contrast, --missing and --noise make an experiment: trials with their own rows, in\n" +
			"which combinations are compared, by problem and by pairs. Nothing is trained on all rows.\n" +
			"Kernels, widths and scales come from the rows of a trial. Kernels behind @VIEW occur once more\n" +
			"for each copy VIEW~1, VIEW~2 of --noise.",
		Example: "  bigmkl select --kernels gauss:auto/10@each-view --grid-norm 1,4/3,2 -o sel --views v.txt data\n" +
			"  bigmkl select --grid-C 0.1..100/7 --folds 10 --nested --measure auc -o sel a9a.gz\n" +
			"  bigmkl select --task svr --scale standard --splits 30:0.2 -o sel wine.csv\n" +
			"  bigmkl select --multiclass labels --contrast rest --size 500 --views v.txt --measure auc \\\n" +
			"    --kernels 'linear@each-view norm=centred' --missing 0.1..0.5/5@expression -o sel yeast",
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

// defineFlags defines the flags of a selection: those of the grid, and those of the trainings.
func (s *selectCommand) defineFlags(f *flags) {
	t, o := s.trainCommand, &s.selection
	f.StringArrayVar(&o.Banks, "kernels", nil, kernelsUsage)
	f.offers.kernels()
	addPointFlags(f, &t.options, &t.views, "multiplicative")
	addReadFlags(f, &t.read)
	addRowWeightFlag(f, &t.read)
	t.norm.defineFlags(f, &t.options)
	t.defineProblemFlags(f)
	add(f, &o.Costs, "grid-C", "C,..", "0.1,1,10,100",
		func(text string) ([]float64, error) { return kernelspec.Values(text, mostPath) },
		"costs to choose from, such as 0.1..100/7 (geometric) or 1,10,100; the default counts deviations of the targets for tasks svr and quantile, and grows by a decade where its end is best")
	add(f, &o.Norms, "grid-norm", "P,..", "", parseNorms, "block norms to choose from (default: that of --norm, or 1, 4/3 and 2)")
	add(f, &o.CostPowers, "grid-cost-power", "G,..", "", parsePowers,
		"powers of the costs of kernels to choose from, such as 0..1/11")
	addWords(f, (*string)(&o.CostBase), "cost-base", "WHAT", "", []string{"eigen"},
		"costs of kernels: eigen, the number of eigenvalues above 1/2 at a unit diagonal, counted on up to 2,000 rows")
	s.splits.defineFlags(f, &o.Splits, "1", 1)
	f.BoolVar(&o.Nested, "nested", false, "estimate what the selection achieves, by a selection without each fold")
	f.StringVar(&o.Measure, "measure", "",
		"`FIGURE` to choose by, such as auc, mcc, macro_f1 or r2 (default: accuracy; rmse for regression, pinball for quantiles, c_index for times)")
	addWords(f, (*string)(&o.Choose), "choose", "WHICH", "best", selection.Choices,
		"what is trained on all rows: best, or simplest, the simplest combination that is not shown to be worse")
	add(f, &o.Rope, "rope", "D", "0.01", parseEpsilon,
		"differences of the measure up to this are negligible; of rmse, mae and pinball a share of the figure")
	f.BoolVar(&o.SharedPreparation, "shared-preparation", false,
		"make scaling, widths and normalisation once, from all rows, also those that are left out: faster, and figures may be too good")
	f.BoolVar(&o.NoBaselines, "no-baselines", false, "leave out the plain sum, p = 1, each view and each kernel alone")
	addWords(f, (*string)(&o.Tune), "tune", "WHAT", "", []string{"cost", "weights"},
		"tune the best combination by a response surface: cost, the regularisation parameter of each kernel or group=, or weights, their fixed weights")
	add(f, &o.TuneRows, "tune-rows", "N", "", parsePositiveCount, "tune on so many rows, drawn by class")
	add(f, &o.Trials.Size, "size", "N", "", parsePositiveCount, "draw N rows again for each repetition")
	addWords(f, (*string)(&o.Trials.Contrast), "contrast", "WHAT", "", selection.Contrasts,
		"a problem of two classes for each class or label: against the rest, a sample of as many of the rest, or pairs of classes")
	add(f, &o.Trials.Least, "least", "N", "", parsePositiveCount, "leave out classes with fewer rows in a repetition")
	add(f, &s.lacks, "missing", "SHARES@VIEW", "", parseShares,
		"shares of the rows that lack a view, drawn apart in training and test, such as 0.1..0.5/5@expression")
	add(f, &s.noise, "noise", "N@VIEW", "", parseNoise, "N copies of a view with row order shuffled")
	f.StringVar(&s.labels, "named-labels", "",
		"`FILE` of labels, tab-separated with names of rows and classes; the data are then such matrices, each a view, joined by the names of the rows")
	add(f, &s.part, "part", "I/N", "", parsePart, "do part I of N of the trainings")
	f.StringArrayVar(&o.Merge, "merge", nil, "join the part in this `FOLDER`; repeat for each")
	f.BoolVar(&s.resume, "resume", false, "continue from the state of the folder, or begin if it is empty")
	f.StringVarP(&s.folder, "out", "o", "", "write the selection to this `FOLDER`")
	addJSONFlag(f, &t.json)
	addQuietFlag(f, &t.quiet)
}

// checkFlags returns all faults of the command line that can be found without reading a file.
func (s *selectCommand) checkFlags(f *flags) error {
	var faults usageFaults
	t, o := s.trainCommand, &s.selection
	faults.require(len(t.data) > 0, "name a file", "no data file is named")
	faults.require(!slices.Contains(t.data, "-"), "write them to a file first",
		"a selection reads its data more than once, which standard input does not allow")
	faults.require(len(o.Norms) == 0 || !f.Changed("norm") && !f.Changed("theta-norm"), "use one of them",
		"--grid-norm cannot be combined with --norm or --theta-norm")
	s.splits.checkFlags(f, &o.Splits, &faults)
	if s.labels != "" {
		s.checkNamed(f, &faults)
	}
	t.norm.checkFlags(f, &t.options, &faults)
	faults.require(len(o.Norms) == 0 || len(t.norm.alternatives) == 0, "leave --grid-norm out",
		"%s leaves no p to choose by --grid-norm", strings.Join(t.norm.alternatives, " and "))
	checkTaskFlags(t.options.Task, f, &faults)
	if o.Tune == selection.TuneWeights && len(o.Norms) == 0 && !f.Changed("norm") && !f.Changed("theta-norm") &&
		len(t.norm.alternatives) == 0 {
		t.options.Norm = 2 // The weights of a weighted sum are those of p = 2.
	}
	faults.require(o.Tune == "" || t.norm.weights == "", "leave one of them out",
		"--tune cannot be combined with --weights, which leaves nothing to tune")
	t.posteriors.checkFlags(&faults)
	faults = append(faults, t.posteriors.takeUp(&t.options))
	for _, specs := range o.Banks {
		faults = append(faults, checkKernels(specs))
	}
	o.Trials.Missing, o.Trials.MissingView = s.lacks.Missing, s.lacks.MissingView
	o.Trials.Noise, o.Trials.NoiseView = s.noise.Noise, s.noise.NoiseView
	o.Part, o.Parts = s.part[0], s.part[1]
	o.Folder, o.Resume, o.Command = s.folder, s.resume, keptWords(s.args)
	t.read.Labels = t.options.Labeling()
	here := *o
	here.Training = t.options
	return errors.Join(append(faults, t.read.Validate(), here.Validate())...)
}

// run selects, and trains the best cell on all rows.
func (s *selectCommand) run(ctx context.Context) error {
	t, o := s.trainCommand, &s.selection
	t.began, t.options.Grace = time.Now(), t.grace
	if err := s.splits.readFiles(&o.Splits, t.options.Limit); err != nil {
		return err
	}
	defer limitHeap(&t.options)()
	found, err := s.choose(ctx)
	if err != nil {
		return endOfFolder(err, s.console, "trained", t.data)
	}
	report := selectReport{console: s.console, json: s.json, folder: s.folder, training: t, banks: s.banks(), part: s.part, merges: len(o.Merge) > 0}
	if found.Missing > 0 {
		return report.showPart(found)
	}
	if err := found.Save(s.folder); err != nil {
		// The figures of all these trainings are not lost with the file.
		return errors.Join(err, report.showFigures(found))
	}
	if found.Compares {
		return report.showTrials(found)
	}
	if found.Best < 0 {
		return report.show(found, nil, nil)
	}
	best, result, err := s.trainBest(ctx, found)
	if err != nil {
		return err
	}
	defer best.Close()
	if err := report.show(found, best, result); err != nil || result == nil {
		return err
	}
	return s.exitErrorOf(ctx, best, result, nil)
}

// choose runs the selection.
func (s *selectCommand) choose(ctx context.Context) (*selection.Selection, error) {
	t, o := s.trainCommand, &s.selection
	for i, specs := range o.Banks {
		if strings.HasPrefix(specs, "@") { // A file of specifications does not go beside others.
			list, err := kernelspec.Split(specs)
			if err != nil {
				return nil, err
			}
			o.Banks[i] = strings.Join(list, ",")
		}
	}
	t.options.Kernels = strings.Join(o.Banks, ",") // The data are opened for the kernels of all lists.
	if s.labels != "" {
		return s.chooseNamed(ctx)
	}
	src, err := t.openInputs(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return s.chooseAmong(ctx, src)
}

// chooseAmong runs the selection on the rows of a source.
func (s *selectCommand) chooseAmong(ctx context.Context, src dataset.Source) (*selection.Selection, error) {
	t, o := s.trainCommand, &s.selection
	p := newProgress(t.messages, t.quiet)
	lines := &progressLines{to: s.stderr, quiet: s.quiet, began: s.began}
	o.Report = func(q selection.Progress) {
		p.finish()
		lines.show(q, func(left string) string { return describeProgress(q, left, s.banks()) })
	}
	o.Training = t.options
	if len(o.Banks) > 0 {
		o.Training.Kernels = o.Banks[0]
	}
	if p != nil {
		o.Training.Recorder = p
	}
	defer p.finish()
	return selection.Run(ctx, p.countRows(src), *o)
}

// trainBest trains the best cell on all rows, unless the folder has that model already. It then has
// no result. The model of a training that was interrupted is not kept: --resume trains it again.
func (s *selectCommand) trainBest(ctx context.Context, found *selection.Selection) (*bigmkl.Model, *bigmkl.Result,
	error) {
	t := s.trainCommand
	cell := found.Cells[found.Chosen]
	arm := found.Arms[cell.Arm]
	found.Apply(&t.options)
	t.out = filepath.Join(s.folder, contract.BestFile)
	if s.resume {
		if m, err := bigmkl.Load(t.out); err == nil && isBest(m, &arm, &cell, found) {
			return m, nil, nil
		}
	}
	// The options are complete, and the scratch folder of the run is there.
	src, err := t.openData(ctx, t.data, t.read)
	if err != nil {
		return nil, nil, err
	}
	defer src.Close()
	p := newProgress(t.messages, t.quiet)
	if p != nil {
		t.options.Recorder = p
	}
	m, r, err := bigmkl.Train(ctx, p.countRows(src), t.options)
	p.finish()
	if err != nil {
		t.printWarnings(r)
		return nil, nil, nameFiles(err, t.data)
	}
	if r.Status == chunking.Interrupted {
		return nil, nil, &exitError{contract.ExitInterrupted,
			"interrupted in the training on all rows: the folder keeps the selection, and --resume goes on"}
	}
	err = t.saveModel(ctx, m, t.out)
	if errors.Is(err, fail.Input) {
		// Another part that shares the folder may have written the same model at the same moment.
		if there, e := bigmkl.Load(t.out); e == nil && isBest(there, &arm, &cell, found) {
			err = nil
		}
	}
	return m, r, err
}

// isBest reports whether a model of the folder is that of the best cell and has reached its gap.
func isBest(m *bigmkl.Model, arm *selection.Arm, cell *selection.Cell, found *selection.Selection) bool {
	worst, _ := m.Worst()
	return m.C == cell.Cost && m.Norm == float64(arm.Norm) && m.Points == found.Rows &&
		m.Fingerprint == found.Fingerprint && (arm.CostPower == nil || m.CostPower() == *arm.CostPower) && worst.RelativeGap <= m.Gap &&
		(found.Tuning == nil || isTuned(m, found.Tuning))
}

// isTuned reports whether a model has the kernels and weights that a tuning has found.
func isTuned(m *bigmkl.Model, tuned *selection.Tuning) bool {
	specs, err := kernelspec.Split(tuned.Kernels)
	return err == nil && slices.Equal(m.Kernels, specs) && slices.Equal(m.Weights, tuned.Weights)
}

// banks is the number of lists of kernels, of which those that were named twice count once.
func (s *selectCommand) banks() int {
	names := map[string]bool{}
	for _, specs := range s.selection.Banks {
		names[specs] = true
	}
	return len(names)
}
