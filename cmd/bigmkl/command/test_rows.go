package command

import (
	"context"
	"errors"
	"io"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/formats"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// testFlags name the rows that a model is evaluated on.
type testFlags struct {
	// path is the file of the rows, "" if nothing is tested.
	path string
	// narrow takes features that no training row had as 0.
	narrow bool
	// gram are matrices between these rows and the rows of the training.
	gram []string
}

// defineFlags defines the flags.
// The flags of the training data also apply to these rows.
func (t *testFlags) defineFlags(f *flags) {
	f.StringVar(&t.path, "test", "", "evaluate the model on the rows of this `FILE`")
	f.StringArrayVar(&t.gram, "gram-test", nil,
		"`FILE` with a precomputed kernel between the rows of --test and the training rows (n_test x n_train); repeat it for each kernel, in order")
	addNarrowFlag(f, &t.narrow)
}

// testRows are the rows of a test, which are read like the rows of the training. It is nil if nothing is tested.
type testRows struct {
	testFlags
	// paths are the paths of the data, none if the file has labels alone.
	paths   []string
	data    *opener
	console *console
	read    formats.Options
	predict bigmkl.PredictOptions
}

// newTestRows returns the rows of a test beside training rows with the given options and columns, which is
// known once the training data are open. Row weights and labels in a file of their own belong to the
// training rows.
func newTestRows(at *opener, to *console, t testFlags, rows rowFlags, columns *dataset.Columns, o *bigmkl.Options) *testRows {
	if t.path == "" {
		return nil
	}
	// The options are copied, because the training reads its own rows with them.
	read := rows.read
	read.Weights, read.LabelFile, read.Trained, read.Views = "", "", true, o.Views
	if read.Columns = columns; columns != nil { // The columns are known by their names.
		t := &read.Table
		t.Label, t.Time, t.Event, t.Upper, t.Group, t.Skip, t.Categories = "", "", "", "", "", nil, nil
	}
	paths := []string{t.path}
	// Of a training on matrices and labels alone, an array to test on has labels as well. Text is read as rows, which may
	// have features.
	if len(rows.paths) == 0 && isVector(t.path) {
		paths, read.LabelFile = nil, t.path
	}
	return &testRows{t, paths, at, to, read, bigmkl.PredictOptions{Threads: o.Threads, Missing: o.Missing, Gram: t.gram}}
}

// isVector reports whether a file is an array of one dimension.
// It is asked only for a training without data files.
func isVector(path string) bool {
	v, err := npy.OpenVector(path)
	if err != nil {
		return false
	}
	v.Close()
	return true
}

// open opens the file.
func (t *testRows) open(ctx context.Context) (source, error) {
	if t.path == "-" {
		return nil, fail.New(fail.Usage, "--test needs a file, not standard input")
	}
	return t.data.openData(ctx, t.paths, t.read)
}

// checkedRows is the number of rows of a test file that are read before the training. They find
// nearly every file that does not fit, and take a second.
const checkedRows = 100_000

// furthest is the row of the test file with the largest feature. The training rows may have fewer
// features, which is known only later. The place makes the error of that comparison precise.
type furthest struct {
	features int
	file     string
	line     int
}

// check reads the first rows of the test file and returns the furthest of them. A fault in them is therefore found
// before the training. A pipe can be read once alone and is left for the test.
func (t *testRows) check(ctx context.Context) (far furthest, err error) {
	if t == nil {
		return far, nil
	}
	// A missing file has its error where it is opened.
	info, err := files.Stat(t.path)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return far, nil
	}
	src, err := t.open(ctx)
	if err != nil {
		return far, err
	}
	defer src.Close()
	// Faults of later rows appear after the training, when its model is written.
	for range checkedRows {
		r, err := src.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return far, err
		}
		if n := len(r.Index); n > 0 && int(r.Index[n-1]) >= far.features {
			far = furthest{int(r.Index[n-1]) + 1, r.File, r.Line}
		}
	}
	return far, nil
}

// evaluate predicts the rows, warns of them and returns the figures. It returns nil if nothing is tested, or if
// the run was interrupted. The model is written by then, so an interrupt or a fault does not lose it.
func (t *testRows) evaluate(ctx context.Context, m *bigmkl.Model) (*score.Score, error) {
	if t == nil || ctx.Err() != nil {
		return nil, nil
	}
	src, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	rows, err := watchRows(&m.Model, src, src, t.narrow)
	if err != nil {
		return nil, err
	}
	o := t.predict
	// With probabilities, the score also has log loss and Brier score.
	o.Probability = m.Sigmoids != nil
	s, err := score.Of(ctx, m, rows, o)
	if errors.Is(err, context.Canceled) {
		return nil, nil
	}
	if err == nil {
		t.console.warn(append(rows.warnings(), rows.known.warning())...)
	}
	return s, err
}
