package letters

import (
	"context"
	"math"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/fail"
	"bigmkl/internal/libsvm"
)

// trainer trains on rows of a problem, which are all in memory: LIBSVM's formats need the rows
// again for the model file and for each fold.
type trainer struct {
	process *Process
	options *options
	problem *problem
	// spec is LIBSVM's kernel in the grammar of --kernels.
	spec    string
	table   *table // of a precomputed kernel
	scratch string // the folder of scratch files
	// threads and memory are what a training may take; 0 is all there is.
	threads int
	memory  int64
	// kept is the part of the memory that the rows of the problem take.
	kept int64
}

// newTrainer reads the data and checks that they go with the options.
func newTrainer(ctx context.Context, process *Process, o *options) (*trainer, error) {
	// The problem has all rows of the file, and folds refer to them by their numbers.
	p, err := readProblem(ctx, o.data)
	if err != nil {
		return nil, err
	}
	// LIBSVM's default of gamma is 1 over the number of features.
	if o.kernel.Gamma == 0 && p.last > 0 {
		o.kernel.Gamma = 1 / float64(p.last)
	}
	t := &trainer{process: process, options: o, problem: p, kept: p.bytes()}
	p.first = p.firstIndex()
	if t.spec, err = specOf(o.kernel); err != nil {
		return nil, err
	}
	if o.kernel.Kind == libsvm.Precomputed {
		// Feature 0 of a row of LIBSVM is the number of the row, and features 1 to n are its kernel values.
		p.serial, p.first = true, 0
		if t.table, err = newTable(p); err != nil {
			return nil, at(err, o.data)
		}
		t.kept += 4 * int64(len(p.value)) // The matrix has them, too.
	}
	// LIBSVM warns of a weight without rows and trains. So does this program.
	if o.kind == libsvm.CSVC && o.weights != nil {
		_, missing := groupClasses(p, p.all()).weights(o.weights)
		for _, label := range missing {
			process.Warn("warning: class label %d specified in weight is not found", label)
		}
	}
	t.scratch, err = process.Scratch()
	return t, err
}

// at enters the file in the place of an error.
// Faults of a row have a line already. The name of the file is known only here.
func at(err error, path string) error {
	if f, ok := err.(*fail.Error); ok && f.File == "" {
		return f.At(path, f.Line, f.Column)
	}
	return err
}

// train trains on some rows, in their order. An interrupted training has no result.
// C-SVC may have several classes, each pair with a classifier of its own. The other kinds have one
// function.
func (t *trainer) train(ctx context.Context, rows []int32) (*solution, error) {
	o := t.options
	if o.kind == libsvm.CSVC {
		return t.trainClasses(ctx, rows)
	}
	return t.trainOne(ctx, rows)
}

// common returns the options that all trainings have. LIBSVM has one kernel, which is given as
// it is: no scaling, no normalisation, and p = 2, at which its weight is 1.
func (t *trainer) common(rows []int32) bigmkl.Options {
	// Kept counts the rows in memory against the budget, which the library does not see otherwise.
	o := bigmkl.Options{Kernels: t.spec, Norm: 2, C: t.options.cost, Gap: t.options.gapOf(t.problem, rows),
		Normalize: "none", Scale: dataset.ScaleNone, Scratch: t.scratch, Heap: t.process.Heap,
		Threads: t.threads, Memory: t.memory, Kept: budget.Kept{Memory: t.kept}}
	// The matrix is a kernel of user code, since it lies in memory and not in a .npy file.
	if t.table != nil {
		o.UserKernels = map[string]bigmkl.UserKernel{tableKernel: t.table}
	}
	return o
}

// run trains with options. It returns the error of ctx if that ends the training.
// The caller closes the model. m of an interrupted training is closed here.
func (t *trainer) run(ctx context.Context, s *rowSource, o bigmkl.Options) (*bigmkl.Model, *bigmkl.Result, error) {
	m, r, err := bigmkl.Train(ctx, s, o)
	if err != nil {
		return nil, nil, at(err, t.problem.path)
	}
	if r.Status == chunking.Interrupted {
		m.Close()
		return nil, nil, context.Canceled
	}
	return m, r, nil
}

// trainOne trains a regression or a model of one class. LIBSVM's dual variables of one class sum to nu
// n, and here they sum to 1: scale converts them. Objectives are quadratic in dual variables, so their
// factor is its square.
func (t *trainer) trainOne(ctx context.Context, rows []int32) (*solution, error) {
	o, asked, label := t.options, t.numberOptions(rows), labeller(t.problem.targetRow)
	scale := 1.0 // of dual variables
	if o.kind == libsvm.OneClass {
		asked.Task, asked.Nu = bigmkl.TaskOneClass, o.nu
		scale, label = o.nu*float64(len(rows)), nil
	}
	m, r, err := t.run(ctx, t.problem.source(rows, label), asked)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	s := newSolution(o, &m.Model, r)
	// LIBSVM's decision function is sum alpha_i k(x_i, x) - rho, so rho = -bias. It writes 2 classes for
	// these kinds.
	s.model.Classes, s.model.Rho = 2, []float64{-m.Bias * scale}
	f := function{iterations: r.Iterations, nu: math.NaN(), objective: -m.Certificate.Dual * scale * scale, rho: -m.Bias * scale}
	// most is the upper bound of a dual variable: C for regression, and 1 for LIBSVM's one class.
	most := 1.0
	if o.kind == libsvm.EpsilonSVR {
		most = o.cost
	}
	// LIBSVM prints nu = sum |alpha_i| / (C n) of a regression.
	sum := 0.0
	for k, i := range m.Support {
		alpha := m.Alpha[k] * scale
		index, value := t.problem.vector(rows[i])
		s.model.Add([]float64{alpha * m.Theta[0]}, index, value)
		sum += math.Abs(alpha)
		f.count(alpha, most)
	}
	if o.kind == libsvm.EpsilonSVR {
		f.nu = sum / (o.cost * float64(len(rows)))
	}
	s.model.Vectors, s.functions = len(m.Support), []function{f}
	// room bounds the difference of objectives, so it has their factor.
	s.room *= scale * scale
	return s, nil
}

// numberOptions are the options of a regression.
func (t *trainer) numberOptions(rows []int32) bigmkl.Options {
	o := t.common(rows)
	o.Task, o.Epsilon = bigmkl.TaskSVR, t.options.tube
	if t.options.tube == 0 {
		// The library would take 0 for its default.
		o.Epsilon = bigmkl.Zero
	}
	return o
}

// classOptions are the options of a training of classes.
func (t *trainer) classOptions(c *classes, rows []int32) bigmkl.Options {
	o := t.common(rows)
	o.Task = bigmkl.TaskClass
	// The first label in the file is LIBSVM's positive class.
	if o.Multiclass = bigmkl.OneVsOne; len(c.labels) == 2 {
		o.Multiclass, o.Positive = "", []string{c.name(0)}
	}
	// Factors multiply C for the rows of a class. Factors of 1 are left out, so an ordinary problem has no
	// map.
	factors, _ := c.weights(t.options.weights)
	for k, f := range factors {
		if f != 1 {
			if o.ClassWeight == nil {
				o.ClassWeight = map[string]float64{}
			}
			o.ClassWeight[c.name(k)] = f
		}
	}
	if t.options.probability {
		o.Folds, o.SharedPreparation = probabilityFolds, true // No scale, width or factor comes from the rows.
	}
	return o
}

// probabilityFolds is the number of folds from which probabilities are learned. LIBSVM has the same
// number.
const probabilityFolds = 5
