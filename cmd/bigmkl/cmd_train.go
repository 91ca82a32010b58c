package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/dataset"
	"bigmkl/evaluate/score"
	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
	"bigmkl/model"
	"bigmkl/train"
)

const defaultFolds = 5 // as LIBSVM has it

// training is the train command.
type training struct {
	*app
	options  bigmkl.Options
	norm     normFlags
	read     dataset.ReadOptions
	costly   bool // -C was given
	folds    int
	likely   bool // probabilities
	views    string
	init     string
	test     string
	gramTest []string
	out      string
	thetaOut string
	json     bool
	quiet    bool
	path     path
	planned  bool // by the plan command, which writes nothing
	began    time.Time
	data     []string
}

func (a *app) trainCommand() *cobra.Command {
	t := &training{app: a}
	c := &cobra.Command{
		Use:   "train [flags] -o MODEL DATA...",
		Short: "Train a model and write it",
		Long: "Train reads libsvm/svmlight text (plain, gzip or zstd; - is standard input), learns a machine together with the weights of\n" +
			"its kernels, and writes the model with a certificate: the relative duality gap of this very model.\n\n" +
			"The data have two classes, unless --task says otherwise. --multiclass trains several machines for more: ovr sets each class\n" +
			"against the rest, ovo each against each other; labels takes rows with sets of labels, as in \"3,17 1:0.5 ..\", where a row that\n" +
			"begins with its features has none. Each machine has weights, a bias and a gap of its own.\n\n" +
			"Kernels: gauss:V laplace:V chi2:V linear poly:D[:GAMMA:COEF] sigmoid:V[:COEF] intersection precomputed:FILE, where V\n" +
			"is a number, a range 2^-10..2^2 (doubling) or 0.001..10/50 (50 geometric steps), or auto/10 (ten around the median\n" +
			"distance), or mean/10 (the mean). Sequences, in FASTA (>name label=1) or in lines of a label and a sequence, have\n" +
			"spectrum:K[:MISMATCHES] and wd:D[:shift=S]. A suffix chooses features, or positions:\n" +
			"@1-76 @3+17+44 @VIEW @each-view @each-feature @random:10*1000.\n" +
			"prod(A,B) is the product of kernels and pow(A,3) a power: --kernels \"gauss:auto/10,prod(gauss:auto@1-76,poly:2@77-292)\".\n\n" +
			"Behind a kernel, after a blank, may stand group=NAME, for --group-norm, and prior=V or cost=V, which multiply or divide its\n" +
			"a priori importance, and norm=none, multiplicative or spherical, which is --normalize for its kernels alone:\n" +
			"--kernels \"gauss:auto/10@pix group=pix,linear group=all prior=2\".\n\n" +
			"--norm is the block norm p of the literature on l_p MKL; --theta-norm q is the norm on the weights, q = p/(2-p).\n\n" +
			"--path-norm and --path-C train one model for each combination, reading the data once and starting each from the last.",
		Example: "  bigmkl train -o adult.model a9a.gz\n" +
			"  bigmkl train --kernels gauss:2^-10..2^2,linear --norm 1 -C 10 --test a9a.t -o adult.model a9a.gz\n" +
			"  bigmkl train --multiclass ovr --test pendigits.t -o digits.model pendigits\n" +
			"  zcat huge.gz | bigmkl train --memory 1GiB --scale minmax -o huge.model -\n" +
			"  bigmkl train --path-C 0.1..100/7 --path-norm 1,4/3,2 --test a9a.t -o 'adult-%p-%C.model' a9a.gz",
	}
	f := flagsOf(c)
	t.define(f)
	t.pathFlags(f)
	c.RunE = func(_ *cobra.Command, args []string) error {
		t.data = args
		if err := errors.Join(f.err(), t.check(f), t.checkPath(f)); err != nil {
			return err
		}
		return t.run(c.Context())
	}
	return c
}

// define defines the flags of training.
func (t *training) define(f *flags) {
	o := &t.options
	bankFlags(f, o, &t.views, "multiplicative")
	readFlags(f, &t.read)
	weightFlag(f, &t.read)
	t.norm.define(f, o)
	add(f, &o.C, "C,C", "C", "1", parsePositive, "cost of the loss")
	add(f, &o.Gap, "gap", "GAP", "1e-3", parseGap, "relative duality gap to reach")
	add(f, &o.Precision, "precision", "BITS", "auto", oneOf("auto", "32", "64"), "arithmetic of the kernels: auto, 32 or 64")
	add(f, &o.Task, "task", "TASK", "class", oneOf(model.Tasks...), "what to learn: class, svr or square (regression by the epsilon-insensitive or squared loss), or oneclass")
	add(f, &o.Solver, "solver", "NAME", "chunking, lbfgs for task square with linear kernels alone", oneOf(bigmkl.Solvers...), "chunking; for task square also lbfgs; wrapper, cpm and cpm-wrapper are there to compare with. All end in the same optimum")
	add(f, &o.Epsilon, "epsilon", "EPS", "0.1", parseEpsilon, "half-width of the tube of svr")
	add(f, &o.Nu, "nu", "NU", "0.5", parsePart, "share of the rows that oneclass may leave out")
	add(f, &o.ClassWeight, "class-weight", "L=W,..", "", parseClassWeights, "factors of the cost of classes, such as +1=2,-1=0.5")
	add(f, &o.Cache, "cache", "MODE", "auto", cache.ParseMode, "which rows to keep: auto, always or never")
	add(f, &o.MaxIterations, "max-iter", "N", "0", parseCount, "stop after so many iterations, 0 for never")
	add(f, &o.MaxTime, "max-time", "TIME", "0", parseDuration, "end the run after so long, reading included, such as 90, 10m or 2h30m; 0 for never")
	f.StringVar(&o.Checkpoint, "checkpoint", "", "keep the state of the run in this `DIR`, to go on from after a kill or an interrupt")
	add(f, &o.CheckpointEvery, "checkpoint-every", "TIME", "5m", parseInterval, "time between two checkpoints, such as 90, 10m or 1h")
	f.BoolVar(&o.Resume, "resume", false, "go on from the last checkpoint; without one, begin")
	add(f, &o.Multiclass, "multiclass", "KIND", "", oneOf(model.Multiclasses...), "several machines in one model: ovr, one for each class against the rest; ovo, for each pair; labels, for each label of sets such as 1,3")
	f.BoolVar(&o.OneTheta, "one-theta", false, "one set of weights for all machines of --multiclass ovr or labels, for p up to 2")
	add(f, &o.Positive, "positive", "L,..", "", parseLabels, "labels that make one class, all others being the second")
	f.BoolVar(&t.likely, "probability", false, "learn to give probabilities, from rows that are held out; predict --probability gives them")
	t.folds = defaultFolds
	add(f, &t.folds, "folds", "K", "5", parseFolds, "train as many times for --probability, without another part of the rows each time")
	f.StringVar(&t.init, "init", "", "start from the dual variables of this `MODEL`")
	f.StringVar(&t.test, "test", "", "evaluate the model on this `FILE`")
	f.StringArrayVar(&t.gramTest, "gram-test", nil, "`FILE` with the n_test x n_train matrix of a precomputed kernel for --test; repeat in order")
	f.StringVarP(&t.out, "out", "o", "", "`MODEL` file to write, - for standard output")
	f.StringVar(&t.thetaOut, "theta-out", "", "write the weights to this .npy `FILE`, of several machines a row for each")
	jsonFlag(f, &t.json)
	quietFlag(f, &t.quiet)
}

// bankFlags defines what train and gram have in common. normalize is its default.
func bankFlags(f *flags, o *bigmkl.Options, views *string, normalize string) {
	o.Normalize = normalize
	f.StringVar(&o.Kernels, "kernels", "", "comma-separated `SPECS`, or @FILE with one a line (default gauss:auto/10, for each view if there are views)")
	add(f, &o.Normalize, "normalize", "KIND", normalize, oneOf("none", "multiplicative", "spherical"), "none, multiplicative or spherical")
	add(f, &o.Scale, "scale", "KIND", "none", dataset.ParseScale, "of features: none, minmax, standard or global")
	add(f, &o.Sequences, "sequences", "ALPHABET", "", dataset.ParseAlphabet, "the data are sequences of dna or bytes (default: dna if there are string kernels)")
	add(f, &o.Store, "store", "LAYOUT", "auto", dataset.ParseLayout, "of the points: dense, sparse, or auto, which goes by the data")
	f.StringVar(views, "views", "", "`FILE` with lines: name first last")
	add(f, &o.Limit, "limit", "N", "0", parseCount, "use the first N rows, 0 for all")
	add(f, &o.Seed, "seed", "SEED", "0", parseSeed, "of random features and samples")
	add(f, &o.Threads, "threads", "N", "0", parseCount, "0 for all processors")
	memoryFlag(f, &o.Memory)
	add(f, &o.Disk, "disk", "BYTES", "", parseDisk, "for all scratch files (default: a quarter of what is free, or as much more as is needed)")
	f.StringVar(&o.Scratch, "scratch", "", "`DIR` for scratch files (default: the system's temporary folder)")
}

func memoryFlag(f *flags, to *int64) {
	add(f, to, "memory", "BYTES", "", parseMemory, "such as 64MiB or 1GiB (default: 70 % of what the machine or its cgroup has)")
}

// check finds what is wrong with the command line as a whole.
func (t *training) check(f *flags) error {
	var faults []error
	check := func(ok bool, hint, format string, args ...any) {
		if !ok {
			faults = append(faults, fail.New(fail.Usage, format, args...).WithHint("%s", hint))
		}
	}
	check(t.out != "" || t.planned, "-o MODEL", "no model file named")
	check(len(t.data) > 0, "- is standard input", "no data file named")
	check(!t.json || !standard(t.out), "write the model to a file", "--json and the model both want standard output")
	check(!standard(t.thetaOut), "name a file", "--theta-out cannot go to standard output")
	check(t.options.Checkpoint != "" || !f.Changed("checkpoint-every"), "--checkpoint DIR", "--checkpoint-every without checkpoints")
	check(!t.planned || !f.Changed("solver") || t.options.Solver == bigmkl.SolverChunking, "leave --solver out", "how long --solver %s takes is not known", t.options.Solver)
	check(t.options.Multiclass == "" || t.init == "", "leave one out", "--init with --multiclass: a model starts from one of as many machines as it has itself, of which there is one")
	check(len(t.gramTest) == 0 || t.test != "", "--test FILE", "--gram-test without rows to test")
	t.norm.check(f, &t.options, check)
	check(!f.Changed("epsilon") || t.options.Task == model.TaskSVR, "--task svr", "--epsilon without its task")
	check(!f.Changed("nu") || t.options.Task == model.TaskOneClass, "--task oneclass", "--nu without its task")
	check(t.likely || !f.Changed("folds"), "--probability", "--folds without probabilities")
	if t.likely {
		t.options.Folds = t.folds
	}
	t.costly = f.Changed("C")
	t.read.Labels = t.options.Labeling()
	faults = append(faults, checkSpecs(t.options.Kernels), t.options.Validate(), t.read.Validate())
	return errors.Join(faults...)
}

// checkSpecs finds faults in kernel specifications before the data are read. Files of them are left to those who read them.
func checkSpecs(list string) error {
	if list == "" || strings.HasPrefix(list, "@") {
		return nil
	}
	_, err := kernelspec.Split(list)
	return err
}

func (t *training) run(ctx context.Context) error {
	t.began, t.options.Grace = time.Now(), grace
	reading, cancel := t.reading(ctx)
	defer cancel()
	src, err := t.prepare(reading)
	if err != nil {
		return err
	}
	defer src.Close()
	defer keepHeap(&t.options)()
	p := newProgress(t.messages, t.quiet)
	if p != nil {
		t.options.Recorder = p
	}
	if t.path.points != nil {
		return t.runPath(ctx, src, p)
	}
	m, r, err := bigmkl.Train(ctx, p.count(src), t.options)
	p.done()
	if err != nil {
		t.tellWarnings(r)
		return inFiles(err, t.data)
	}
	if err := t.save(ctx, m, t.out); err != nil {
		return err
	}
	if t.thetaOut != "" {
		t.cleanup.writing(t.thetaOut)
		if err := writeTheta(t.thetaOut, &m.Model); err != nil {
			return err
		}
	}
	s, err := t.evaluate(ctx, m)
	if err != nil {
		return err
	}
	if err := t.report(m, r, s); err != nil {
		return err
	}
	return t.ending(ctx, m, r, s)
}

// save writes a model, for which there is no more time than for anything else once the run was
// asked to end.
func (t *training) save(ctx context.Context, m *bigmkl.Model, path string) (err error) {
	hard, stop := t.options.Cut(ctx, t.began)
	defer stop()
	t.cleanup.writing(path)
	if standard(path) {
		err = model.Encode(hard, t.stdout, &m.Model)
	} else {
		err = m.Save(hard, path)
	}
	return train.Ended(hard, err, "the model was written")
}

// tellWarnings tells what went wrong in a run without a model. r may be nil.
func (t *training) tellWarnings(r *bigmkl.Result) {
	if r == nil {
		return
	}
	for _, w := range r.Warnings {
		t.complain("warning: %s", w)
	}
}

// inputs are the files that no result may replace. The model to start from is not among them: it is in memory by then.
func (t *training) inputs() []string {
	return append(append(t.data, t.test, t.views, t.norm.weights, t.norm.matrix), t.read.Files()...)
}

// reading is the context of the rows: reading that waits for more of them ends with the limit of
// time, too.
func (t *training) reading(ctx context.Context) (context.Context, context.CancelFunc) {
	if t.options.MaxTime == 0 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, t.began.Add(t.options.MaxTime))
}

// prepare looks at every file before the work begins.
func (t *training) prepare(ctx context.Context) (source, error) {
	for _, out := range []string{t.out, t.thetaOut} {
		if err := checkOutput(out, t.inputs()...); err != nil {
			return nil, err
		}
	}
	if err := settle(&t.options, &t.read, t.views); err != nil {
		return nil, err
	}
	if err := t.norm.read(&t.options.Regularizer); err != nil {
		return nil, err
	}
	if err := t.options.Validate(); err != nil { // of what has been read
		return nil, err
	}
	if t.init != "" {
		m, err := bigmkl.Load(t.init)
		if err != nil {
			return nil, err
		}
		t.options.Init = m
	}
	if t.test != "" {
		test, err := t.openTest(ctx)
		if err != nil {
			return nil, err
		}
		test.Close()
	}
	return t.begin(ctx, &t.options, t.data, t.read)
}

func (t *training) openTest(ctx context.Context) (source, error) {
	if t.test == "-" {
		return nil, fail.New(fail.Usage, "--test wants a file")
	}
	return t.open(ctx, []string{t.test}, dataset.ReadOptions{TrustCompressed: t.read.TrustCompressed, Labels: t.read.Labels, Sequences: t.read.Sequences})
}

// evaluate predicts the test file; nil if there is none, or no time for it.
func (t *training) evaluate(ctx context.Context, m *bigmkl.Model) (*score.Score, error) {
	if t.test == "" || ctx.Err() != nil {
		return nil, nil
	}
	src, err := t.openTest(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	s, err := score.Of(ctx, m, src, bigmkl.PredictOptions{Threads: t.options.Threads, Gram: t.gramTest, Probability: m.Sigmoids != nil})
	if errors.Is(err, context.Canceled) {
		return nil, nil
	}
	return s, err
}
