package train

import (
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/projection"
)

// projectionOf returns the kernels on projected features that the options ask for, with those beside
// them, none of either where several classifiers share gates, or nil. What does not go with that is
// of class fail.Usage.
func projectionOf(o *Options) (*projection.Bank, error) {
	bank, what := &projection.Bank{}, "one set of gates for all classifiers"
	switch {
	case projection.Has(o.Kernels.Specs):
		var err error
		if bank, err = projection.ParseBank(o.Kernels.Specs); err != nil {
			return nil, err
		}
		bank.Gated, what = o.Gating.Learned(), fail.Quote(bank.Forms[0].Text)
	case o.Gating.One && !o.Gating.Learned():
		return nil, fail.New(fail.Usage, "one set for all classifiers, and nothing that several classifiers share").
			WithHint("--one-gate is for gates that are learned, and for projections")
	case !o.Gating.One:
		return nil, nil
	}
	projects := len(bank.Forms) > 0
	p, n := &o.Problem, &o.Norm
	if p.Taus != nil {
		return nil, fail.New(fail.Usage, "%s does not go with several quantiles", what).
			WithHint("give one --tau to each of several models")
	}
	for _, f := range []struct {
		is   bool
		what string
	}{
		{p.traits().name != "", p.traits().name},
		{p.OneTheta, "one set of weights"},
		{p.JointCost, "a cost that is found"},
		{p.Posteriors.Asked(), "posteriors"},
		{o.Folds > 0, "probabilities"},
		{o.Gating.Gated() && !o.Gating.Learned(), "gates that are given"},
		{!n.IsBlockNorm() || n.Rule != nil, "another regulariser than the block norm"},
		{o.Solver.Method != "" && o.Solver.Method != MethodChunking || o.Solver.Rule != nil,
			"another solver than chunking"},
		{o.Init != nil, "a model to start from"},
		{projects && len(o.Data.Views) > 0, "views"},
		{o.Data.Missing != "", "views that rows lack"},
		{o.Data.Impute != "", "missing values"},
		{o.Data.Sequences != dataset.Numbers, "sequences"},
		{o.Kernels.Normalize == "spherical" && projects && len(bank.Others) == 0, "spherical normalisation"},
		{o.Kernels.Normalize == "centred", "centred normalisation"},
	} {
		if f.is {
			return nil, fail.New(fail.Usage, "%s does not go with %s", what, f.what)
		}
	}
	switch several := p.Multiclass != ""; {
	case several && !o.Gating.One:
		return nil, fail.New(fail.Usage, "%s with several classifiers, each with a projection of its own",
			what).WithHint("--one-gate learns one projection for all of them")
	case !several && o.Gating.One:
		return nil, fail.New(fail.Usage, "one set for all classifiers, and there is one classifier").
			WithHint("--one-gate goes with --multiclass ovr, ovo or labels")
	}
	return bank, nil
}
