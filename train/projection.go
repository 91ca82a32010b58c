package train

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"time"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/descent"
	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
	"bigmkl/model"
	"bigmkl/predict"
	"bigmkl/projection"
)

// A kernel on projected features z = W'x is learned together with W (Gönen 2010, Algorithm 4.1): the
// optimum J(W) of the machine on z is minimised. While W stays, the machine is any machine on rows of
// R features, trained as such and with the certificate of such. Each trial of the descent is one,
// solved no further than its bounds D <= J(W) <= P have to be known, from the dual variables of the
// trial before.
//
// By the theorem of the envelope the slope of J takes alpha as a constant, so that it needs the
// support vectors alone (projection.Form.Slope).
//
// Linear kernels need no descent: the minimum over W and w of 1/2 ||w||^2 + loss(w'W'x) is that over
// u = Ww, the linear machine's, with W = u/||u||.

// projecting is the training of a projection.
type projecting struct {
	options Options
	form    *projection.Form
	rows    []dataset.Row // without features
	x       []float64     // rows x d
	d       int
	began   time.Time

	alpha *predict.Model // the trial before, without its vectors; nil before the first
	made  *trial         // the last trial that was solved
	total Result         // what trials took
	state projectingState
}

// projectingState counts what the descents of all starts took.
type projectingState struct{ steps, trials int }

// trial is a machine on projected rows.
type trial struct {
	matrix *projection.Matrix
	model  *predict.Model
	result *Result
}

// projectionOf returns the projection that the options ask for, or nil. What goes with none is of
// class fail.Usage.
func projectionOf(o *Options) (*projection.Form, error) {
	if !strings.HasPrefix(o.Kernels.Specs, projection.Prefix) {
		return nil, nil
	}
	form, err := projection.Parse(strings.Join(strings.Fields(o.Kernels.Specs), " "))
	if err != nil {
		return nil, err
	}
	p, n := &o.Problem, &o.Norm
	for _, f := range []struct {
		is   bool
		what string
	}{
		{p.Task == model.TaskRKDA, "discriminant analysis"},
		{p.Multiclass != "", "several machines"},
		{p.JointCost, "a cost that is found"},
		{p.Posteriors.Asked(), "posteriors"},
		{o.Folds > 0, "probabilities"},
		{o.Gating.Gated(), "gates"},
		{n.GroupNorm != 0 || n.ElasticNet != 0 || n.SquaredNorm != 0 || n.Interaction != nil ||
			n.Weights != nil || n.Rule != nil, "another regulariser than the block norm"},
		{o.Solver.Method != "" && o.Solver.Method != MethodChunking || o.Solver.Rule != nil,
			"another solver than chunking"},
		{o.Init != nil, "a model to start from"},
		{o.Budget.Checkpoint != "", "checkpoints, which hold no projection"},
		{!o.Team.Alone(), "ranks"},
		{o.Data.Scale != "" && o.Data.Scale != dataset.ScaleNone, "scaling of the features"},
		{len(o.Data.Views) > 0 || o.Data.Missing != "", "views"},
		{o.Data.Sequences != dataset.Numbers, "sequences"},
		{o.Kernels.Normalize == "spherical", "spherical normalisation"},
	} {
		if f.is {
			return nil, fail.New(fail.Usage, "%s does not go with %s",
				fail.Quote(o.Kernels.Specs), f.what)
		}
	}
	return form, nil
}

// runProjected is Run for a kernel on projected features.
func runProjected(ctx context.Context, src dataset.Source, o Options, form *projection.Form) (
	*predict.Model, *Result, error) {
	p := &projecting{options: o, form: form, began: time.Now()}
	if err := p.options.Budget.SetDefaults(); err != nil {
		return nil, nil, err
	}
	if err := p.read(ctx, dataset.Limit(src, o.Data.Limit)); err != nil {
		return nil, nil, err
	}
	p.total.Read = time.Since(p.began)
	if err := form.Check(p.d); err != nil {
		return nil, nil, err
	}
	if form.Kernel.Kind == kernelspec.Linear {
		return p.solveLinear(ctx)
	}
	return p.descend(ctx)
}

// read keeps the rows in memory with all of their features, which may take half of the budget.
func (p *projecting) read(ctx context.Context, src dataset.Source) error {
	type features struct {
		index []int32
		value []float64
	}
	var list []features
	most := budget.Allowance(p.options.Budget.Memory) / 2
	terms := int64(0)
	for {
		r, err := src.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if n := len(r.Index); n > 0 {
			p.d = max(p.d, int(r.Index[n-1])+1)
		}
		terms += int64(len(r.Index))
		list = append(list, features{append([]int32(nil), r.Index...),
			append([]float64(nil), r.Value...)})
		r.Index, r.Value = nil, nil
		p.rows = append(p.rows, r)
		need := 12*terms + int64(len(p.rows))*(200+8*int64(p.d))
		if need > most {
			return fail.New(fail.Budget, "a projection keeps all rows in memory, and %d rows of %d "+
				"features exceed half of the memory budget", len(p.rows), p.d).
				WithHint("a larger --memory or fewer rows")
		}
	}
	if p.d == 0 {
		return fail.New(fail.Input, "no row has a feature")
	}
	p.x = make([]float64, len(list)*p.d)
	for i, f := range list {
		for e, j := range f.index {
			p.x[i*p.d+int(j)] = f.value[e]
		}
	}
	return nil
}

// solveLinear trains the linear machine on all features, whose direction is W, and then the machine on
// W'x.
func (p *projecting) solveLinear(ctx context.Context) (*predict.Model, *Result, error) {
	all, err := p.train(ctx, p.source(), p.options.Solver.Gap, nil)
	if err != nil {
		return nil, nil, p.unfinished(ctx, err)
	}
	switch all.result.Status {
	case chunking.Interrupted:
		return nil, nil, p.unfinished(ctx, context.Canceled)
	case chunking.TimeLimit:
		return nil, nil, p.unfinished(ctx, context.DeadlineExceeded)
	}
	direction := make([]float64, p.d)
	for s, i := range all.model.Support {
		for j, x := range p.x[int(i)*p.d:][:p.d] {
			direction[j] += float64(all.model.Alpha[s] * x)
		}
	}
	one := *p.form
	one.Columns, p.alpha = 1, forStart(all.model)
	matrix, ok := one.Make(direction)
	if !ok {
		direction[0] = 1 // All of alpha is 0, and so is the machine on any projection.
		matrix, _ = one.Make(direction)
	}
	idle := p.form.Columns > 1
	p.form, p.state.trials = &one, 1
	last, err := p.solve(ctx, matrix, p.options.Solver.Gap, p.options.Recorder)
	if err != nil {
		return nil, nil, p.unfinished(ctx, err)
	}
	m, r, err := p.finish(ctx, last, last.result.Status)
	if err == nil && idle {
		r.Warnings = append(r.Warnings, "a linear kernel sees one direction alone: the other columns "+
			"of its projection would be idle and are left out")
	}
	return m, r, err
}

// descend moves W from each start and solves the machine at the lowest P to the gap of the run.
func (p *projecting) descend(ctx context.Context) (*predict.Model, *Result, error) {
	o := &p.options
	var best []float64
	lowest, limited := 0.0, false
	for start := range o.Gating.Starts {
		d, stopped, err := p.descendFrom(ctx, start)
		if err != nil {
			return nil, nil, p.unfinished(ctx, err)
		}
		if stopped != "" {
			return p.finish(ctx, p.made, stopped)
		}
		p.state.steps += d.Steps
		if best == nil || d.Value < lowest {
			best, lowest, limited = d.Point, d.Value, d.Ended == descent.Limited
		}
	}
	matrix, _ := p.form.Make(best) // It was made before.
	last, err := p.solve(ctx, matrix, o.Solver.Gap, o.Recorder)
	if err != nil {
		if status := p.ended(err); status != "" {
			return p.finish(ctx, p.made, status)
		}
		return nil, nil, err
	}
	status := last.result.Status
	if limited && status == chunking.Converged {
		status = StepLimit
	}
	return p.finish(ctx, last, status)
}

// descendFrom moves W from a start. A status says that the run is to end with the trial in hand.
func (p *projecting) descendFrom(ctx context.Context, start int) (*descent.Descent, chunking.Status,
	error) {
	o := &p.options
	d := descent.New(p.form.Start(p.d, o.Seed, start), descent.Options{
		Tolerance: o.Gating.Tolerance, Steps: o.Gating.Steps, Gap: o.Solver.Gap})
	for d.Ended == "" {
		matrix, ok := p.form.Make(d.Trial)
		if !ok {
			d.Judge(math.NaN(), math.NaN())
			if d.Point == nil {
				return nil, "", fail.New(fail.Input, "a projection has no start")
			}
			continue
		}
		t, err := p.solve(ctx, matrix, d.Gap, nil)
		if err != nil {
			if status := p.ended(err); status != "" {
				return d, status, nil
			}
			return nil, "", err
		}
		p.state.trials++
		if endsRun(t.result.Status) {
			return d, t.result.Status, nil
		}
		c := t.model.Certificate
		if d.Judge(c.Dual, c.Primal) != descent.Accepted {
			continue
		}
		g, err := p.slope(ctx, t)
		if err != nil {
			return d, chunking.Interrupted, nil
		}
		matrix.Back(g)
		d.Learn(g)
	}
	return d, "", nil
}

// solve trains the machine on the rows that a matrix projects.
func (p *projecting) solve(ctx context.Context, matrix *projection.Matrix, gap float64,
	recorder Recorder) (*trial, error) {
	of := p.describe(matrix)
	t, err := p.train(ctx, of.Source(p.source()), gap, recorder)
	if err != nil {
		return nil, err
	}
	t.matrix = matrix
	p.made, p.alpha = t, forStart(t.model)
	return t, nil
}

// train trains a machine on rows as they are.
func (p *projecting) train(ctx context.Context, src dataset.Source, gap float64, recorder Recorder) (
	*trial, error) {
	o := p.options
	o.Kernels = Kernels{Specs: p.form.Inner, Normalize: "none"}
	o.Data.Layout, o.Data.Limit = dataset.LayoutDense, p.options.Data.Limit
	o.Solver.Gap, o.Recorder, o.Init, o.Gating.Starts = gap, recorder, p.alpha, 0
	if o.Limits.Time > 0 {
		// The least time ends the trial as soon as it has a model.
		o.Limits.Time = max(1, o.Limits.Time-time.Since(p.began))
	}
	m, r, err := runRank(ctx, src, o)
	if err != nil {
		return nil, err
	}
	p.total.Iterations += r.Iterations
	p.total.Gradient = p.total.Gradient.And(r.Gradient)
	return &trial{model: m, result: r}, nil
}

// forStart returns what the next trial needs of a model: its dual variables by the numbers of rows,
// as their features will be others.
func forStart(m *predict.Model) *predict.Model {
	return &predict.Model{Model: model.Model{
		Task: m.Task, C: m.C, Epsilon: m.Epsilon, Nu: m.Nu, Loss: m.Loss, Positive: m.Positive,
		Negative: m.Negative, PositiveWeight: m.PositiveWeight, NegativeWeight: m.NegativeWeight,
		RowWeights: m.RowWeights, Points: m.Points, Kernels: m.Kernels, Theta: m.Theta,
		Support: m.Support, Alpha: m.Alpha, Norm: m.Norm,
	}}
}

// describe returns the projection of a matrix as models have it.
func (p *projecting) describe(matrix *projection.Matrix) *model.Projection {
	return &model.Projection{Kernel: p.form.Text, Features: p.d, Columns: matrix.Columns, W: matrix.W}
}

// slope returns the slope of J by W, along the matrices that W is one of.
func (p *projecting) slope(ctx context.Context, t *trial) ([]float64, error) {
	m, of, width := t.model, p.describe(t.matrix), p.form.Width(p.d)
	x := make([]float64, 0, len(m.Support)*p.d)
	z := make([]float64, len(m.Support)*width)
	index := make([]int32, p.d)
	for j := range index {
		index[j] = int32(j)
	}
	for s, i := range m.Support {
		row := p.x[int(i)*p.d:][:p.d]
		x = append(x, row...)
		of.Project(index, row, z[s*width:(s+1)*width])
	}
	g, err := p.form.Slope(ctx, p.d, x, z, m.Alpha, m.Theta[0])
	if err == nil {
		t.matrix.Tangent(g)
	}
	return g, err
}

// finish makes the model of a trial that of the run.
func (p *projecting) finish(ctx context.Context, t *trial, status chunking.Status) (*predict.Model,
	*Result, error) {
	if t == nil {
		return nil, nil, p.unfinished(ctx, ctx.Err())
	}
	of := p.describe(t.matrix)
	of.Steps, of.Trials = p.state.steps, max(p.state.trials, p.state.steps)
	// After an interrupt the slope is still wanted, and takes no longer than it took for each trial.
	g, err := p.slope(context.WithoutCancel(ctx), t)
	if err != nil {
		return nil, nil, err
	}
	sum := 0.0
	for _, v := range g {
		sum += float64(v * v)
	}
	if size := math.Abs(t.model.Certificate.Dual); size > 0 {
		of.Stationarity = math.Sqrt(sum) / size
	}
	t.model.SetProjection(of)
	t.model.Gap = p.options.Solver.Gap
	r := t.result
	r.Status, r.Iterations, r.Gradient, r.Read = status, p.total.Iterations, p.total.Gradient, p.total.Read
	r.Train = time.Since(p.began) - r.Read
	return t.model, r, nil
}

// ended returns the status of a run that a trial without a model ends: the trial before has one. It is
// "" for other errors, and where there is none.
func (p *projecting) ended(err error) chunking.Status {
	var cut *Unfinished
	if p.made != nil && errors.As(err, &cut) {
		return cut.Status
	}
	return ""
}

// unfinished describes a run that ended without a model.
func (p *projecting) unfinished(ctx context.Context, err error) error {
	return Ended(ctx, err, "the first machine of the projection was trained")
}

// source yields the rows in memory.
func (p *projecting) source() dataset.Source {
	index := make([]int32, p.d)
	for j := range index {
		index[j] = int32(j)
	}
	return &kept{p: p, index: index}
}

// kept is a source of rows in memory.
type kept struct {
	p     *projecting
	at    int
	index []int32
}

// Next implements dataset.Source.
func (s *kept) Next() (dataset.Row, error) {
	if s.at == len(s.p.rows) {
		return dataset.Row{}, io.EOF
	}
	r := s.p.rows[s.at]
	r.Index, r.Value = s.index, s.p.x[s.at*s.p.d:][:s.p.d]
	s.at++
	return r, nil
}
