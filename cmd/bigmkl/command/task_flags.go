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
var taskFlags = []taskFlag{
	{"epsilon", model.TubeTasks}, {"tau", model.TauTasks}, {"delta", []string{model.TaskHuber}}, {"nu", []string{model.TaskOneClass}},
	{"time", []string{model.TaskSurvival}}, {"event", []string{model.TaskSurvival}},
}

// isTaskFlag reports whether a name is that of such a flag which has an effect in a task.
func isTaskFlag(name, task string) bool {
	return slices.ContainsFunc(taskFlags, func(f taskFlag) bool { return f.name == name && slices.Contains(f.tasks, task) })
}

// checkTaskFlags refuses flags that have no effect in a task.
func checkTaskFlags(task string, f *flags, faults *usageFaults) {
	for _, of := range taskFlags {
		tasks := strings.Join(of.tasks, " or ")
		hint := "leave it out, or write --task " + tasks
		if of.name == "epsilon" { // In other programs it is the tolerance of the solver.
			hint = "--gap is the relative duality gap to reach"
		}
		faults.require(!f.Changed(of.name) || slices.Contains(of.tasks, task), hint, "--%s is an option of --task %s alone", of.name, tasks)
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
	Delta   *number `json:"delta,omitempty"`
	Nu      *number `json:"nu,omitempty"`
}

// newLossJSON returns that of a model.
func newLossJSON(m *model.Model) lossJSON {
	of := func(name string, x float64) *number {
		if !isTaskFlag(name, m.Task) {
			return nil
		}
		n := number(x)
		return &n
	}
	return lossJSON{of("epsilon", m.Epsilon), of("tau", m.Tau), of("delta", m.Delta), of("nu", m.Nu)}
}
