package bigmkl

import (
	"bigmkl/chunking"
	"bigmkl/internal/model"
)

// coxWing is the family of tasks of relative hazards. Their dual variables depend on each other through the rows at risk, so
// every step moves all of them.
type coxWing struct{ plainWing }

var _ wing = coxWing{}

func (coxWing) has(o *Options) bool { return model.GivesHazards(o.Task) }

func (coxWing) check(v *validation) {
	v.check(v.Solver == "" || v.Solver == SolverNewton, "task %s has only solver newton, and not %s", v.Task, v.Solver)
	v.check(v.Rule == nil, "task %s cannot be combined with a rule for the weights, because its steps move the weights", v.Task)
	v.check(v.Tuning == chunking.Tuning{}, "task %s has no working sets, so it takes no options for them", v.Task)
	v.check(v.Init == nil, "task %s cannot start from another model, because its dual variables depend on all rows at risk", v.Task)
	v.check(v.Gating == "", "task %s cannot be combined with gates", v.Task)
}

func (coxWing) checkWithout(v *validation) {
	v.check(v.Solver != SolverNewton, "solver newton is for task cox, and not %s", v.Task)
}
