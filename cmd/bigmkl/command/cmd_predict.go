package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/internal/dataset/formats"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// predictCommand holds the flags and arguments of the predict command.
type predictCommand struct {
	*app
	// options go to the library as they are. read has the options of the data files.
	options bigmkl.PredictOptions
	read    formats.Options
	// out has the lines of the predictions. The other outputs are files of numbers, one line or row for
	// each row.
	out        string
	gatesOut   string
	projection string
	weightsOut string
	gates      *gateFigures // nil if the kernels of the model have none
	// allDecisions, and Multiclass of the model, decide whether a line has one decision value or all of
	// them.
	allDecisions bool
	// coverage is 0 if no regions are requested.
	coverage float64
	regions  *regionFigures // nil if no coverage is requested
	// survivalAt has the times of --survival-at, in the unit of the training data.
	survivalAt []float64
	curves     *curveFigures // nil if no survival curves are requested
	// narrow takes features that no training row had as 0. Without it such a feature is an error,
	// because the data may have other columns than the training data.
	narrow bool
	// csv replaces lines of text by a table with a header and the names of the rows.
	csv   bool
	json  bool
	quiet bool
	model string
	data  []string
}

// newPredictCommand defines the predict command.
func newPredictCommand(a *app) *cobra.Command {
	p := &predictCommand{app: a}
	c := &cobra.Command{
		Use:   "predict [flags] MODEL DATA...",
		Short: "Predict rows with a model",
		Long: "Predict writes a line \"label decision\" for each row, or the predicted number, time or score. The\n" +
			"lines go to OUT or to standard output, unless --json requests one object instead. If the data\n" +
			"have labels, predict also reports accuracy, AUC, average precision and more, or the errors of\n" +
			"regression. The report goes to standard output if the lines go to a file, else to standard\n" +
			"error. With --json it has the metrics of each class.\n\n" +
			"For a model of several classifiers (train --multiclass), the decision is the largest f(x) with\n" +
			"ovr, and the sum of f(x) of the winning class with ovo. --decisions writes the decisions of all\n" +
			"classifiers in the order of inspect. If rows have sets of labels, a line has the predicted set,\n" +
			"such as 1,3, and the decision of each label. The empty set is written as -, and a row of the\n" +
			"data without labels has the empty set.\n\n" +
			"For a model of several quantiles (train --tau 0.1,0.5,0.9), a line has the quantiles in\n" +
			"ascending order of tau. They may cross; --no-crossing sorts them in each row.\n\n" +
			"For a model of task cox, a line has the logarithm of the relative hazard: the larger it is, the\n" +
			"earlier is the event.\n\n" +
			"--probability appends the probability of each class or label, and first writes a line \"labels A\n" +
			"B ..\" that names them in order. The predicted label still follows the decision. Predict then\n" +
			"also reports log loss and Brier score.\n\n" +
			"--coverage 0.9 appends an interval (low and high) or a set of classes (- if it is empty) to each\n" +
			"line. If new rows are like the training rows, 90 % of them have their target or class in it.\n\n" +
			"--survival-at 12,24 appends the probability of no event until each time, for a model of task cox, or\n" +
			"of task survival that was trained with --conformal. Predict then also reports the Brier scores.\n\n" +
			"--csv writes a table with a header for spreadsheets and data frames. If the data are a table, the\n" +
			"columns that the model left out (train --id) come first. Names with blanks are whole there.",
		Example: "  bigmkl predict heart.model heart-new.csv -o predictions.txt",
	}
	// Flags for files come first, in the order in which a row passes them: input, then outputs.
	f := newFlags(c)
	addReadFlags(f, &p.read)
	f.StringVarP(&p.out, "out", "o", "",
		"write the lines to this file `OUT`, - for standard output")
	f.StringVar(&p.options.Gates, "gates", "",
		".npy `FILE` with the gates of the rows, rows x kernels, for a model of --gating fixed")
	f.StringVar(&p.options.Missing, "missing", "",
		"views that rows lack, for a model that was trained with --missing: a `FILE` with lines \"row view\", or the word empty, as in train (default: rows lack no view)")
	f.StringVar(&p.projection, "projection", "",
		"write the projected features of each row to this text `FILE`, a line for each row, times the gates of their kernels; a linear kernel with a gate has one direction")
	f.StringVar(&p.weightsOut, "kernel-weights", "",
		"write the weights of the components at each row of a model of task med or mixture to this .npy `FILE`, rows x components, the positive class first")
	f.StringVar(&p.gatesOut, "gates-out", "",
		"write the gates of each row to this text `FILE`, a line for each row")
	f.StringArrayVar(&p.options.Gram, "gram-test", nil,
		"`FILE` with a precomputed kernel between new rows and training rows (n_test x n_train); repeat it for each kernel, in order")
	add(f, &p.options.Threads, "threads", "N", "0", parseCount,
		"number of threads, 0 for all processors")
	addMemoryFlag(f, &p.options.Memory)
	addNarrowFlag(f, &p.narrow)
	f.BoolVar(&p.csv, "csv", false,
		"write a table of comma-separated values with a header, in place of lines; the columns of --id come first")
	f.BoolVar(&p.options.NoCrossing, "no-crossing", false,
		"sort the quantiles of each row, for a model of several quantiles (train --tau 0.1,0.5,0.9)")
	f.BoolVar(&p.allDecisions, "decisions", false, "write the decision values of all classifiers")
	f.BoolVar(&p.options.Probability, "probability", false,
		"write probabilities; the model must have been trained with --probability or --task logistic")
	add(f, &p.coverage, "coverage", "SHARE", "", parseCoverage,
		"append to each line an interval (two numbers) or a set of classes (joined by commas) that contains the true value for this share of the rows, such as 0.9; the model must have been trained with --conformal")
	add(f, &p.survivalAt, "survival-at", "T,..", "", parseTimes,
		"append to each line the probability of no event until each of these times, such as 12,24,60; the model must be of task cox, or have been trained with --task survival --conformal")
	addJSONFlag(f, &p.json)
	addQuietFlag(f, &p.quiet)
	c.RunE = func(_ *cobra.Command, args []string) error {
		// Matrices of the rows replace data and labels.
		rows := append([]string{p.read.LabelFile}, p.options.Gram...)
		if err := errors.Join(f.err(), checkModelAndData(args, rows[len(rows)-1])); err != nil {
			return err
		}
		// A reader of the object could not tell its text from the lines.
		if p.json && isStandardOutput(p.out) {
			return fail.New(fail.Usage,
				"--json and the predictions cannot both go to standard output").WithHint("write the predictions to a file")
		}
		for _, of := range []struct {
			flag  string
			given bool
		}{{"--decisions", p.allDecisions}, {"--csv", p.csv}} {
			if of.given && p.json && p.out == "" {
				return fail.New(fail.Usage,
					"%s has no effect, because --json without -o writes no lines", of.flag).WithHint("-o OUT")
			}
		}
		p.read.Table.Names = p.csv
		p.model, p.data = args[0], args[1:]
		return p.run(c.Context())
	}
	return c
}

// run predicts the rows and reports the figures of the predictions. Rows stream: none is kept, so any
// number of rows can be predicted within the budget.
func (p *predictCommand) run(ctx context.Context) error {
	// Ranks that were started by MPI must run a command that can use them.
	if err := p.checkTeam(); err != nil {
		return err
	}
	// Faults of the command line come before any file is opened, and faults of the model before
	// the data are read: data may be a pipe that cannot be read twice.
	for _, out := range []string{p.out, p.gatesOut, p.projection, p.weightsOut} {
		if err := checkOutput(out,
			append(append(formats.Paths(p.data), p.model, p.options.Gates, missingFile(p.options.Missing)), p.read.Files()...)...); err != nil {
			return err
		}
	}
	if p.options.Memory != 0 {
		p.kept = nil // A budget of the user counts a model in memory.
	}
	// The limit is lifted at the end, because a server or a worker runs further commands in this process.
	defer limitHeapTo(&p.options.Memory, &p.options.Heap)()
	// A worker process keeps models between calls. Another process opens the file, and closeModel unmaps
	// it.
	m, closeModel, err := p.kept.openModel(p.model)
	if err != nil {
		return err
	}
	defer closeModel()
	// What the flags ask for must be in the model. The messages name the option of train that
	// would put it there.
	// It is nil for a model without gates, and the fields below are nil without their flags.
	p.gates = newGateFigures(&m.Model)
	if p.regions, err = newRegionFigures(&m.Model, p.coverage); err != nil {
		return atFile(err, p.model)
	}
	if p.curves, err = newCurveFigures(&m.Model, p.survivalAt); err != nil {
		return atFile(err, p.model)
	}
	if p.gatesOut != "" && p.gates == nil {
		return fail.New(fail.Usage, "--gates-out: the kernels of the model have no gates").
			At(p.model, 0, 0).WithHint("train --gating")
	}
	// A model without a projection can still have directions: a linear kernel with a gate is one direction
	// w_m.
	if p.projection != "" && m.Family.Projection() == nil {
		if _, err := m.Directions(p.options.Memory); err != nil {
			return fail.New(fail.Usage, "--projection: %w", err).At(p.model, 0, 0).
				WithHint("train --kernels 'proj(gauss:0.5,2)', or --kernels 'linear copies=3' --gating softmax")
		}
	}
	if p.weightsOut != "" && m.Family.Mixture() == nil {
		return fail.New(fail.Usage, "--kernel-weights: the model has the same weights at all rows").
			At(p.model, 0, 0).WithHint("train --task med")
	}
	// Rows may name objects by the words of the training. The reader replaces these words by their numbers.
	if p.options.Objects, err = readFor(ctx, &m.Model, &p.read); err != nil {
		return err
	}
	if err := p.countBare(m); err != nil {
		return err
	}
	src, err := p.openData(ctx, p.data, p.read)
	if err != nil {
		return err
	}
	defer src.Close()
	progress := newProgress(p.messages, p.quiet)
	rows, err := watchRows(&m.Model, src, progress.countRows(src), p.narrow)
	if err != nil {
		return err
	}
	// All ranks must have opened the same model; each may have its own disk.
	if err := joinModel(p.team, &m.Model); err != nil {
		return err
	}
	// Each prediction is written and scored in one pass. The score keeps what its figures need.
	s, err := p.writePredictions(ctx, m, rows)
	progress.finish()
	if err != nil {
		return nameFiles(err, p.data)
	}
	// The warnings come after the lines, because some of them count rows.
	if doubt := m.Convergence().Doubt(); doubt != "" {
		p.complain("warning: %s", doubt)
	}
	p.warn(p.regions.warning())
	if !p.quiet { // Facades of other languages predict the rows of the training as a matter of course.
		p.warn(rows.known.warning())
	}
	p.warn(rows.warnings()...)
	for _, w := range s.Warnings() {
		p.complain("warning: %s", w)
	}
	// The labels of the data may be absent or partly known. The evaluation then has fewer figures, or
	// none.
	// The details extend the object of --json. Their order is the order of its keys.
	e := evaluation{Evaluation: s.Evaluation()}
	e.details = append(e.details, detail{"model", newConvergenceJSON(&m.Model)})
	if rows.known.areKnown() {
		e.details = append(e.details, detail{"training_rows", true})
	}
	if p.gates != nil {
		e.details = append(e.details, detail{"gates", p.gates.json()})
	}
	// The text and the object have the same figures. Only one of them is printed.
	text := e.String()
	if p.regions != nil {
		e.details = append(e.details, detail{"regions", p.regions.json()})
		text += "\n" + p.regions.String()
	}
	if p.curves != nil {
		e.details = append(e.details, detail{"curves", p.curves.json()})
		text += "\n" + p.curves.String()
	}
	switch {
	case p.json:
		return p.printJSON("predict", e)
	case p.out != "" && !isStandardOutput(p.out):
		return p.print("%s\n", text)
	case !p.quiet:
		fmt.Fprintln(p.stderr, text)
	}
	return nil
}

// countBare takes the number of rows from the first matrix of --gram-test if neither data nor
// labels are named. Then no file has features, so all kernels of the model must be precomputed
// matrices. A matrix has a line for each new row, n_test x n_train.
func (p *predictCommand) countBare(m *bigmkl.Model) error {
	if len(p.data) > 0 || p.read.LabelFile != "" {
		return nil
	}
	if !allPrecomputed(strings.Join(m.Kernels, ",")) {
		return fail.New(fail.Usage, "no data file is named, and the model has kernels of features").At(p.model, 0, 0).WithHint("MODEL DATA, where - is standard input")
	}
	// Further matrices have the same rows, so the first one is enough.
	matrix, err := npy.Open(p.options.Gram[0])
	if err != nil {
		return err
	}
	// The reader yields this number of rows without features and labels.
	p.read.Bare = matrix.Rows
	return matrix.Close()
}

// convergenceJSON describes how near its optimum a model was trained. It comes with every prediction,
// because a model whose training was cut predicts without a sign of this.
// RelativeGap is the duality gap P - D of the worst classifier, divided by the larger of |P| and |D|.
type convergenceJSON struct {
	RelativeGap number `json:"relative_gap"`
	// Gap is the relative gap that the training had to reach.
	Gap       number `json:"gap"`
	Converged bool   `json:"converged"`
	// Untrained counts the classifiers for which no step was taken.
	Untrained int `json:"untrained"`
}

// newConvergenceJSON reads the convergence from the certificate of a model, or from the worst
// certificate of its classifiers.
func newConvergenceJSON(m *model.Model) convergenceJSON {
	c, _ := m.Convergence().Worst()
	return convergenceJSON{number(c.RelativeGap), number(m.Gap), m.Convergence().Reached(), m.Convergence().Untrained()}
}
