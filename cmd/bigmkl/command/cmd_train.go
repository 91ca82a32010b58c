package command

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/report"
	"bigmkl/train"
)

// newTrainCommand defines the train command.
func newTrainCommand(a *app) *cobra.Command {
	t := &trainCommand{app: a}
	path := &trainPath{trainCommand: t}
	stream := &trainStream{trainCommand: t}
	c := &cobra.Command{
		Use:   "train [flags] -o MODEL DATA...",
		Short: "Train a model and write it",
		Long: "Train learns a classifier or a regression together with the weights of its kernels. It writes a\n" +
			"model with a certificate, the relative duality gap, which bounds the distance from the optimum.\n" +
			"The data are LIBSVM text, tables, arrays or sequences (bigmkl help tables). bigmkl help kernels\n" +
			"explains --kernels.",
		Example: "  bigmkl train --label disease --kernels gauss:auto/5@each-view -o heart.model heart.csv\n" +
			"  bigmkl train --kernels gauss:2^-10..2^2,linear --norm 1 -C 10 --test a9a.t -o adult.model a9a.gz\n" +
			"  bigmkl train --multiclass ovr --test pendigits.t -o digits.model pendigits\n" +
			"  zcat huge.gz | bigmkl train --memory 1GiB --scale minmax -o huge.model -\n" +
			"  bigmkl train --label diagnosis --id name --scale standard -o m.model patients.csv\n" +
			"  bigmkl train --kernels gauss:auto/5@each-view -o m.model --labels y.npy expr=e.npy mut=m.npz\n" +
			"  bigmkl train --path-C 0.1..100/7 --path-norm 1,4/3,2 --test a9a.t -o 'adult-%p-%C.model' a9a.gz\n" +
			"  tail -n +1 -f log | bigmkl train --stream --every 10000 --window 100000 -o m.model -\n" +
			"  bigmkl train --continue m.model -o new.model more.libsvm",
	}
	f := newFlags(c)
	t.defineFlags(f)
	path.definePathFlags(f)
	stream.defineStreamFlags(f)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := t.readArguments(f, args); err != nil {
			return err
		}
		if err := stream.readModel(f); err != nil {
			return err
		}
		if err := errors.Join(f.err(), t.checkFlags(f), path.checkPathFlags(f)); err != nil {
			return err
		}
		if err := stream.checkStreamFlags(f, path); err != nil {
			return err
		}
		if err := t.checkTeam(stream); err != nil {
			return err
		}
		return t.run(c.Context(), path, stream)
	}
	return c
}

// Grace is the time that the iteration in progress and the writing of the model have after the
// first signal. The rest of lastMoment is left for a checkpoint of a training that had to be cut.
const Grace = 4 * time.Second

// run opens the inputs and trains one model, or all models of a path or a stream.
func (t *trainCommand) run(ctx context.Context, path *trainPath, stream *trainStream) error {
	t.began, t.options.Grace = time.Now(), t.grace
	reading, cancel := t.readingContext(ctx)
	defer cancel()
	src, err := t.openInputs(reading)
	if err != nil {
		return err
	}
	defer src.Close()
	defer limitHeap(&t.options)()
	p := newProgress(t.messages, t.quiet)
	if p != nil {
		t.options.Recorder = p
	}
	if t.trace != "" {
		f, err := openTrace(t.trace, t.options.Resume)
		if err != nil {
			return err
		}
		defer f.Close()
		t.options.Recorder = &report.Recorder{To: f, Next: t.options.Recorder}
	}
	if path.points != nil {
		return path.trainAll(ctx, src, p)
	}
	if stream.stream || stream.from != "" {
		return stream.trainAll(reading, src, p)
	}
	return t.trainOne(ctx, src, p)
}

// trainOne trains one model, writes it and reports on it.
func (t *trainCommand) trainOne(ctx context.Context, src source, p *progress) error {
	m, r, err := t.fit(ctx, p.countRows(src))
	p.finish()
	if err != nil {
		t.printWarnings(r)
		adviseCheckpoint(err, t.options.Checkpoint == "" && t.options.Folds == 0 && !t.conformal.asked)
		return nameFiles(err, t.data)
	}
	defer m.Close()
	if err := t.writeModel(ctx, m); err != nil {
		return err
	}
	if err := t.savePosteriors(r); err != nil {
		return err
	}
	s, err := t.evaluateTest(ctx, m)
	if err != nil {
		return afterModel(err, t.out)
	}
	if err := t.reportModel(m, r, s); err != nil {
		return err
	}
	return t.exitErrorOf(ctx, m, r, s)
}

// adviseCheckpoint has the error of a training that was cut name --checkpoint. possible says that the run has none and could have one.
func adviseCheckpoint(err error, possible bool) {
	var u *bigmkl.Unfinished
	if errors.As(err, &u) && u.While == train.InProgress && possible {
		u.Advice = "--checkpoint DIR keeps the state of a training that is cut, and --resume continues there"
	}
}

// writeModel writes a model and, if they were asked for, its weights.
func (t *trainCommand) writeModel(ctx context.Context, m *bigmkl.Model) error {
	if err := t.saveModel(ctx, m, t.out); err != nil {
		return err
	}
	if t.thetaOut == "" {
		return nil
	}
	t.cleanup.addTarget(t.thetaOut)
	return writeTheta(t.thetaOut, &m.Model)
}

// savePosteriors writes the probabilities that rows got while they were held out, if that was asked
// for and the run came to them.
func (t *trainCommand) savePosteriors(r *bigmkl.Result) error {
	if t.posteriorsOut == "" || r.Folding.Posteriors == nil {
		return nil
	}
	t.cleanup.addTarget(t.posteriorsOut)
	return writePosteriors(t.posteriorsOut, r.Folding.Posteriors)
}
