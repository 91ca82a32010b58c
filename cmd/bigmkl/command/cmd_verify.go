package command

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bigmkl/internal/dataset/formats"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/verify"
)

// verifyCommand holds the flags and arguments of the verify command. A model carries the claim of its
// gap. Verify is for a user who received the model from somebody else, or whose disk or processor may
// have failed.
type verifyCommand struct {
	*app
	// options has what the model lacks, such as matrices and gates of the training rows.
	options verify.Options
	read    formats.Options
	json    bool
	quiet   bool
	model   string
	data    []string
}

// newVerifyCommand defines the verify command.
// The reader has the flags of train, because the rows must be read as the training has read them.
func newVerifyCommand(a *app) *cobra.Command {
	v := &verifyCommand{app: a}
	c := &cobra.Command{
		Use:   "verify [flags] MODEL DATA...",
		Short: "Recompute the duality gap of a model on its training data",
		Long: "Verify recomputes the primal value, the dual value and the relative gap in float64, from the\n" +
			"model and its training data, with separate code. It ends with exit\n" +
			"code 5 if the model claims something else, because the model is damaged or the data are not its\n" +
			"training data. If a model has several classifiers, each is checked against its own certificate.\n" +
			"For a model of train --continue OLD the data are OLD, whose support vectors are rows, and DATA.\n\n" +
			"Each row is compared with each support vector by every kernel that has a weight, in float64. This\n" +
			"takes up to 50 times as long as the training, which needs few of these values. --sample N gives an\n" +
			"estimate with its error sooner.",
		Example: "  bigmkl verify heart.model heart.csv\n  bigmkl verify heart.model heart.csv --sample 100",
	}
	f := newFlags(c)
	addReadFlags(f, &v.read)
	// Weights, matrices, gates and missing views of the rows are in files of their own, which a model
	// does not have.
	addRowWeightFlag(f, &v.read)
	add(f, &v.options.Sample, "sample", "N", "0", parseCount,
		"estimate from a sample of N rows, 0 for all")
	// Another seed gives another sample, and thus a second estimate.
	add(f, &v.options.Seed, "seed", "SEED", "0", parseSeed, "seed of the sample")
	add(f, &v.options.Threads, "threads", "N", "0", parseCount,
		"number of threads, 0 for all processors")
	addMemoryFlag(f, &v.options.Memory)
	f.StringArrayVar(&v.options.Gram, "gram", nil,
		"`FILE` with the training matrix of a precomputed kernel; repeat it for each kernel, in order")
	f.StringVar(&v.options.Gates, "gates", "",
		".npy `FILE` with the gates of the training rows, rows x kernels, for a model of --gating fixed")
	f.StringVar(&v.options.Missing, "missing", "",
		"views that the training rows lack, as given to the training: a `FILE` with lines \"row view\", or the word empty")
	addJSONFlag(f, &v.json)
	addQuietFlag(f, &v.quiet)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := errors.Join(f.err(), v.read.Validate(), checkModelAndData(args, v.read.LabelFile)); err != nil {
			return err
		}
		v.model, v.data = args[0], args[1:]
		// Each rank reads the rows, so they cannot come from standard input.
		if err := v.checkTeam(); err != nil {
			return err
		}
		return v.run(c.Context())
	}
	return c
}

// run recomputes the certificate of a model and compares it with what the model claims.
func (v *verifyCommand) run(ctx context.Context) error {
	// The limit of the heap comes before the model, which may be larger than the budget.
	defer limitHeapTo(&v.options.Memory, &v.options.Heap)()
	// Open checks the checksums of the file. Its errors are of class Corrupt, too.
	m, err := model.Open(v.model)
	if err != nil {
		return err
	}
	defer m.Close()
	// The model has no copy of the weights and matrices. Without them every sum would differ,
	// and the message would blame the model.
	if m.RowWeights && v.read.Weights == "" {
		return fail.New(fail.Usage, "the model was trained with row weights").At(v.model, 0,
			0).WithHint("give them with --row-weights")
	}
	if v.options.Gram == nil && slices.ContainsFunc(m.Kernels,
		func(s string) bool { return strings.Contains(s, "precomputed:") }) {
		return fail.New(fail.Usage, "the model has precomputed kernels").At(v.model, 0,
			0).WithHint("--labels FILE, and --gram FILE for each training matrix, in order")
	}
	// verify reads the files of objects itself, because its code is independent of the training.
	v.options.Objects = v.read.ObjectFiles
	// The columns of a table are found by the names that the model has kept.
	if _, err := readFor(ctx, m, &v.read); err != nil {
		return err
	}
	// For a model that continues another one, the first data are the support vectors of that model.
	src, err := v.openBehindVectors(ctx, m, v.data, v.read)
	if err != nil {
		return err
	}
	defer src.Close()
	// All ranks must have opened the same model.
	if err := joinModel(v.team, m); err != nil {
		return err
	}
	p := newProgress(v.messages, v.quiet)
	rows := m.Points
	if v.options.Sample > 0 {
		rows = 0 // Most rows are passed over, and the time does not follow their number.
	}
	// An error here means that the certificate could not be computed. A wrong certificate is a fault in r.
	r, err := verify.Run(ctx, m, p.countRowsOf(src, rows), v.options)
	p.finish()
	if err != nil {
		return err
	}
	if v.json {
		err = v.printJSON("verify", newVerifyJSON(m, r))
	} else {
		err = v.print("%s%s\n%s", formatClassifiers(m, r.Classifiers), describeResult(m, r), formatUnchecked(r.Unchecked))
	}
	if err != nil {
		return err
	}
	// A correct certificate may still be one of a large gap.
	if doubt := m.Convergence().Doubt(); doubt != "" {
		v.complain("warning: %s", doubt)
	}
	// The report is printed in any case. The faults are the errors of the run, so they decide
	// the exit code.
	var errs []error
	// Faults are of class Corrupt: either the model is damaged, or the data are other data.
	for _, f := range r.Faults {
		errs = append(errs, fail.New(fail.Corrupt, "%s", f).At(v.model, 0, 0))
	}
	return errors.Join(errs...)
}
