package command

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"bigmkl/internal/report"
)

// newTrainCommand defines the train command. The checks come in this order: words and numbers, the file
// of --config, the model of --continue, combinations of flags, other ranks. No data file has been
// opened until all of them are passed.
func newTrainCommand(a *app) *cobra.Command {
	// A path and a stream exclude each other, and each has flags of its own.
	t := &trainFlags{}
	path, stream := &pathFlags{}, &streamFlags{}
	c := &cobra.Command{
		Use:   "train [flags] -o MODEL DATA...",
		Short: "Train a model and write it",
		Long: "Train learns a classifier or a regression together with the weights of its kernels. It writes a\n" +
			"model with a certificate, the relative duality gap, which bounds the distance from the optimum.\n" +
			"The data are LIBSVM text, tables, arrays or sequences (bigmkl help tables). bigmkl help kernels\n" +
			"explains --kernels.",
		Example: "  bigmkl train --label disease --kernels gauss:auto/5@each-view -o heart.model heart.csv\n" +
			"  bigmkl train --kernels gauss:2^-10..2^2,linear --norm 1 -C 10 -o adverts.model adverts.libsvm.gz\n" +
			"  bigmkl train --multiclass ovr --views segments.views.txt -o segments.model segments.libsvm.gz\n" +
			"  zcat huge.gz | bigmkl train --memory 1GiB --scale minmax -o huge.model -\n" +
			"  bigmkl train --label diagnosis --id name --scale standard -o m.model patients.csv\n" +
			"  bigmkl train --kernels gauss:auto/5@each-view -o m.model --labels y.npy expr=e.npy mut=m.npz\n" +
			"  bigmkl train --path-C 0.1..100/7 --path-norm 1,4/3,2 -o 'adverts-%p-%C.model' adverts.libsvm.gz\n" +
			"  tail -n +1 -f log | bigmkl train --stream --every 10000 --window 100000 -o m.model -\n" +
			"  bigmkl train --continue m.model -o new.model more.libsvm",
	}
	// The order of definitions does not matter: the help follows the table of options.
	f := newFlags(c)
	t.defineFlags(f)
	path.defineFlags(f)
	stream.defineFlags(f)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := t.readArguments(f, args); err != nil {
			return err
		}
		if err := stream.readModel(f, &t.problemFlags); err != nil {
			return err
		}
		if err := errors.Join(f.err(), t.checkFlags(f), path.checkFlags(f, t)); err != nil {
			return err
		}
		if err := stream.checkFlags(f, t, path.asked()); err != nil {
			return err
		}
		// Ranks train no stream and read no standard input. Without flags they share the memory and the
		// threads of this computer.
		if err := t.joinTeam(a.team, stream.asked()); err != nil {
			return err
		}
		return runTraining(c.Context(), a, t, path, stream)
	}
	return c
}

// Grace is the time that the iteration in progress and the writing of the model have after the
// first signal. The rest of lastMoment is left for a checkpoint of a training that had to be cut. An
// iteration on a million rows can take longer. Its training is then cut, and resumes from the last
// checkpoint.
const Grace = 4 * time.Second

// runTraining opens the inputs and trains one model, or all models of a path or a stream. The time
// limit counts from here, and includes the reading of rows. A user who asks for ten minutes means ten
// minutes.
func runTraining(ctx context.Context, a *app, t *trainFlags, path *pathFlags, stream *streamFlags) error {
	began := time.Now()
	t.options.Grace = a.grace
	// The reading ends at the limit. A training has the limit in its options, and ends with a model.
	reading, cancel := untilLimit(ctx, t.options.MaxTime, began)
	defer cancel()
	src, test, err := t.openInputs(reading, a.opener, a.console)
	if err != nil {
		return err
	}
	defer src.Close()
	defer limitHeap(&t.options)()
	// p is nil in a quiet run.
	p := newProgress(a.messages, t.quiet)
	if p != nil {
		if len(t.taus) > 1 {
			p.noun = "regressor"
		}
		t.options.Recorder = p
	}
	if t.results.trace != "" {
		f, err := openTrace(t.results.trace, t.options.Resume)
		if err != nil {
			return err
		}
		defer f.Close()
		// The trace records each iteration and passes it on to the progress.
		t.options.Recorder = &report.Recorder{To: f, Next: t.options.Recorder}
	}
	// From here on, the flags matter only through these values.
	r := &trainRun{
		options: &t.options, rows: p.countRows(src), files: t.rows.paths, progress: p, test: test,
		write: modelWriter{cleanup: a.cleanup, stdout: a.stdout, options: &t.options, columns: src.Columns()},
		report: trainReport{console: a.console, start: a.start, json: t.json, model: t.results.model, test: t.test.path,
			kernels: t.options.Kernels, costGiven: t.costs.given, views: src.Views()},
	}
	switch {
	case path.asked():
		return r.trainPath(ctx, path, append(t.files(), t.init), a.team)
	// A stream has no end of its own, so the limit ends its reading, too.
	case stream.asked():
		return r.trainStream(reading, stream, t.results)
	}
	// A path and a stream have many models, and the same advice for each of them would hide their
	// reports.
	r.report.columns = adviseColumns(t.rows.paths, t.rows.read)
	return r.trainOne(ctx, began, t.folds, t.results)
}
