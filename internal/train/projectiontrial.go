package train

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/budget"
	"bigmkl/internal/descent"
	"bigmkl/internal/fail"
	"bigmkl/internal/gating"
	"bigmkl/internal/model"
	"bigmkl/internal/projection"
	"bigmkl/predict"
)

// trial is a classifier on projected rows, or several.
type trial struct {
	matrices   projection.Matrices
	parameters []float64 // of gates
	closing    bool      // gates below the floor are closed
	model      *predict.Model
	result     *Result
	// ofMatrices and ofGates are the lengths of the slope relative to the dual value, once it is measured.
	ofMatrices, ofGates float64
	measured            bool
}

// stationarity returns the length of the slope of a trial that was measured, relative to its dual value.
func (t *trial) stationarity() float64 { return math.Hypot(t.ofMatrices, t.ofGates) }

// dual returns the dual value of the model, of all classifiers together, and the sum of their
// |alpha|.
func (t *trial) dual() (dual, sum float64) {
	eachClassifier(t.model, func(m *model.Model) {
		dual, sum = dual+m.Certificate.Dual, sum+sizes(m.Alpha)
	})
	return dual, sum
}

// eachClassifier visits the classifiers of a model, each as a model of its own.
func eachClassifier(m *predict.Model, visit func(*model.Model)) {
	if !m.Several() {
		visit(&m.Model)
		return
	}
	for k := range m.Classifiers {
		visit(m.Classifier(k))
	}
}

// trialTrainer trains the trials of a descent.
type trialTrainer struct {
	options *Options
	rows    *keptRows
	space   *projectedSpace
	began   time.Time
	read    time.Duration    // of the rows
	starts  []*predict.Model // classifiers of the trial before, without vectors; nil before the first
	last    *trial           // the trial that was kept last
	used    gradient.Stats
}

// newTrialTrainer returns a trainer that has read no rows yet.
func newTrialTrainer(o *Options, bank *projection.Bank) *trialTrainer {
	rows := &keptRows{}
	return &trialTrainer{
		options: o, rows: rows, space: &projectedSpace{options: o, bank: bank, rows: rows}, began: time.Now(),
	}
}

// readRows takes the rows of src, and scales them. Where they exceed the memory budget by themselves, the rest
// of the rows is counted: the rejection then names a budget that is enough.
func (t *trialTrainer) readRows(ctx context.Context, src dataset.Source) error {
	bytes := func(n int, terms int64) int64 { return 12*terms + t.rows.bytes(n) + t.descentBytes(n) }
	most := budget.Reading(t.options.Budget.Memory)
	n, terms, all, err := t.rows.take(ctx, src, t.options.Data.Limit, t.options.Problem.Multiclass != "",
		func(n int, terms int64) bool { return bytes(n, terms) > most })
	switch {
	case err != nil:
		return err
	case !all:
		return t.reject(n, bytes(n, terms))
	case t.rows.d == 0:
		return fail.New(fail.Input, "no row has a feature")
	case !t.space.projects():
		return nil // Trials scale the features themselves.
	}
	return t.rows.scale(&t.options.Data)
}

const (
	// projectionVectors is the number of vectors that a descent of matrices has: pairs of steps and slopes, the
	// points, slopes and directions of a trial, and what the factors of matrices need besides.
	projectionVectors = 2*descent.Memory + 12
	// smallDescent is what the share of the program has room for, in bytes.
	smallDescent = 8 << 20
)

// descentBytes is what the slope and the descent take on so many rows: the rows of the support vectors once
// more, and the vectors.
func (t *trialTrainer) descentBytes(n int) int64 {
	return max(0, 8*int64(n)*int64(t.rows.d)+8*projectionVectors*t.space.bank.Size(t.rows.d)-smallDescent)
}

// reject returns the error of class fail.Budget about so many rows, which take more than the budget while
// they are read. The budget that it names is one that does for a trial, too.
func (t *trialTrainer) reject(n int, reading int64) error {
	if err := t.space.check(); err != nil {
		return err
	}
	specs, features := t.options.Kernels.Specs, t.rows.d
	switch {
	case t.space.followsFromLinear():
		specs = t.space.bank.Forms[0].Inner
	case t.space.projects():
		list, err := t.space.bank.Specs(t.rows.d)
		if err != nil {
			return err
		}
		specs = strings.Join(list, ",")
		if !t.space.plain() {
			features = 0
		}
		for _, f := range t.space.bank.Forms {
			features += f.Width(t.rows.d)
		}
	}
	o := t.optionsOf(specs, t.options.Solver.Gap)
	o.projected, o.descent = t.rows.bytes(n), t.descentBytes(n)
	w, err := Open(o)
	if err != nil {
		return err
	}
	outline, err := w.outline()
	if err != nil {
		return err
	}
	return outline.RejectReading(reading, dataset.Size{Rows: n, Features: features}, slices.Sorted(maps.Keys(t.rows.labels)))
}

// project returns the rows that matrices project, and the kernels on them.
func (t *trialTrainer) project(matrices projection.Matrices) (dataset.Source, string, error) {
	if !t.space.projects() {
		return t.rows.source(), t.options.Kernels.Specs, nil
	}
	specs, err := t.space.bank.Specs(t.rows.d)
	return t.space.projection(matrices).Source(t.rows.source()), strings.Join(specs, ","), err
}

// of returns the rows and the options of a trial, and the trial before it is trained.
func (t *trialTrainer) of(c *trialCall) (dataset.Source, Options, *trial, error) {
	if c.kind == trialOfInner {
		return t.rows.source(), t.optionsOf(t.space.bank.Forms[0].Inner, c.gap), &trial{}, nil
	}
	matrices, parameters, ok := t.space.split(c.point)
	if !ok {
		return nil, Options{}, nil, fail.New(fail.Input, "a projection whose columns depend on each other")
	}
	src, specs, err := t.project(matrices)
	if err != nil {
		return nil, Options{}, nil, err
	}
	o := t.optionsOf(specs, c.gap)
	o.ridge = c.ridge
	if t.space.gates != nil {
		o.given, o.closing = slices.Clone(parameters), c.closing
	}
	return src, o, &trial{matrices: matrices, parameters: o.given, closing: o.closing}, nil
}

// optionsOf returns the options of a trial.
func (t *trialTrainer) optionsOf(specs string, gap float64) Options {
	o, n := *t.options, t.rows.len()
	o.Kernels.Specs = specs
	if t.space.projects() {
		o.Data.Layout, o.Data.Scale = dataset.LayoutDense, dataset.ScaleNone
		if len(t.space.bank.Others) == 0 {
			o.Kernels.Normalize = "none"
		}
	}
	o.Budget.Checkpoint, o.Solver.Gap, o.asked, o.starts = "", gap, t.options.Solver.Gap, t.starts
	o.projected, o.descent = t.rows.bytes(n), t.descentBytes(n)
	if o.Gating.One = false; o.Gating.Learned() {
		o.Gating.On, _ = t.space.gateOn() // It was looked at before.
	} else {
		o.Gating = gating.Spec{}
	}
	return o
}

// train trains a trial after so many iterations of those before, with the other ranks if there are any.
func (t *trialTrainer) train(ctx context.Context, c *trialCall, iterations int) (*trial, error) {
	src, o, made, err := t.of(c)
	if err != nil {
		return nil, err
	}
	if o.Team, err = t.options.Team.BeginTraining(c.numbers()); err != nil {
		return nil, err
	}
	if o.Recorder != nil {
		o.Recorder = &trialRecorder{o.Recorder, iterations, time.Since(t.began) - t.read}
	}
	if o.Limits.Time > 0 {
		// The least time ends the trial as soon as it has a model.
		o.Limits.Time = max(1, o.Limits.Time-time.Since(t.began))
	}
	if o.Limits.Iterations > 0 {
		o.Limits.Iterations = max(1, o.Limits.Iterations-iterations)
	}
	made.model, made.result, err = runRank(ctx, src, o)
	err = o.Team.End(err)
	t.options.Team.Absorb(o.Team)
	if err != nil {
		return nil, err
	}
	t.used = t.used.And(made.result.Gradient)
	return made, nil
}

// keep makes a trial the last one, from which the next starts.
func (t *trialTrainer) keep(made *trial) {
	if t.last != nil {
		t.last.model.Close() // Nobody looks at the vectors of a trial once there is another.
	}
	t.last, t.starts = made, startsOf(made.model)
}

// planProjected is Plan for kernels on projected features: that of one trial, of which a descent has
// some tens. Where the projection follows from the linear classifier on all features, that one takes more
// than the trial on its direction.
func planProjected(ctx context.Context, src dataset.Source, o Options, bank *projection.Bank) (
	*budget.Plan, error) {
	t := newTrialTrainer(&o, bank)
	if err := o.Budget.SetDefaults(); err != nil {
		return nil, err
	}
	if err := t.readRows(ctx, src); err != nil {
		return nil, err
	}
	if err := t.space.check(); err != nil {
		return nil, err
	}
	if t.space.followsFromLinear() {
		src, o, _, err := t.of(&trialCall{kind: trialOfInner, gap: o.Solver.Gap})
		if err != nil {
			return nil, err
		}
		return planRun(ctx, src, o)
	}
	matrices, err := t.space.firstMatrices()
	if err != nil {
		return nil, err
	}
	src, specs, err := t.project(matrices)
	if err != nil {
		return nil, err
	}
	return planRun(ctx, src, t.optionsOf(specs, o.Solver.Gap))
}

// trialRecorder passes the iterations of a trial to another recorder, behind the iterations before
// it.
type trialRecorder struct {
	Recorder
	iterations int
	elapsed    time.Duration
}

// Record implements Recorder.
func (r *trialRecorder) Record(e Event) error {
	e.Iteration += r.iterations
	e.Elapsed += r.elapsed
	return r.Recorder.Record(e)
}

// startsOf returns what the next trial needs of each classifier: its dual variables by the numbers
// of rows, as their features will be others.
func startsOf(m *predict.Model) []*predict.Model {
	var list []*predict.Model
	eachClassifier(m, func(m *model.Model) {
		list = append(list, &predict.Model{Model: model.Model{
			Task: m.Task, C: m.C, LossSettings: m.LossSettings, PositiveWeight: m.PositiveWeight, NegativeWeight: m.NegativeWeight,
			RowWeights: m.RowWeights, SupportVectors: model.SupportVectors{Support: m.Support}, Alpha: m.Alpha,
		}})
	})
	return list
}
