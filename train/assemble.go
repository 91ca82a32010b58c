package train

import (
	"slices"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/kernels"
	"bigmkl/model"
	"bigmkl/predict"
)

// Certificates: a gap proves the result; with a kernel that may be indefinite only stationarity can be claimed.
const (
	ProvenGap  = "gap"
	Stationary = "stationary"
)

// frame is what a model says of the run.
func (r *run) newModel(f *calibration) *predict.Model {
	o := &r.Options
	m := &predict.Model{Model: model.Model{
		Task: o.Problem.Task, Norm: o.Norm.P, Regularizer: o.Norm.forModel(), C: o.Problem.C, Gap: o.Solver.Gap, Precision: string(o.Solver.Precision),
		PositiveLabels: o.Data.Positive, NegativeWeight: 1, PositiveWeight: 1,
		RowWeights: r.Store.Weights() != nil, Points: r.Store.Len(), Features: r.Store.Dim(), Limit: o.Data.Limit, Tuning: model.Tuning(o.Solver.Tuning),
		Fingerprint: r.Store.Fingerprint(), Store: dataset.LayoutDense, Kernels: r.Kernels.Specs, Views: o.Data.Views, Sequences: o.Data.Sequences, Seed: o.Seed, Medians: r.Kernels.Expanded.Medians,
		Scaling: *r.Store.Scaling(),
		Normalization: model.Normalization{Kind: o.Kernels.Normalize, Scale: r.Kernels.Normalization.Scale,
			SampleSize: r.Kernels.Normalization.SampleSize, StandardError: r.Kernels.Normalization.StandardError},
	}}
	if r.Store.Sparse() {
		m.Store = dataset.LayoutSparse
	}
	f.addSigmoids(r, m)
	return m
}

// modelOfOne makes the model of one machine.
func (r *run) modelOfOne(trained *solved, f *calibration) (*predict.Model, error) {
	r.setOperation("the model was put together")
	s := &trained.solution
	o, m := &r.Options, r.newModel(f)
	m.Double, m.Theta, m.WNorms, m.Certificate = trained.solver.Double(), s.Theta, s.WNorms, certificate(r, s)
	switch o.Problem.Task {
	case model.TaskClass:
		names := r.Store.Classes()
		m.Negative, m.Positive = names[0], names[1]
		m.NegativeWeight, m.PositiveWeight = o.Problem.classWeight(names[0]), o.Problem.classWeight(names[1])
	case model.TaskOneClass:
		m.Nu, m.C = o.Problem.Nu, 1
	}
	if slices.Contains(model.TubeTasks, o.Problem.Task) {
		m.Epsilon = o.Problem.Epsilon
	}
	for i, a := range s.Alpha {
		if a != 0 {
			m.Support, m.Alpha = append(m.Support, int32(i)), append(m.Alpha, a)
		}
	}
	points, err := gatherSupport(r, m)
	if err != nil {
		return nil, err
	}
	m.Bias = s.Certificate.Bias - centringOffset(r, points, nil, m.Alpha, s.Theta)
	r.warnMachine(trained, s.Theta, "", m.Untrained() > 0)
	return m, nil
}

// supports gives the model the features of its support vectors, and returns them as a set; nil if no kernel needs them.
func gatherSupport(r *run, m *predict.Model) (*kernels.Set, error) {
	for i := range r.Kernels.Groups {
		if r.Kernels.Groups[i].Base != kernels.MatrixRow {
			return m.Gather(r.hard, r.Store, r.Options.Budget.Scratch)
		}
	}
	return nil, nil
}

// moved is by how much centring of linear kernels moves the decision values of some support vectors: those of rows, nil for all.
func centringOffset(r *run, points *kernels.Set, rows []int32, alpha, theta []float64) float64 {
	v := make([]float64, r.Store.Dim())
	if points != nil {
		v = kernels.CentredSum(points, rows, alpha, r.Kernels.Shape.Shift)
	}
	return r.Kernels.CentringOffset(theta, v)
}

// certificate is that of a solution, and what it proves.
func certificate(r *run, s *chunking.Solution) model.Certificate {
	c := model.Certificate{Kind: ProvenGap, Primal: s.Certificate.Primal, Dual: s.Certificate.Dual, RelativeGap: s.Certificate.RelativeGap}
	for id, th := range s.Theta {
		if th > 0 && !r.Kernels.Definite(id) {
			c.Kind = Stationary
		}
	}
	return c
}
