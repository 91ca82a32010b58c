package train

import (
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/loss"
	"bigmkl/internal/model"
	"bigmkl/kernels"
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

// assembler makes the models of a run.
type assembler struct {
	options *Options
	store   *dataset.Store
	kernels *kernels.Prepared
	gates   *gates
	clock   *runClock
	doubts  *classifierDoubts
}

// newModel returns a model with what it records of the run, and without classifiers as yet.
func (a *assembler) newModel(f *calibration) *predict.Model {
	o := a.options
	m := &predict.Model{Model: model.Model{
		Task: o.Problem.Task, LossSettings: o.Problem.lossOfModel(), Norm: o.Norm.P,
		Regularizer: o.Norm.Regularizer, WeightRule: o.Norm.ruleForModel(), C: o.Problem.C,
		Gap: o.Solver.Gap, Precision: string(o.Solver.Precision),
		Tuning:         model.Tuning(o.Solver.Tuning),
		PositiveLabels: o.Data.Positive, NegativeWeight: 1, PositiveWeight: 1,
		RowWeights: a.store.Weights() != nil, Posteriors: a.store.Posteriors(), Points: a.store.Len(), SupportVectors: model.SupportVectors{Features: a.store.Dim()},
		Limit: o.Data.Limit, Fingerprint: a.store.Fingerprint(), Store: dataset.LayoutDense,
		Kernels: a.kernels.Specs, Views: o.Data.Views, Sequences: o.Data.Sequences, Seed: o.Seed,
		Medians: a.kernels.Expanded.Medians, Scaling: *a.store.Scaling(),
		Normalization: model.Normalization{
			Kind: o.Kernels.Normalize, Scale: a.kernels.Normalization.Scale,
			SampleSize:    a.kernels.Normalization.SampleSize,
			StandardError: a.kernels.Normalization.StandardError,
		},
	}}
	m.Occurring = a.store.Occurring()
	if m.Labeling() == dataset.Times {
		m.Censoring = CensoringOf(a.store.Targets(), a.store.Uppers())
	}
	if a.store.Sparse() {
		m.Store = dataset.LayoutSparse
	}
	if m.Posteriors != nil {
		m.PosteriorsOf = o.Problem.Posteriors.source()
	}
	m.Fill, m.Objects = a.kernels.Fills, a.kernels.Objects()
	a.addCentre(m)
	f.addSigmoids(o.Folds, a.doubts.warnings, m)
	a.gates.addTo(m)
	return m
}

// modelOfOne returns the model of the only classifier of a run. f is nil if it gives no
// probabilities.
func (a *assembler) modelOfOne(trained *solved, f *calibration) (*predict.Model, error) {
	a.clock.setOperation("the model was put together")
	s := &trained.solution
	o, m := a.options, a.newModel(f)
	m.Double, m.Theta, m.WNorms = trained.solver.Double(), s.Theta, s.WNorms
	m.Certificate = a.certificate(s)
	switch task := o.Problem.Task; {
	case model.ByMargin(task):
		names := a.store.Classes()
		m.Negative, m.Positive = names[0], names[1]
		m.NegativeWeight = o.Problem.classWeight(names[0])
		m.PositiveWeight = o.Problem.classWeight(names[1])
	case model.DescribesSupport(task):
		m.C = 1 // The problem has no cost, and nu in its place.
	}
	if l, ok := trained.loss.(*loss.Cox); ok {
		m.Baseline = baselineOf(l, trained)
	}
	if o.Problem.JointCost {
		m.CostWeight = &s.CostWeight
	}
	m.RowPairs = rowPairs(trained)
	for i, x := range s.Alpha {
		if x != 0 {
			m.Support, m.Alpha = append(m.Support, int32(i)), append(m.Alpha, x)
		}
	}
	points, err := a.gatherSupport(m)
	if err != nil {
		return nil, err
	}
	// Predictions use plain products where the training used centred ones. The bias makes up for
	// it.
	if !model.HasPairs(m.Task) { // whose differences have none
		m.Bias = s.Certificate.Bias - a.centringOffset(points, nil, m.Alpha, s.Theta)
	}
	a.chargeCosts(m)
	a.addOdds(m)
	a.doubts.classifier(trained, s.Theta, "", m.Convergence().Untrained() > 0)
	a.doubts.jointCost(m)
	return m, nil
}

// addOdds gives a model with all of its classifiers the sigmoids of decision values that are the logarithms of odds.
func (a *assembler) addOdds(m *predict.Model) {
	if model.GivesOdds(m.Task) {
		m.Sigmoids = model.OddsSigmoids(&m.Model)
	}
}

// chargeCosts records in a model with all of its classifiers what a decision costs, if kernels have
// costs.
func (a *assembler) chargeCosts(m *predict.Model) {
	if d := a.kernels.Expanded.Costs(); d != nil {
		m.Costs = &model.Costs{Power: a.options.Norm.costPower(), Total: m.Active().TotalCost(len(m.Support), d)}
	}
}

// gatherSupport gives the model the features of its support vectors and returns them. If all
// kernels are precomputed matrices and no gate looks at features, none are needed, and it returns
// nil.
func (a *assembler) gatherSupport(m *predict.Model) (*kernels.Set, error) {
	a.gates.addSupport(m)
	if a.gates.usesFeatures() {
		return m.Gather(a.clock.hard, a.store, a.options.Budget.Scratch)
	}
	for i := range a.kernels.Groups {
		if a.kernels.Groups[i].Base != kernels.MatrixRow {
			return m.Gather(a.clock.hard, a.store, a.options.Budget.Scratch)
		}
	}
	return nil, nil
}

// centringOffset returns by how much the centring of linear kernels changes the decision values of
// a classifier. alpha belongs to the support vectors rows of points, or to all of them if rows is
// nil.
func (a *assembler) centringOffset(points *kernels.Set, rows []int32, alpha, theta []float64) float64 {
	if points == nil || !a.kernels.Centres() {
		return 0
	}
	v := kernels.CentredSum(points, rows, alpha, a.kernels.Shape.Shift)
	return a.kernels.CentringOffset(theta, v)
}

// certificate returns the certificate of a solution with what it proves.
func (a *assembler) certificate(s *chunking.Solution) model.Certificate {
	c := model.Certificate{
		Kind: ProvenGap, Primal: s.Certificate.Primal, Dual: s.Certificate.Dual,
		RelativeGap: s.Certificate.RelativeGap, Rounding: s.Certificate.Rounding,
	}
	for id, th := range s.Theta {
		if th > 0 && !a.kernels.Definite(id) {
			c.Kind = Stationary
		}
	}
	return c
}
