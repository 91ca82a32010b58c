package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/dataset"
	"bigmkl/evaluate/score"
	"bigmkl/internal/fail"
	"bigmkl/train"
)

// trainStream trains on rows that keep coming, and writes a model after each batch of them.
type trainStream struct {
	*trainCommand
	stream bool
	// from is a model to go on from, or "".
	from  string
	model *bigmkl.Model
	// every is the number of rows of a batch, and window that of the rows that are kept, 0 for all.
	every, window int
	// folder is where the trainer is saved, "" for nowhere; saved is when that was done last.
	folder string
	saved  time.Time
	// models counts the models that were written, rows those of the last one.
	models, rows int
	// stopped counts the models that did not reach their gap.
	stopped int
}

// defaultEvery is the number of rows of a batch unless the command line says another.
const defaultEvery = 10_000

// defineStreamFlags defines the flags of streams.
func (t *trainStream) defineStreamFlags(f *flags) {
	f.BoolVar(&t.stream, "stream", false,
		"train on the rows as they come, each time from the model before, and write the model after every batch")
	f.StringVar(&t.from, "continue", "",
		"continue from this `MODEL` of two classes, whose support vectors replace its rows, with the rows of DATA")
	t.every = defaultEvery
	add(f, &t.every, "every", "N", "10000", parseCount, "rows of a batch of --stream")
	add(f, &t.window, "window", "N", "0", parseCount,
		"keep the newest N rows of --stream alone, 0 for all")
}

// checkStreamFlags returns all flags that exclude a stream.
func (t *trainStream) checkStreamFlags(f *flags, path *trainPath) error {
	var faults usageFaults
	if t.from != "" {
		faults.require(t.options.Checkpoint == "", "leave --checkpoint out", "--continue and --checkpoint")
	}
	if !t.stream {
		for _, name := range []string{"every", "window"} {
			faults.require(!f.Changed(name), "--stream", "--%s has no effect without --stream", name)
		}
		if t.from == "" {
			return errors.Join(faults...)
		}
		t.every = math.MaxInt
	}
	faults.require(t.every > 0, "--every 10000", "a batch of no rows")
	faults.require(path.points == nil, "run train once for each model", "a path cannot be trained on a stream or from its model")
	faults.require(t.options.Multiclass == "", "--positive L trains one of the classifiers",
		"--stream trains one classifier")
	faults.require(!t.conformal.asked, "leave --conformal out", "the models of a stream have no calibration scores")
	faults.require(t.options.Folds == 0, "leave --probability out", "the models of a stream have no probabilities")
	faults.require(t.init == "", "leave --init out", "a stream begins with its first batch")
	faults.require(!f.Changed("solver") || t.options.Solver == bigmkl.SolverChunking, "leave --solver out",
		"a stream is trained by the chunking solver alone")
	faults.require(!isStandardOutput(t.out), "-o FILE", "the models of a stream cannot go to standard output")
	faults.require(t.read.Weights == "", "leave --row-weights out",
		"--row-weights needs a file with a line for each row, and a stream has no end")
	return errors.Join(faults...)
}

// readModel gives flags that the command line does not have the values of the model of --continue.
func (t *trainStream) readModel(f *flags) error {
	if t.from == "" {
		return nil
	}
	m, err := bigmkl.Load(t.from)
	if err != nil {
		return err
	}
	t.model = m
	if err := train.CheckVectors(&m.Model); err != nil {
		return atFile(err, t.from)
	}
	if m.Weights != nil || m.Interaction != nil {
		return fail.New(fail.Usage, "a model with fixed weights or with interactions of kernels").
			At(t.from, 0, 0).WithHint("train on all rows; --init starts from the model")
	}
	list, _, err := settingsOfModel(t.from)
	if err != nil {
		return err
	}
	// These are about all rows of that training, and not about those to come.
	list = slices.DeleteFunc(list, func(s setting) bool {
		return slices.Contains([]string{"limit", "probability", "conformal", "folds", "label", "id", "categories"}, s.key)
	})
	if err := applySettings(f, list, t.trainCommand); err != nil {
		return atFile(err, t.from)
	}
	t.read.Columns, t.read.Features, t.read.Impute = m.Columns, m.Features, m.Scaling.Impute
	return nil
}

// trainAll trains on batches of the rows until they end.
func (t *trainStream) trainAll(ctx context.Context, src source, p *progress) error {
	rows := dataset.Limit(p.countRows(src), t.options.Limit)
	tr, err := t.makeTrainer(ctx)
	if err != nil {
		return err
	}
	defer tr.Close()
	// A batch is begun only with a row in hand: the end of the data right behind a batch is no fault.
	for {
		first, err := rows.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = tr.Add(ctx, &batch{Source: rows, first: &first, left: t.every})
		}
		if err == nil {
			err = t.trainBatch(ctx, tr, p)
		}
		if err != nil {
			p.finish()
			// What was trained on so far is not lost with the batch.
			t.complainOfSaving(t.save(ctx, tr, true))
			return t.endOf(ctx, err)
		}
	}
	p.finish()
	if t.models == 0 {
		return fail.New(fail.Input, "no rows")
	}
	t.complainOfSaving(t.save(ctx, tr, true))
	if t.stopped > 0 {
		return &exitError{contract.ExitStopped, fmt.Sprintf(
			"%d of %d models were written with a larger gap than was asked for", t.stopped, t.models)}
	}
	return nil
}

// makeTrainer returns a new trainer, or the one that the folder of --checkpoint has.
func (t *trainStream) makeTrainer(ctx context.Context) (*bigmkl.Trainer, error) {
	o := t.options
	t.folder, t.saved = o.Checkpoint, time.Now()
	// The command sees to all of these.
	o.Checkpoint, o.Resume, o.Limit, o.MaxTime = "", false, 0, 0
	if t.from != "" {
		tr, err := bigmkl.ContinueTrainer(ctx, t.model, o)
		if err != nil {
			return nil, err
		}
		return tr, tr.Window(t.window)
	}
	if t.folder == "" {
		tr, err := bigmkl.NewTrainer(o)
		if err != nil {
			return nil, err
		}
		return tr, tr.Window(t.window)
	}
	tr, err := bigmkl.ResumeTrainer(ctx, t.folder, o)
	if err != nil {
		return nil, err
	}
	err = tr.Window(t.window)
	if err == nil && !t.options.Resume && !tr.Empty() {
		err = fail.New(fail.Usage, "the folder holds a stream").At(t.folder, 0, 0).
			WithHint("--resume goes on with it; for another stream name another folder")
	}
	if err != nil {
		tr.Close()
		return nil, err
	}
	return tr, nil
}

// trainBatch trains on the rows that were added and writes the model.
func (t *trainStream) trainBatch(ctx context.Context, tr *bigmkl.Trainer, p *progress) error {
	r, err := tr.Fit(ctx)
	p.finish()
	if err != nil {
		t.printWarnings(r)
		return err
	}
	m, err := tr.Snapshot()
	if err != nil {
		return err
	}
	defer m.Close()      // The trainer goes on from its own rows.
	t.began = time.Now() // Each model has the same time to be written.
	if err := t.writeModel(ctx, m); err != nil {
		return err
	}
	t.models, t.rows = t.models+1, m.Points
	if r.Status != chunking.Converged {
		t.stopped++
	}
	s, err := t.evaluateTest(ctx, m)
	if err != nil {
		return afterModel(err, t.out)
	}
	if r.Status != chunking.Interrupted { // The end saves.
		if w := t.save(ctx, tr, false); w != "" {
			r.Warnings = append(r.Warnings, w)
		}
	}
	report := t.reportBatch
	if !t.stream {
		report = t.reportModel
	}
	if err := report(m, r, s); err != nil {
		return err
	}
	if r.Status == chunking.Interrupted {
		return context.Cause(ctx)
	}
	return nil
}

// reportBatch prints a line about a model, or with --json its object.
func (t *trainStream) reportBatch(m *bigmkl.Model, r *bigmkl.Result, s *score.Score) error {
	b, err := m.Bank()
	if err != nil {
		return err
	}
	test, warnings := t.warnAbout(m, b, r, s, "")
	if t.json {
		return t.printJSON("train", t.newJSON(m, b, r, test, warnings))
	}
	rows := fmt.Sprintf("%d rows", m.Points)
	if m.Stream != nil && m.Stream.Seen > m.Points {
		rows = fmt.Sprintf("the last %d of %d rows", m.Points, m.Stream.Seen)
	}
	text := fmt.Sprintf("%s: %s, %s after %s at a gap of %.3g, %s, %s", t.out,
		rows, strings.ReplaceAll(string(r.Status), "_", " "), count(r.Iterations, "iteration"), m.Certificate.RelativeGap,
		count(len(m.Support), "support vector"), formatFine(r.Train))
	if test != nil {
		text += fmt.Sprintf("; %s: %s", t.test, test)
	}
	return t.print("%s\n", text)
}

// save saves the trainer if there is a folder and the interval has passed, or must is set. An
// interrupt leaves it the time for that. A state that cannot be saved is a warning, which is returned,
// else "": the state before it still exists, and the models are written.
func (t *trainStream) save(ctx context.Context, tr *bigmkl.Trainer, must bool) (warning string) {
	every := t.options.CheckpointEvery
	if every == 0 {
		every = defaultSaving
	}
	if t.folder == "" || tr.Empty() || !must && every != bigmkl.Zero && time.Since(t.saved) < every {
		return ""
	}
	t.saved = time.Now()
	if err := tr.Save(context.WithoutCancel(ctx), t.folder); err != nil {
		return fmt.Sprintf("the state after %s could not be saved: %v", count(t.models, "model"), err)
	}
	return ""
}

// complainOfSaving prints a warning of save. Behind the last model no object is left to hold it.
func (t *trainStream) complainOfSaving(warning string) {
	if warning != "" {
		t.complain("warning: %s", warning)
	}
}

// defaultSaving is the time between two states of a trainer.
const defaultSaving = 5 * time.Minute

// endOf returns the error with which a stream ends: what is written already stays.
func (t *trainStream) endOf(ctx context.Context, err error) error {
	done := "before there was a model"
	if t.models > 0 {
		done = fmt.Sprintf("after %s, the last of %d rows, which is written", count(t.models, "model"), t.rows)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &exitError{contract.ExitStopped, "the time limit was reached " + done}
	case ctx.Err() != nil:
		return &exitError{contract.ExitInterrupted, "interrupted " + done}
	}
	return nameFiles(err, t.data)
}

// batch is the next rows of a source: one that has been read, and those behind it.
type batch struct {
	dataset.Source
	first *dataset.Row
	left  int
}

// Next returns the next row, or io.EOF behind the last of the batch.
func (b *batch) Next() (dataset.Row, error) {
	if b.left == 0 {
		return dataset.Row{}, io.EOF
	}
	b.left--
	if b.first != nil {
		row := *b.first
		b.first = nil
		return row, nil
	}
	return b.Source.Next()
}
