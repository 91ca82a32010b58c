package train

import (
	"context"
	"math"
	"strings"
	"time"

	"bigmkl/budget"
	"bigmkl/dataset"
	"bigmkl/gating"
	"bigmkl/internal/fail"
	"bigmkl/model"
	"bigmkl/predict"
	"bigmkl/projection"
)

// errDependent is the error of a point that stands for no matrices.
var errDependent = fail.New(fail.Input, "a projection whose columns depend on each other")

// trial is a machine on projected rows, or several.
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

// dual returns the dual value of the model, of all machines together, and the sum of their |alpha|.
func (t *trial) dual() (dual, sum float64) {
	eachMachine(t.model, func(m *model.Model) {
		dual, sum = dual+m.Certificate.Dual, sum+sizes(m.Alpha)
	})
	return dual, sum
}

// eachMachine visits the machines of a model, each as a model of its own.
func eachMachine(m *predict.Model, visit func(*model.Model)) {
	if !m.Several() {
		visit(&m.Model)
		return
	}
	for k := range m.Machines {
		visit(m.Machine(k))
	}
}

// trialRows returns the rows that matrices project, and the kernels on them.
func (p *projecting) trialRows(matrices projection.Matrices) (dataset.Source, string, error) {
	if len(p.bank.Forms) == 0 {
		return p.source(), p.options.Kernels.Specs, nil
	}
	specs, err := p.bank.Specs(p.d)
	return p.describe(matrices).Source(p.source()), strings.Join(specs, ","), err
}

// solve trains the machine with the matrices and the gates of a point.
func (p *projecting) solve(ctx context.Context, point []float64, gap float64) (*trial, error) {
	c := &trialCall{kind: trialAtPoint, gap: gap, closing: p.state.Final, point: point}
	if !p.state.Final {
		c.ridge = p.state.Ridge
	}
	t, err := p.train(ctx, c)
	if err != nil {
		return nil, err
	}
	p.keepTrial(t)
	return t, nil
}

// keepTrial makes a trial the last one, from which the next starts.
func (p *projecting) keepTrial(t *trial) {
	if p.made != nil {
		p.made.model.Close() // Nobody looks at the vectors of a trial once there is another.
	}
	p.made, p.starts = t, startsOf(t.model)
}

// train trains the machine of a trial, with the other ranks if there are any.
func (p *projecting) train(ctx context.Context, c *trialCall) (*trial, error) {
	src, o, t, err := p.trialOf(c)
	if err != nil {
		return nil, err
	}
	if o.Team, err = p.options.Team.BeginTraining(c.numbers()); err != nil {
		return nil, err
	}
	o.Recorder = p.recorder()
	if o.Limits.Time > 0 {
		// The least time ends the trial as soon as it has a model.
		o.Limits.Time = max(1, o.Limits.Time-time.Since(p.began))
	}
	if o.Limits.Iterations > 0 {
		o.Limits.Iterations = max(1, o.Limits.Iterations-p.state.Iterations)
	}
	t.model, t.result, err = runRank(ctx, src, o)
	err = o.Team.End(err)
	p.options.Team.Absorb(o.Team)
	if err != nil {
		return nil, err
	}
	p.state.Iterations += t.result.Iterations
	p.used = p.used.And(t.result.Gradient)
	return t, nil
}

// trialOptions returns the options of a trial.
func (p *projecting) trialOptions(specs string, gap float64) Options {
	o := p.options
	o.Kernels.Specs = specs
	if len(p.bank.Forms) > 0 {
		o.Data.Layout, o.Data.Scale = dataset.LayoutDense, dataset.ScaleNone
		if len(p.bank.Others) == 0 {
			o.Kernels.Normalize = "none"
		}
	}
	o.Budget.Checkpoint, o.Solver.Gap, o.starts = "", gap, p.starts
	o.projected, o.descent = p.bytesOf(len(p.rows)), p.descentBytes(len(p.rows))
	if o.Gating.One = false; o.Gating.Learned() {
		o.Gating.On, _ = p.gateOn() // It was looked at before.
	} else {
		o.Gating = gating.Spec{}
	}
	return o
}

// planProjected is Plan for kernels on projected features: that of one trial, of which a descent has
// some tens.
func planProjected(ctx context.Context, src dataset.Source, o Options, bank *projection.Bank) (
	*budget.Plan, error) {
	p := &projecting{options: o, bank: bank, began: time.Now()}
	if err := p.options.Budget.SetDefaults(); err != nil {
		return nil, err
	}
	if err := p.readRows(ctx, dataset.Limit(src, o.Data.Limit)); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	matrices, ok := bank.Make(p.d, bank.Start(p.d, o.Seed, 0))
	if !ok {
		return nil, fail.New(fail.Input, "a projection has no start")
	}
	src, specs, err := p.trialRows(matrices)
	if err != nil {
		return nil, err
	}
	return planRun(ctx, src, p.trialOptions(specs, o.Solver.Gap))
}

// recorder returns one that counts the iterations of all trials.
func (p *projecting) recorder() Recorder {
	if p.options.Recorder == nil {
		return nil
	}
	return &trialRecorder{p.options.Recorder, p.state.Iterations, time.Since(p.began) - p.read}
}

// trialRecorder tells another recorder of the iterations of a trial, behind those before it.
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

// startsOf returns what the next trial needs of each machine: its dual variables by the numbers of
// rows, as their features will be others.
func startsOf(m *predict.Model) []*predict.Model {
	var list []*predict.Model
	eachMachine(m, func(m *model.Model) {
		list = append(list, &predict.Model{Model: model.Model{
			Task: m.Task, C: m.C, Loss: m.Loss, PositiveWeight: m.PositiveWeight, NegativeWeight: m.NegativeWeight,
			RowWeights: m.RowWeights, Support: m.Support, Alpha: m.Alpha,
		}})
	})
	return list
}

// describe returns the projection of matrices as models have it.
func (p *projecting) describe(matrices projection.Matrices) *model.Projection {
	of := &model.Projection{
		Kernel: p.bank.Forms[0].Text, Columns: matrices[0].Columns, Features: p.d, Plain: p.plain(),
		W: matrices.W(),
	}
	for k, f := range p.bank.Forms[1:] {
		of.Others = append(of.Others, model.ProjectedKernel{Kernel: f.Text, Columns: matrices[k+1].Columns})
	}
	return of
}

// plain reports whether rows of the trials have the features as they are, which other kernels or gates
// look at.
func (p *projecting) plain() bool { return len(p.bank.Others) > 0 || p.options.Gating.Learned() }

// check refuses what does not go with the features of the rows, with class fail.Usage.
func (p *projecting) check() error {
	if err := p.bank.Check(p.d); err != nil || !p.options.Gating.Learned() {
		return err
	}
	_, err := p.gateOn()
	return err
}

// slope returns the slope of J by the matrices, along those that they are of. It is the sum of those
// of all machines.
func (p *projecting) slope(ctx context.Context, t *trial) ([]float64, error) {
	if len(p.bank.Forms) == 0 {
		return nil, nil
	}
	of := p.describe(t.matrices)
	blocks, index := of.Blocks(), make([]int32, p.d)
	gates, eta := p.gatesOfRow(t), make([]float64, len(p.bank.Forms))
	for j := range index {
		index[j] = int32(j)
	}
	var g []float64
	var err error
	eachMachine(t.model, func(m *model.Model) {
		var own []float64
		x := make([]float64, 0, len(m.Support)*p.d)
		row, z := make([]float64, of.Width()), make([][]float64, len(blocks))
		alpha := make([][]float64, len(blocks)) // with the gates of each kernel
		for s, i := range m.Support {
			features := p.x[int(i)*p.d:][:p.d]
			x = append(x, features...)
			of.Project(index, features, row)
			gates(row, eta)
			for k, b := range blocks {
				z[k] = append(z[k], row[b.First:][:b.Width]...)
				alpha[k] = append(alpha[k], m.Alpha[s]*eta[k])
			}
		}
		for k, f := range p.bank.Forms {
			part, e := f.Slope(ctx, p.d, x, z[k], alpha[k], m.Theta[k])
			if e != nil {
				err = e
				return
			}
			own = append(own, part...)
		}
		if g == nil {
			g = own
			return
		}
		for k, s := range own {
			g[k] += s
		}
	})
	if err != nil {
		return nil, err
	}
	t.matrices.Tangent(g)
	return g, nil
}
