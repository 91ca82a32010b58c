package train

import (
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/model"
	"bigmkl/projection"
)

// projectionOf returns the kernels on projected features that the options ask for, with those beside
// them, or nil. What goes with none is of class fail.Usage.
func projectionOf(o *Options) (*projection.Bank, error) {
	if !projection.Has(o.Kernels.Specs) {
		if o.Gating.One {
			return nil, fail.New(fail.Usage, "one set for all machines, and nothing that several machines share").
				WithHint("--one-gate is for projections of several machines, as in --kernels 'proj(gauss:0.5,2)' --multiclass ovr")
		}
		return nil, nil
	}
	bank, err := projection.ParseBank(o.Kernels.Specs)
	if err != nil {
		return nil, err
	}
	p, n := &o.Problem, &o.Norm
	for _, f := range []struct {
		is   bool
		what string
	}{
		{p.Task == model.TaskRKDA, "discriminant analysis"},
		{model.HasComponents(p.Task), "task " + p.Task},
		{p.Multiclass == model.SingleMachine, "one machine for all classes"},
		{p.OneTheta, "one set of weights"},
		{p.JointCost, "a cost that is found"},
		{p.Posteriors.Asked(), "posteriors"},
		{o.Folds > 0, "probabilities"},
		{o.Gating.Gated(), "gates"},
		{n.GroupNorm != 0 || n.ElasticNet != 0 || n.SquaredNorm != 0 || n.Interaction != nil ||
			n.Weights != nil || n.Rule != nil, "another regulariser than the block norm"},
		{o.Solver.Method != "" && o.Solver.Method != MethodChunking || o.Solver.Rule != nil,
			"another solver than chunking"},
		{o.Init != nil, "a model to start from"},
		{!o.Team.Alone(), "ranks"},
		{len(o.Data.Views) > 0 || o.Data.Missing != "", "views"},
		{o.Data.Sequences != dataset.Numbers, "sequences"},
		{o.Kernels.Normalize == "spherical" && len(bank.Others) == 0, "spherical normalisation"},
		{o.Kernels.Normalize == "centred", "centred normalisation"},
	} {
		if f.is {
			return nil, fail.New(fail.Usage, "%s does not go with %s",
				fail.Quote(bank.Forms[0].Text), f.what)
		}
	}
	switch several := p.Multiclass != ""; {
	case several && !o.Gating.One:
		return nil, fail.New(fail.Usage, "%s with several machines, each with a projection of its own",
			fail.Quote(bank.Forms[0].Text)).WithHint("--one-gate learns one projection for all of them")
	case !several && o.Gating.One:
		return nil, fail.New(fail.Usage, "one projection for all machines, and there is one machine").
			WithHint("--one-gate goes with --multiclass ovr, ovo or labels")
	}
	return bank, nil
}
