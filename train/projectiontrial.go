package train

import (
	"context"
	"time"

	"bigmkl/dataset"
	"bigmkl/model"
	"bigmkl/predict"
	"bigmkl/projection"
)

// trial is a machine on projected rows.
type trial struct {
	matrix *projection.Matrix
	model  *predict.Model
	result *Result
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
	if p.made != nil {
		p.made.model.Close() // Nobody looks at the vectors of a trial once there is another.
	}
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
