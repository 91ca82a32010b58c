package train

import (
	"slices"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/kernels"
	"bigmkl/model"
	"bigmkl/predict"
)

// This file makes models of what the solver returns. The solver knows points, and a model has to
// hold everything that predictions, verify and inspect need: the support vectors, the scaling of
// features and kernels, and the options that the bits of the model depend on.

// These are the kinds of certificates. A gap proves that the model is near the optimum. If a kernel
// with a weight may be indefinite, the dual need not be concave, and only a stationary point is
// claimed.
const (
	ProvenGap  = "gap"
	Stationary = "stationary"
)

// newModel returns a model with what it records of the run, and without machines as yet.
func (r *run) newModel(f *calibration) *predict.Model {
	o := &r.Options
	m := &predict.Model{Model: model.Model{
		Task: o.Problem.Task, Loss: modelLoss(o), Norm: o.Norm.P,
		Regularizer: o.Norm.forModel(), WeightRule: o.Norm.ruleForModel(), C: o.Problem.C,
		Gap: o.Solver.Gap, Precision: string(o.Solver.Precision),
		Tuning:         model.Tuning(o.Solver.Tuning),
		PositiveLabels: o.Data.Positive, NegativeWeight: 1, PositiveWeight: 1,
		RowWeights: r.Store.Weights() != nil, Posteriors: r.Store.Posteriors(), Points: r.Store.Len(), Features: r.Store.Dim(),
		Limit: o.Data.Limit, Fingerprint: r.Store.Fingerprint(), Store: dataset.LayoutDense,
		Kernels: r.Kernels.Specs, Views: o.Data.Views, Sequences: o.Data.Sequences, Seed: o.Seed,
		Medians: r.Kernels.Expanded.Medians, Scaling: *r.Store.Scaling(),
		Normalization: model.Normalization{
			Kind: o.Kernels.Normalize, Scale: r.Kernels.Normalization.Scale,
			SampleSize:    r.Kernels.Normalization.SampleSize,
			StandardError: r.Kernels.Normalization.StandardError,
		},
	}}
	m.Occurring = r.Store.Occurring()
	if r.Store.Sparse() {
		m.Store = dataset.LayoutSparse
	}
	if m.Posteriors != nil {
		m.PosteriorsOf = o.Problem.Posteriors.source()
	}
	m.Fill = r.Kernels.Fills
	r.addCentre(m)
	f.addSigmoids(r, m)
	r.gates.addTo(m)
	return m
}

// modelOfOne returns the model of the only machine of a run. f is nil if it gives no probabilities.
func (r *run) modelOfOne(trained *solved, f *calibration) (*predict.Model, error) {
	r.setOperation("the model was put together")
	s := &trained.solution
	o, m := &r.Options, r.newModel(f)
	m.Double, m.Theta, m.WNorms = trained.solver.Double(), s.Theta, s.WNorms
	m.Certificate = certificate(r, s)
	switch o.Problem.Task {
	case model.TaskClass:
		names := r.Store.Classes()
		m.Negative, m.Positive = names[0], names[1]
		m.NegativeWeight = o.Problem.classWeight(names[0])
		m.PositiveWeight = o.Problem.classWeight(names[1])
	case model.TaskOneClass:
		m.Nu, m.C = o.Problem.Nu, 1 // The problem has no cost, and nu in its place.
	}
	if o.Problem.JointCost {
		m.CostWeight = &s.CostWeight
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
	// Predictions use plain products where the training used centred ones. The bias makes up for
	// it.
	m.Bias = s.Certificate.Bias - centringOffset(r, points, nil, m.Alpha, s.Theta)
	r.chargeCosts(m)
	r.warnMachine(trained, s.Theta, "", m.Untrained() > 0)
	r.warnJointCost(m)
	return m, nil
}

// chargeCosts records in a model with all of its machines what a decision costs, if kernels have
// costs.
func (r *run) chargeCosts(m *predict.Model) {
	if d := r.Kernels.Expanded.Costs(); d != nil {
		m.Costs = &model.Costs{Power: r.Options.Norm.costPower(), Total: m.TotalCost(d)}
	}
}

// gatherSupport gives the model the features of its support vectors and returns them. If all
// kernels are precomputed matrices and no gate looks at features, none are needed, and it returns
// nil.
func gatherSupport(r *run, m *predict.Model) (*kernels.Set, error) {
	r.gates.addSupport(m)
	if r.gates.usesFeatures() {
		return m.Gather(r.hard, r.Store, r.Options.Budget.Scratch)
	}
	for i := range r.Kernels.Groups {
		if r.Kernels.Groups[i].Base != kernels.MatrixRow {
			return m.Gather(r.hard, r.Store, r.Options.Budget.Scratch)
		}
	}
	return nil, nil
}

// centringOffset returns by how much the centring of linear kernels changes the decision values of
// a machine. alpha belongs to the support vectors rows of points, or to all of them if rows is nil.
func centringOffset(r *run, points *kernels.Set, rows []int32, alpha, theta []float64) float64 {
	if points == nil || !r.Kernels.Centres() {
		return 0
	}
	v := kernels.CentredSum(points, rows, alpha, r.Kernels.Shape.Shift)
	return r.Kernels.CentringOffset(theta, v)
}

// certificate returns the certificate of a solution, and says what it proves.
func certificate(r *run, s *chunking.Solution) model.Certificate {
	c := model.Certificate{
		Kind: ProvenGap, Primal: s.Certificate.Primal, Dual: s.Certificate.Dual,
		RelativeGap: s.Certificate.RelativeGap, Rounding: s.Certificate.Rounding,
	}
	for id, th := range s.Theta {
		if th > 0 && !r.Kernels.Definite(id) {
			c.Kind = Stationary
		}
	}
	return c
}

// modelLoss returns what a model says of the loss of a run.
func modelLoss(o *Options) string {
	if o.Problem.Loss == model.LossHinge {
		return ""
	}
	return o.Problem.Loss
}
