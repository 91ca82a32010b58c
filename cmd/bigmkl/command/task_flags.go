package command

import (
	"fmt"
	"slices"
	"strings"

	"bigmkl/model"
)

// taskFlag is a flag that belongs to the losses of some tasks alone.
type taskFlag struct {
	name  string
	tasks []string
}

// taskFlags lists these flags.
var taskFlags = slices.Concat(lossFlags(), []taskFlag{{"time", []string{model.TaskSurvival}}, {"event", []string{model.TaskSurvival}}})

// lossParameter is a number that the losses of some tasks have. It has the same name as its flag, its key in
// a file of options and in JSON, and the fact of a checkpoint.
type lossParameter struct {
	taskFlag
	of func(*model.Model) float64
}

// lossParameters lists them.
var lossParameters = []lossParameter{
	{taskFlag{"epsilon", model.TubeTasks}, func(m *model.Model) float64 { return m.Epsilon }},
	{taskFlag{"tau", model.TauTasks}, func(m *model.Model) float64 { return m.Tau }},
	{taskFlag{"delta", []string{model.TaskHuber}}, func(m *model.Model) float64 { return m.Delta }},
	{taskFlag{"nu", []string{model.TaskOneClass}}, func(m *model.Model) float64 { return m.Nu }},
}

// lossFlags lists their flags.
func lossFlags() (list []taskFlag) {
	for _, p := range lossParameters {
		list = append(list, p.taskFlag)
	}
	return list
}

// isOf reports whether a flag has an effect in a task.
func (f *taskFlag) isOf(task string) bool { return slices.Contains(f.tasks, task) }

// isTaskFlag reports whether a name belongs to such a flag which has an effect in a task.
func isTaskFlag(name, task string) bool {
	return slices.ContainsFunc(taskFlags, func(f taskFlag) bool { return f.name == name && f.isOf(task) })
}

// checkTaskFlags rejects flags that have no effect in a task.
func checkTaskFlags(task string, f *flags, faults *usageFaults) {
	for _, of := range taskFlags {
		tasks := strings.Join(of.tasks, " or ")
		hint := "leave it out, or write --task " + tasks
		if of.name == "epsilon" { // In other programs it is the tolerance of the solver.
			hint = "--gap is the relative duality gap to reach"
		}
		faults.require(!f.Changed(of.name) || of.isOf(task), hint, "--%s is an option of --task %s alone", of.name, tasks)
	}
}

// describeLossInUnits lists what the loss of a regression has in units of the targets.
func describeLossInUnits(m *model.Model) string {
	if m.Task == model.TaskHuber {
		return fmt.Sprintf("delta = %.4g", m.Delta)
	}
	return fmt.Sprintf("C = %.4g, epsilon = %.4g", m.C, m.Epsilon)
}

// lossJSON has what belongs to the losses of some tasks alone, and nothing for others.
type lossJSON struct {
	Epsilon *number `json:"epsilon,omitempty"`
	Tau     *number `json:"tau,omitempty"`
	// Taus are several quantiles, in place of Tau.
	Taus  []number `json:"taus,omitempty"`
	Delta *number  `json:"delta,omitempty"`
	Nu    *number  `json:"nu,omitempty"`
}

// newLossJSON returns that of a model.
func newLossJSON(m *model.Model) lossJSON {
	found := map[string]*number{}
	for _, p := range lossParameters {
		if p.isOf(m.Task) {
			x := number(p.of(m))
			found[p.name] = &x
		}
	}
	if m.Multiclass == model.Quantiles {
		found["tau"] = nil
	}
	return lossJSON{found["epsilon"], found["tau"], numbers(m.Taus), found["delta"], found["nu"]}
}
