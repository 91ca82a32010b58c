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
	v.check(v.Solver == "" || v.Solver == SolverNewton, "task %s with solver %s: it has newton alone", v.Task, v.Solver)
	v.check(v.Rule == nil, "a rule for the weights with task %s: its steps move the weights", v.Task)
	v.check(v.Tuning == chunking.Tuning{}, "choices of working sets with task %s, which has none", v.Task)
	v.check(v.Init == nil, "a start from another model with task %s, whose dual variables depend on all rows at risk", v.Task)
	v.check(v.Gating == "", "gates with task %s", v.Task)
}

func (coxWing) checkWithout(v *validation) {
	v.check(v.Solver != SolverNewton, "solver newton is for task cox, and not %s", v.Task)
}
