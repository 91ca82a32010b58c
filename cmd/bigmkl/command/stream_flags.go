package command

import (
	"errors"
	"math"
	"slices"

	"bigmkl"
	"bigmkl/internal/fail"
	"bigmkl/internal/train"
)

// streamFlags ask for a training on rows that keep coming, or on further rows of a model.
type streamFlags struct {
	stream bool
	// from is a model to continue from, or "".
	from string
	// model is the model of from, once it is read.
	model *bigmkl.Model
	// every is the number of rows of a batch, and window the number of rows that are kept, 0 for
	// all.
	every, window int
	// refresh is the number of rows after which distances and factors are computed again, 0 for never.
	refresh int
	// drift asks for a report of how the rows change.
	drift bool
}

// asked reports whether the command line begins a stream or continues from a model.
func (t *streamFlags) asked() bool { return t.stream || t.from != "" }

// defaultEvery is the number of rows of a batch unless the command line has another. It is a
// compromise: each batch costs a training, and predictions are as old as the last batch.
const defaultEvery = 10_000

// defineFlags defines the flags of streams.
func (t *streamFlags) defineFlags(f *flags) {
	f.BoolVar(&t.stream, "stream", false,
		"train on the rows as they come: write a model after every batch, each continued from the previous model")
	f.StringVar(&t.from, "continue", "",
		"continue from this `MODEL` of two classes with the rows of DATA; its support vectors replace its training rows")
	// A number of 0 rows is rejected by checkFlags.
	t.every = defaultEvery
	add(f, &t.every, "every", "N", "10000", parseCount, "rows of a batch of --stream")
	add(f, &t.window, "window", "N", "0", parseCount,
		"keep only the newest N rows of --stream, 0 for all")
	add(f, &t.refresh, "refresh", "N", "0", parseCount,
		"every N rows of --stream, compute the distances of auto kernels and the normalisation again, from the rows in the window; 0 for never")
	f.BoolVar(&t.drift, "drift", false,
		"report the error of each model of --stream on the next batch, before it is learned, and the change of the kernels' shares")
}

// checkFlags returns all flags that exclude a stream, of a training with other flags. path is set if they ask
// for a path. The reason is mostly that rows are gone after their batch: folds, calibration and paths
// need them again.
func (t *streamFlags) checkFlags(f *flags, of *trainFlags, path bool) error {
	var faults usageFaults
	if t.from != "" {
		faults.require(of.options.Checkpoint == "", "leave --checkpoint out", "--continue and --checkpoint")
	}
	// The rest of the checks applies to both, since both continue a training.
	if !t.stream {
		if t.from == "" {
			return errors.Join(faults...)
		}
		// Without --stream, all rows of DATA are one batch.
		t.every = math.MaxInt
	}
	faults.require(t.every > 0, "--every 10000", "a batch of no rows")
	faults.require(!path, "run train once for each model", "a path cannot be trained on a stream or from its model")
	faults.require(!of.folds.conformal.asked, "leave --conformal out", "the models of a stream have no calibration scores")
	faults.require(of.options.Folds == 0, "--task logistic has probabilities without a fit", "the models of a stream have no probabilities, for which rows would have to be held out")
	faults.require(of.init == "", "leave --init out", "a stream begins with its first batch")
	faults.require(!f.Changed("solver") || of.options.Solver == bigmkl.SolverChunking, "leave --solver out",
		"a stream is trained by the chunking solver alone")
	faults.require(!isStandardOutput(of.results.model), "-o FILE", "the models of a stream cannot go to standard output")
	faults.require(of.rows.read.Weights == "", "leave --row-weights out",
		"--row-weights needs a file with a line for each row, and a stream has no end")
	return errors.Join(faults...)
}

// readModel gives flags that the command line does not have the values of the model of --continue. A
// training that continues a model must have its kernels, scaling and columns, or its dual variables
// mean nothing.
func (t *streamFlags) readModel(f *flags, p *problemFlags) error {
	if t.from == "" {
		return nil
	}
	m, err := bigmkl.Load(t.from)
	if err != nil {
		return err
	}
	// The model stays in memory, because its file may be replaced by the result.
	t.model = m
	if err := train.CheckVectors(&m.Model); err != nil {
		return atFile(err, t.from)
	}
	if m.Regularizer.Kind().OfKernels {
		return fail.New(fail.Usage, "a model with fixed weights or with interactions of kernels").
			At(t.from, 0, 0).WithHint("train on all rows; --init starts from the model")
	}
	list, _, err := settingsOfModel(t.from)
	if err != nil {
		return err
	}
	// The new rows have labels and folds of their own.
	list = slices.DeleteFunc(list, func(s setting) bool { return optionNamed(s.key).aboutRows })
	if err := applySettings(f, list, p); err != nil {
		return atFile(err, t.from)
	}
	// New rows are read by the columns, the width and the imputation of the model.
	r := &p.rows.read
	r.Columns, r.Features, r.Impute = m.Columns, m.Features, m.Scaling.Impute
	return nil
}
