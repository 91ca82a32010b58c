package command

import (
	"fmt"
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/evaluate/bound"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// inspectJSON is the object that inspect --json prints. If a model has several classifiers, the
// weights are averages over them.
type inspectJSON struct {
	// N is the number of training rows, and D the number of their features.
	Task    string `json:"task"`
	Loss    string `json:"loss,omitempty"`
	N       int    `json:"n"`
	D       int    `json:"d"`
	Kernels int    `json:"kernels"`
	// P is the block norm. Norm describes a norm that P alone does not define, and is absent otherwise.
	P    blockNorm `json:"p"`
	Norm string    `json:"norm,omitempty"`
	C    number    `json:"C"`
	// CostWeight is absent unless C was found along with the weights.
	CostWeight *number `json:"cost_weight,omitempty"`
	lossJSON
	// Gap is the relative gap that the training had to reach, and RelativeGap the gap of the model.
	Gap         number `json:"gap"`
	Precision   string `json:"precision"`
	Certificate string `json:"certificate"`
	Primal      number `json:"primal"`
	Dual        number `json:"dual"`
	RelativeGap number `json:"relative_gap"`
	Converged   bool   `json:"converged"`
	// Untrained counts the classifiers for which no step was taken.
	Untrained      int `json:"untrained"`
	SupportVectors int `json:"support_vectors"`
	// Costs is absent if no kernel has a cost, and Charged without --charge.
	Costs          *costsJSON `json:"costs,omitempty"`
	Charged        *costsJSON `json:"charged,omitempty"`
	Bias           number     `json:"bias"`
	Positive       string     `json:"positive"`
	Negative       string     `json:"negative"`
	PositiveLabels []string   `json:"positive_labels"`
	// Folds is the number of folds that fitted the probabilities. FoldsApart is set if each fold had
	// scaling, widths and normalisation from its own training rows.
	Folds      int  `json:"folds,omitempty"`
	FoldsApart bool `json:"folds_apart,omitempty"`
	// Calibration is absent if the model has no calibration scores.
	Calibration *calibrationJSON `json:"calibration,omitempty"`
	// Sigmoid is absent if the model has several classifiers, which have one each.
	Sigmoid *sigmoidJSON `json:"sigmoid,omitempty"`
	// The weights are cost factors of the two classes, 1 by default.
	PositiveWeight number `json:"positive_weight"`
	NegativeWeight number `json:"negative_weight"`
	RowWeights     bool   `json:"row_weights"`
	// Posteriors is absent if the labels were certain.
	Posteriors *posteriorsJSON `json:"posteriors,omitempty"`
	Limit      int             `json:"limit"`
	// Fingerprint is a hash of the training data, 16 hexadecimal digits. Numbers of 64 bits are not
	// exact in JSON.
	Fingerprint string         `json:"fingerprint"`
	Store       dataset.Layout `json:"store"`
	Specs       []string       `json:"specs"`
	Seed        uint64         `json:"seed"`
	// Medians are the typical distances from which widths of auto and mean are computed.
	Medians       []number   `json:"medians"`
	Scaling       string     `json:"scaling"`
	ScalingChoice string     `json:"scaling_choice,omitempty"`
	Impute        string     `json:"impute,omitempty"`
	Normalization string     `json:"normalization"`
	SampleSize    int        `json:"normalization_sample"`
	CentreRows    int        `json:"centre_rows,omitempty"`
	Views         []viewJSON `json:"views"`
	Sequences     string     `json:"sequences,omitempty"`
	// Objects is absent unless rows name objects.
	Objects []objectsJSON `json:"objects,omitempty"`
	// Stream is absent unless the training data are part of a stream.
	Stream *model.Stream `json:"stream,omitempty"`
	// Gates is absent unless kernels have gates.
	Gates *gatingJSON `json:"gates,omitempty"`
	// Projection is absent unless the kernel sees projected features.
	Projection *projectionJSON `json:"projection,omitempty"`
	// Missing is absent unless rows may lack views.
	Missing *missingJSON `json:"missing,omitempty"`
	// Columns is absent unless the training data were a table.
	Columns *dataset.Columns `json:"columns,omitempty"`
	// BlockNorm is ||w||_{2,p}. Active counts kernels with a weight. By names the parts of Weights:
	// kind, region, group, view or kernel.
	BlockNorm  number       `json:"w_block_norm"`
	Active     int          `json:"active"`
	By         string       `json:"by"`
	Weights    []partJSON   `json:"weights"`
	Heaviest   []kernelJSON `json:"heaviest"`
	Multiclass string       `json:"multiclass,omitempty"`
	discriminantJSON
	mixtureJSON
	ClassWeights []number `json:"class_weights,omitempty"`
	// Classifiers is absent if the model has one classifier.
	Classifiers []classifierJSON `json:"machines,omitempty"`
}

// viewJSON is a view, whose features count from 1.
type viewJSON struct {
	Name  string `json:"name"`
	First int    `json:"first"`
	Last  int    `json:"last"`
}

// partJSON is a group, a view, a kind of kernels or a single kernel, with its share of the weights.
// Share is the share of ||w||, from 0 to 1. Theta is the sum over the kernels of the part.
type partJSON struct {
	Name    string `json:"name"`
	Kernels int    `json:"kernels"`
	Active  int    `json:"active"`
	Theta   number `json:"theta"`
	Share   number `json:"share"`
}

// kernelJSON describes one kernel. Number is its place in theta and counts from 0.
type kernelJSON struct {
	Number int    `json:"index"`
	Spec   string `json:"spec"`
	Theta  number `json:"theta"`
	WNorm  number `json:"w_norm"`
	Share  number `json:"share"`
}

// newInspectJSON converts a model to the object that --json prints, with its kernels in the
// given order. charge holds other costs to charge; it may be nil. Programs rely on the keys, so
// a value that a model does not have is null or absent, and never another value.
func newInspectJSON(m *model.Model, b *kernelspec.Bank, order []int,
	charge []float64) inspectJSON {
	c, _ := m.Convergence().Worst()
	j := inspectJSON{
		Task: m.Task, Loss: m.Loss, N: m.Points, D: m.Features, Kernels: len(m.Theta), P: blockNorm(m.Norm),
		Norm: describeUnusualNorm(m, b), C: number(costOf(m)), CostWeight: newCostWeight(m), lossJSON: newLossJSON(m), Gap: number(m.Gap),
		Precision: m.Precision, Certificate: c.Kind, Primal: number(c.Primal), Dual: number(c.Dual),
		RelativeGap: number(c.RelativeGap), Converged: m.Convergence().Reached(), Untrained: m.Convergence().Untrained(),
		SupportVectors: len(m.Support), Bias: number(m.Bias), Positive: m.Positive,
		Negative: m.Negative, PositiveLabels: m.PositiveLabels,
		PositiveWeight: number(m.PositiveWeight), NegativeWeight: number(m.NegativeWeight),
		RowWeights: m.RowWeights, Limit: m.Limit,
		Fingerprint: fmt.Sprintf("%016x",
			m.Fingerprint), Store: m.Store, Specs: m.Kernels, Seed: m.Seed,
		Medians: numbers(m.Medians), Scaling: m.Input().Scaling().Kind, ScalingChoice: m.Input().Scaling().Choice, Impute: m.Scaling.Impute,
		Normalization: m.Normalization.Kind, SampleSize: m.Normalization.SampleSize,
		Views: []viewJSON{},
	}
	j.Costs, j.Charged = newCostsJSON(m, b, b.Costs()), newCostsJSON(m, b, charge)
	if j.Charged != nil {
		j.Charged.Power = nil // The norm had the costs of the model, and not these.
	}
	if j.Gates = newGatingJSON(m); j.Gates != nil && j.Gates.learnedJSON != nil {
		j.Gates.Each = newGatesJSON(m, b)
	}
	if m.Centre != nil {
		j.CentreRows = len(m.Centre.Rows)
	}
	j.Objects = newObjectsJSON(m.Objects)
	j.Missing, j.mixtureJSON = newMissingJSON(m), newMixtureJSON(m)
	j.Projection = newProjectionJSON(m, true)
	j.Sequences, j.Columns, j.Folds, j.FoldsApart = string(m.Sequences), m.Columns, m.Folds, m.FoldsApart
	j.Stream, j.Posteriors, j.Calibration = m.Stream, newPosteriorsJSON(m), newCalibrationJSON(m.Conformal)
	if !m.Several() {
		j.Sigmoid = newSigmoidJSON(m, 0)
	}
	for _, v := range m.Views {
		j.Views = append(j.Views, viewJSON(v))
	}
	by, list := summarizeWeights(m, b)
	j.By, j.BlockNorm = by, number(bound.Norm(m.WNorms, m.Norm))
	for _, p := range list {
		j.Active += p.Active
		j.Weights = append(j.Weights,
			partJSON{p.Name, p.Kernels, p.Active, number(p.Theta), number(p.Share)})
	}
	total := sum(m.WNorms)
	if m.Several() {
		// Each classifier has a bias, and without one theta also a primal and a dual value. One
		// number for all of them would mean nothing.
		none := number(math.NaN())
		if j.Bias = none; !m.OneTheta {
			j.Primal, j.Dual, j.BlockNorm = none, none, none
		}
		j.discriminantJSON = newDiscriminantJSON(m)
		j.Multiclass, j.Classes, j.ClassWeights, j.Classifiers = m.Multiclass, m.Classes, numbers(m.ClassWeights), newClassifiersJSON(m, nil)
	}
	for _, id := range order {
		w := m.WNorms[id]
		j.Heaviest = append(j.Heaviest,
			kernelJSON{id, b.Describe(id), number(m.Theta[id]), number(w), number(ratio(w, total))})
	}
	return j
}
