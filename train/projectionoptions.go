package train

import (
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/model"
	"bigmkl/projection"
)

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
		{o.Kernels.Normalize == "centred", "centred normalisation"},
	} {
		if f.is {
			return nil, fail.New(fail.Usage, "%s does not go with %s",
				fail.Quote(o.Kernels.Specs), f.what)
		}
	}
	return form, nil
}
