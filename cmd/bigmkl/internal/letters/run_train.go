package letters

import (
	"context"
	"io"
	"strconv"

	"bigmkl/internal/atomicfile"
	"bigmkl/internal/fail"
	"bigmkl/internal/libsvm"
	"bigmkl/predict"
)

// runTrain is svm-train. svm-train has the same order: a cross-validation writes no model, and prints
// its figures.
// The error of a model above its gap is an *Unsure, which the command turns into an exit code.
func runTrain(ctx context.Context, p *Process, args []string) error {
	o, err := parseTrain(args)
	if err != nil {
		return err
	}
	if o.install != "" {
		return Install(o.install, p.Stdout)
	}
	// The options were parsed, so the message can name the equivalent.
	if o.kind == libsvm.NuSVC || o.kind == libsvm.NuSVR {
		return rejectNu(o)
	}
	if o.folds == 0 {
		if err := p.Check(o.model, o.data); err != nil {
			return err
		}
	}
	defer p.LimitHeap()()
	// The rows are read once, for all trainings.
	t, err := newTrainer(ctx, p, o)
	if err != nil {
		return err
	}
	if o.folds > 0 {
		return t.validate(ctx)
	}
	s, err := t.train(ctx, t.problem.all())
	if err != nil {
		return err
	}
	// The report comes before the probabilities, which take several further trainings.
	if err := s.report(p, o); err != nil {
		return err
	}
	// Sigmoids of classes are already in the solution. This adds the probabilities of other kinds.
	if err := addProbability(ctx, t, s); err != nil {
		return err
	}
	if err := p.write(o.model, s.model.Write); err != nil {
		return err
	}
	// A model above its gap is written, and the error makes it visible for scripts.
	return s.sure("the model is written")
}

// rejectNu returns the error of a formulation by nu, with its equivalent. Each solution of a
// formulation by nu is a solution by C for some C, so no second solver is needed. Their users get the
// equivalent options.
func rejectNu(o *options) error {
	if o.kind == libsvm.NuSVC {
		return fail.New(fail.Usage, "-s 1 (nu-SVC) is not available").
			WithHint("-s 0 with the C that svm-train -s 1 prints has the same solution")
	}
	return fail.New(fail.Usage, "-s 4 (nu-SVR) is not available").
		WithHint("-s 3 with the same C and -p of the epsilon that svm-train -s 4 prints has the same solution")
}

// write writes a file that appears whole or not at all.
func (p *Process) write(path string, content func(io.Writer) error) error {
	// An interrupt removes the unfinished file.
	p.Target(path)
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := content(f); err != nil {
		return err
	}
	return f.Commit()
}

// predictOptions are the options of predictions of the rows of a training.
// Predictions of rows of the training have the same limits as the training.
func (t *trainer) predictOptions() predict.Options {
	return predict.Options{Heap: t.process.Heap, Threads: t.threads, Memory: t.memory}
}

// short is a number in the format %g of C.
func short(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
