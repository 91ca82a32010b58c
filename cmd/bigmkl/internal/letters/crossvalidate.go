package letters

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"bigmkl/chunking"
	"bigmkl/internal/host"
	"bigmkl/internal/libsvm"
)

// Folds are dealt out to two chains that run at the same time, each with half of the threads and of the
// memory, if the rows are so few that the threads of one training would mostly wait for each other. In
// a chain a training starts from the one before. The chain of a fold depends on the rows alone, so
// predictions are the same for any number of threads.

// fewRows is the number of rows up to which there are two chains.
const fewRows = 1 << 14

// crossValidate predicts each row by a training without its fold. It returns the predictions and, of each fold that
// has rows, its training. Rows outside of all folds do not exist, so each row gets exactly one
// prediction.
func (t *trainer) crossValidate(ctx context.Context, folds int, r *random) ([]float64, []*solution, error) {
	n := t.problem.rows()
	// LIBSVM has the same warning and the same remedy.
	if folds > n {
		t.process.Warn("warning: # folds (%d) > # data (%d): each row is a fold", folds, n)
		folds = n
	}
	// r draws the folds. The random numbers are LIBSVM's, so the folds are the same.
	c := &crossing{trainer: t, list: drawFolds(t.problem, folds, t.options.kind == libsvm.CSVC, r),
		predictions: make([]float64, n), solutions: make([]*solution, folds)}
	chains := 1
	if n <= fewRows && folds > 2 {
		chains = 2
	}
	// The first fault of a chain ends the other one, too.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	faults := make([]error, chains)
	var running sync.WaitGroup
	for k := range chains {
		running.Go(func() {
			if faults[k] = c.chain(ctx, k, chains); faults[k] != nil {
				cancel()
			}
		})
	}
	running.Wait()
	// The end of one chain cancels the other, whose error is not informative.
	for _, err := range faults {
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, nil, err
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, nil, context.Canceled
	}
	return c.predictions, slices.DeleteFunc(c.solutions, func(s *solution) bool { return s == nil }), nil
}

// crossing is one cross-validation. Chains write different places of its slices.
type crossing struct {
	*trainer
	// list has the rows of each fold. A fold can be empty, and its solution is then nil.
	list        [][]int32
	predictions []float64
	solutions   []*solution
}

// chain trains once for each of the folds k, k + chains, k + 2 chains, .., without the rows of that
// fold.
func (c *crossing) chain(ctx context.Context, k, chains int) error {
	// The copies change threads and memory for this chain alone.
	t, own := *c.trainer, *c
	own.trainer = &t
	// Chains share nothing that a training writes: each has its threads, its memory and a copy
	// of the trainer.
	t.threads = max(1, runtime.GOMAXPROCS(0)/chains)
	t.memory, t.kept = host.Budget()/int64(chains), t.kept/int64(chains)
	heap := *t.process
	// Each chain reports its own heap, and the process needs the sum.
	heap.Heap = func(bytes int64) { c.process.Heap(bytes * int64(chains)) }
	t.process = &heap
	// g is nil if folds share nothing.
	g, err := openTogether(ctx, &t)
	if err != nil {
		return err
	}
	defer g.close()
	for f := k; f < len(c.list); f += chains {
		out := c.list[f]
		// The rows are in the order of the classes. Among classes with equally many votes, the first
		// one in this order wins.
		rest := slices.Concat(slices.Concat(c.list[:f]...), slices.Concat(c.list[f+1:]...))
		// A single fold leaves no rows to train on.
		if len(rest) == 0 || len(out) == 0 {
			continue
		}
		if c.solutions[f], err = own.fold(ctx, g, out, rest); err != nil {
			return err
		}
	}
	return nil
}

// fold trains without a fold and predicts its rows, on what the folds share if they share anything.
// out are the rows of the fold, rest all others.
func (c *crossing) fold(ctx context.Context, g *together, out, rest []int32) (*solution, error) {
	if g != nil {
		return g.fold(ctx, out, rest, c.predictions)
	}
	s, err := c.train(ctx, rest)
	if err != nil {
		return nil, err
	}
	return s, c.predictRows(ctx, s.model, out)
}

// predictRows predicts rows of the problem by the model of LIBSVM, as svm-predict would after
// reading the file. Labels of probabilities may differ from labels of votes.
func (c *crossing) predictRows(ctx context.Context, m *libsvm.Model, rows []int32) error {
	p, err := newPredictor(m)
	if err != nil {
		return err
	}
	d, k := newDecider(&m.Head), 0
	return p.decide(ctx, c.problem.asked(rows), c.predictOptions(), func(_ float64, values []float64) error {
		// Decisions come in the order of the rows.
		v := &c.predictions[rows[k]]
		if k++; m.HasClasses() && d.hasProbabilities() {
			*v, _ = d.probabilities(values)
		} else {
			*v = d.predict(values)
		}
		return nil
	})
}

// validate is svm-train -v. svm-train prints squared errors for a regression and an accuracy for all
// other formulations, one class included.
func (t *trainer) validate(ctx context.Context) error {
	// Equal seeds give equal folds in each run, as in LIBSVM.
	predictions, solutions, err := t.crossValidate(ctx, t.options.folds, newRandom())
	if err != nil {
		return err
	}
	for _, s := range solutions {
		if err := s.report(t.process, t.options); err != nil {
			return err
		}
	}
	// Both figures are collected, and one is printed.
	m, right := moments{}, 0
	for i, v := range predictions {
		m.add(v, t.problem.target[i])
		if v == t.problem.target[i] {
			right++
		}
	}
	if t.options.kind == libsvm.EpsilonSVR || t.options.kind == libsvm.NuSVR {
		err = m.printMoments(t.process.Stdout, "Cross Validation Mean squared error = %.6g\n"+
			"Cross Validation Squared correlation coefficient = %.6g\n")
	} else {
		_, err = fmt.Fprintf(t.process.Stdout, "Cross Validation Accuracy = %.6g%%\n", 100*float64(right)/float64(len(predictions)))
	}
	if err != nil {
		return err
	}
	// One training above its gap makes the figures uncertain, so the first one is reported.
	for _, s := range solutions {
		if s.status != chunking.Converged {
			return s.sure("the figures are of what was reached")
		}
	}
	return nil
}
