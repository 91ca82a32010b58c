package command

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/kernelspec"
	"bigmkl/report"
)

// newTrainCommand defines the train command.
func newTrainCommand(a *app) *cobra.Command {
	t := &trainCommand{app: a}
	path := &trainPath{trainCommand: t}
	stream := &trainStream{trainCommand: t}
	c := &cobra.Command{
		Use:   "train [flags] -o MODEL DATA...",
		Short: "Train a model and write it",
		Long: "Train reads libsvm/svmlight text, which may be compressed by gzip or zstd (- is standard input),\n" +
			"tables (.csv, .tsv, .parquet; labels in --label COLUMN), and arrays: .npy (labels in --labels),\n" +
			"and .npz with labels in y, dense or sparse (CSR). Several files of text are more rows.\n" +
			"Several arrays are views of the same rows, named by their files or as NAME=FILE. Words in a table\n" +
			"become a feature each, and predict and verify find its columns by their names.\n\n" +
			"It learns a classifier together with the weights of its kernels, and writes the model with a\n" +
			"certificate, which is the relative duality gap of this model.\n\n" +
			"The data have two classes unless --task says otherwise. --multiclass trains several machines for\n" +
			"more classes: ovr separates each class from the rest, ovo each pair of classes. With labels, each\n" +
			"row may have several labels, for example \"3,17 1:0.5\"; a row that starts with a feature has none.\n" +
			"Each machine has weights, a bias and a gap of its own. With single, one machine has a function for\n" +
			"each class under one set of weights, and holds that of a row's class against each other.\n\n" +
			"Kernels: " + kernelspec.Forms + "\n" +
			"precomputed:FILE. For gauss V is gamma of exp(-gamma d^2), which is 1/(2 sigma^2) and not sigma.\n" +
			"It is a number, a range such as 2^-10..2^2 (doubling) or 0.001..10/50 (50 geometric steps),\n" +
			"auto/10 (ten values around the median distance) or mean/10 (around the mean distance).\n" +
			"String kernels are spectrum:K[:MISMATCHES] and wd:D[:shift=S]; they need sequences as FASTA\n" +
			"(>name label=1) or as lines of a label and a sequence. A suffix selects features or positions:\n" +
			"@1-76 @3+17+44 @VIEW @each-view @each-feature @random:10*1000.\n" +
			"prod(A,B) is the product of kernels and pow(A,3) a power, as in\n" +
			"--kernels \"gauss:auto/10,prod(gauss:auto@1-76,poly:2@77-292)\".\n" +
			"proj(gauss:0.5,2) learns two directions that it sees of all features, proj(poly:2,3) three, and\n" +
			"proj(gauss:0.5,diag) a scale of each feature. Other kernels may stand beside it; several machines\n" +
			"share it with --one-gate.\n" +
			"pair(gauss:0.5,1-10,11-20) compares rows that are pairs of objects, in either order.\n\n" +
			"After a kernel, add a space and any of group=NAME (for --group-norm), prior=V (it multiplies the\n" +
			"importance of the kernel), cost=D and norm=none, norm=multiplicative, norm=spherical or norm=centred\n" +
			"(--normalize for this kernel alone), as in\n" +
			"--kernels \"gauss:auto/10@pix group=pix,linear group=all prior=2\".\n\n" +
			"--posteriors is for labels that are uncertain: a row is held to 2 Pr - 1, where Pr is the\n" +
			"probability that it is of the positive class, and rows within 0.001 of Pr = 1/2 are left out.\n" +
			"One machine for all classes takes Pr of every class: their differences are its margins.\n\n" +
			"--norm is the block norm p of the literature on l_p MKL. --theta-norm is the norm q on the\n" +
			"weights, where q = p/(2-p).\n\n" +
			"cost=D is what it costs to evaluate the kernel, or to acquire the view that it sees. The norm is\n" +
			"that of D ||w||, so that dear kernels must pay, and sum D^2 theta = 1 at p = 1; --cost-power G puts\n" +
			"D^G in place of D. plan says how long values of the kernels take, and inspect what a model costs.\n\n" +
			"--weights takes fixed weights from a file, or by a rule: rule:align, alignf, kandola:L, frobenius or\n" +
			"fsm from pairs of rows, accuracy:T, correlation or mse from rows that each kernel alone was not\n" +
			"trained on.\n\n" +
			"--path-norm, --path-cost and --path-C train one model for each combination. They read the data\n" +
			"once, and each training starts from the model before it.\n\n" +
			"--stream takes rows as they come, --every N of them at a time, and writes the model after each\n" +
			"batch. Each training goes on from the one before. The first batch decides about scaling, widths\n" +
			"and normalisation. --window N forgets all but the newest rows; --checkpoint DIR saves rows and\n" +
			"state, from which --resume goes on with other rows. --continue MODEL takes options and kernels\n" +
			"from a model and its support vectors for the rows that it was trained on: these and the rows of\n" +
			"DATA are what the new model is about, and bigmkl verify NEW MODEL DATA confirms it.",
		Example: "  bigmkl train -o adult.model a9a.gz\n" +
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
