package predict

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"sync"

	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/budget"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// Prepared is a model whose decision functions are ready. To prepare them looks at all support
// vectors, which pays for itself only if many predictions follow, as they do in a server. Its
// methods may be called at the same time, as long as nobody closes the model.
type Prepared struct {
	prepared
	calls int
	// idle holds predictors that no call uses, because their memory serves the next call.
	idle sync.Pool
}

// prepared is what all predictions with a model and its options share. Nothing in it changes.
type prepared struct {
	model  *Model
	memory *predictMemory
	// function has one output for each classifier, and bias the bias of each output.
	function    *gradient.Function
	bias        []float64
	double      bool // kernels are evaluated in double precision
	gates       *modelGates
	probability bool             // probabilities are estimated
	sorted      bool             // quantiles of a row are sorted
	missing     *dataset.Missing // views that the rows of each call lack
	objects     *objects.Set     // that the rows name; nil if they have features
}

// Prepare prepares the decision functions for many predictions. Options.Threads is the number of
// calls of Predict that are to compute at the same time, each in the goroutine of its caller, and
// Options.Memory is for all of them; Calls states how many the memory allows. Rows of precomputed
// kernels cannot be predicted, because their matrices belong to one sequence of rows.
func (m *Model) Prepare(ctx context.Context, o Options) (*Prepared, error) {
	if _, err := newTestMatrices(m, nil); err != nil && m.Objects == nil {
		return nil, fail.New(fail.Usage, "rows of precomputed kernels have no features").
			WithHint("predict --gram-test takes their matrices")
	}
	r, err := m.prepareModel(ctx, o)
	if err != nil {
		return nil, err
	}
	p := &Prepared{prepared: *r, calls: r.memory.threads}
	if p.missing, err = o.missingOf(m); err != nil {
		return nil, err
	}
	p.function.Threads = 1
	p.memory = &predictMemory{threads: 1, rows: r.memory.rows / int64(p.calls)}
	p.idle.New = func() any { return p.newPredictor() }
	return p, nil
}

// Calls returns how many calls of Predict the memory budget allows at the same time. It is at least
// 1. The caller has to keep to it.
func (p *Prepared) Calls() int { return p.calls }

// Predict reads src to its end and calls emit for each row in order, with the same bits and errors
// as Model.Predict. Nothing is allocated for a row once a call has had as many.
func (p *Prepared) Predict(ctx context.Context, src dataset.Source,
	emit func(Prediction) error) error {
	s := p.idle.Get().(*predictor)
	s.done = 0
	err := s.predictRows(ctx, p.objects.Check(p.model.Input().Source(src, p.missing)), emit)
	// A predictor whose call has panicked is not used again, because it may be in any state.
	p.idle.Put(s)
	return err
}

// prepareModel prepares the decision functions within the memory budget. The checks come in the
// order of what they need: first the counts in the file, then the expansion of the kernels, then
// the kernels.
func (m *Model) prepareModel(ctx context.Context, o Options) (*prepared, error) {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Probability && m.Sigmoids == nil {
		return nil, fail.New(fail.Usage, "the model gives no probabilities").
			WithHint("bigmkl config --of MODEL > again.toml, then bigmkl train --config again.toml --probability -o NEW DATA")
	}
	if o.NoCrossing && m.Multiclass != model.Quantiles {
		return nil, fail.New(fail.Usage, "quantiles that do not cross, and the model has not several quantiles").
			WithHint("train --task quantile --tau 0.1,0.5,0.9")
	}
	o.setMemory()
	r := &prepared{model: m, probability: o.Probability, sorted: o.NoCrossing, objects: o.objectsOf(m)}
	// The guard turns an access to a model file that has become shorter into an error.
	if err := m.Guard(func() error { return r.prepareFunction(ctx, &o) }); err != nil {
		r.gates.close()
		return nil, err
	}
	// Gates are other ones at every row, so there is no profile of kernels with gates.
	if r.gates != nil {
		return r, nil
	}
	return r, r.function.PrepareProfiles(ctx, r.double)
}

// prepareFunction is the part of prepareModel that reads support vectors.
func (r *prepared) prepareFunction(ctx context.Context, o *Options) error {
	m, need := r.model, account{r.model, o}
	if o.leastShare(need.listParts()).Least > budget.Allowance(o.Memory) {
		if err := need.rejectByOutline(); err != nil {
			return err
		}
	}
	o.limitHeap()
	var err error
	// Sets of features can exceed the budget while they are expanded. The outline then names one
	// that is enough.
	if r.function, r.bias, err = m.prepareFunctions(ctx, o); errors.Is(err, fail.Budget) {
		err = cmp.Or(need.rejectByOutline(), err)
	}
	if err != nil {
		return err
	}
	if r.gates, err = newModelGates(m, o.Gates, budget.Allowance(o.Memory)); err != nil {
		return err
	}
	r.double = precision{&m.Model}.inDouble(r.function.Bank)
	if r.memory, err = need.divideMemory(r.function.Bank); err != nil {
		return err
	}
	r.function.Threads, r.function.Guard = r.memory.threads, m.Guard
	if o.Left != nil {
		o.Left(r.memory.left)
	}
	return nil
}
