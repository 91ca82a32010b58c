package bigmkl

import (
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/kernels"
	"bigmkl/model"
	"bigmkl/predict"
)

// Certificates: a gap proves the result; with a kernel that may be indefinite only stationarity can be claimed.
const (
	provenGap  = "gap"
	stationary = "stationary"
)

// frame is what a model says of the run.
func (t *training) frame() *Model {
	o := &t.o
	m := &predict.Model{Model: model.Model{
		Task: o.Task, Norm: o.Norm, Regularizer: o.Regularizer.recorded(), C: o.C, Gap: o.Gap, Precision: o.Precision,
		PositiveLabels: o.Positive, NegativeWeight: 1, PositiveWeight: 1,
		RowWeights: t.store.Weights() != nil, Points: t.store.Len(), Features: t.store.Dim(), Limit: o.Limit, Tuning: model.Tuning(o.Tuning),
		Fingerprint: t.store.Fingerprint(), Store: dataset.LayoutDense, Kernels: t.kernels.Specs, Views: o.Views, Sequences: o.Sequences, Seed: o.Seed, Medians: t.kernels.Expanded.Medians,
		Scaling: *t.store.Scaling(),
		Normalization: model.Normalization{Kind: o.Normalize, Scale: t.kernels.Normalization.Scale,
			SampleSize: t.kernels.Normalization.SampleSize, StandardError: t.kernels.Normalization.StandardError},
	}}
	if t.store.Sparse() {
		m.Store = dataset.LayoutSparse
	}
	t.addSigmoids(m)
	return m
}

// model makes the model of a solution.
func (t *training) model(s *chunking.Solution) (*Model, error) {
	o, m := &t.o, t.frame()
	m.Double, m.Theta, m.WNorms, m.Certificate = t.solver.Double(), s.Theta, s.WNorms, t.certificate(s)
	switch o.Task {
	case TaskClass:
		names := t.store.Classes()
		m.Negative, m.Positive = names[0], names[1]
		m.NegativeWeight, m.PositiveWeight = o.classWeight(names[0]), o.classWeight(names[1])
	case TaskSVR:
		m.Epsilon = o.Epsilon
	case TaskOneClass:
		m.Nu, m.C = o.Nu, 1
	}
	for i, a := range s.Alpha {
		if a != 0 {
			m.Support, m.Alpha = append(m.Support, int32(i)), append(m.Alpha, a)
		}
	}
	points, err := t.supports(m)
	if err != nil {
		return nil, err
	}
	m.Bias = s.Certificate.Bias - t.moved(points, nil, m.Alpha, s.Theta)
	t.warnMachine(s.Theta, "", m.Untrained() > 0)
	return m, nil
}

// supports gives the model the features of its support vectors, and returns them as a set; nil if no kernel needs them.
func (t *training) supports(m *Model) (*kernels.Set, error) {
	for i := range t.kernels.Groups {
		if t.kernels.Groups[i].Base != kernels.MatrixRow {
			return m.Gather(t.hard, t.store, t.budgets.Scratch)
		}
	}
	return nil, nil
}

// moved is by how much centring of linear kernels moves the decision values of some support vectors: those of rows, nil for all.
func (t *training) moved(points *kernels.Set, rows []int32, alpha, theta []float64) float64 {
	v := make([]float64, t.store.Dim())
	if points != nil {
		v = kernels.CentredSum(points, rows, alpha, t.kernels.Shape.Shift)
	}
	return t.kernels.CentringOffset(theta, v)
}

// certificate is that of a solution, and what it proves.
func (t *training) certificate(s *chunking.Solution) model.Certificate {
	c := model.Certificate{Kind: provenGap, Primal: s.Certificate.Primal, Dual: s.Certificate.Dual, RelativeGap: s.Certificate.RelativeGap}
	for id, th := range s.Theta {
		if th > 0 && !t.kernels.Definite(id) {
			c.Kind = stationary
		}
	}
	return c
}
