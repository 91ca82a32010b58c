package bigmkl

import (
	"fmt"
	"slices"

	"bigmkl/chunking"
	"bigmkl/chunking/loss"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/model"
)

// The tasks: classification by the hinge loss, regression by the epsilon-insensitive or the squared loss, and the support of a
// distribution.
const (
	TaskClass    = model.TaskClass
	TaskSVR      = model.TaskSVR
	TaskSquare   = model.TaskSquare
	TaskOneClass = model.TaskOneClass
)

const (
	defaultEpsilon = 0.1
	defaultNu      = 0.5
)

// Labeling is what the labels of the data are.
func (o *Options) Labeling() dataset.Labeling {
	m := model.Model{Task: o.Task, Multiclass: o.Multiclass}
	return m.Labeling()
}

// taskLoss makes the loss of the task from what the data say beside the features.
func (t *training) taskLoss() (chunking.Loss, error) {
	o, weights := &t.o, t.store.Weights()
	switch o.Task {
	case TaskSVR:
		return loss.NewInsensitive(t.store.Targets(), o.C, weights, o.Epsilon), nil
	case TaskSquare:
		return loss.NewLeastSquares(t.store.Targets(), o.C, weights), nil
	case TaskOneClass:
		if weights != nil {
			return nil, fail.New(fail.Usage, "row weights say what a row's loss costs, and one class has none")
		}
		return loss.NewOneClass(t.store.Len(), o.Nu), nil
	}
	cost, err := t.classes()
	if err != nil {
		return nil, err
	}
	y := make([]int8, t.store.Len())
	for i, c := range t.store.Labels() {
		y[i] = 2*int8(c) - 1
	}
	return loss.NewHinge(y, cost, weights), nil
}

// classes checks that there are two and gives the cost of each.
func (t *training) classes() (cost [2]float64, err error) {
	names := t.store.Classes()
	if len(names) != 2 {
		count := make([]int, len(names))
		for _, c := range t.store.Labels() {
			count[c]++
		}
		switch {
		case t.store.Columns():
			return cost, fail.New(fail.Input, "%d classes where two are needed, and no row has a feature", len(names)).WithHint(dataset.ColumnsHint)
		case len(names) == 1:
			return cost, fail.New(fail.Input, "only one class: all %d rows are %s", count[0], fail.Word(names[0]))
		}
		return cost, fail.New(fail.Input, "%d classes where two are needed: %s", len(names), fail.List(func(c int) string { return fmt.Sprintf("%s (%d)", fail.Label(names[c]), count[c]) }, len(names))).
			WithHint("--multiclass ovr or ovo trains several machines; --positive names the labels to set against the rest")
	}
	for label := range t.o.ClassWeight {
		if l, err := dataset.CanonicalLabel(label); err != nil || l != names[0] && l != names[1] {
			return cost, fail.New(fail.Usage, "class weight for %s, which is neither %s nor %s", fail.Quote(label), fail.Word(names[0]), fail.Word(names[1]))
		}
	}
	for c, name := range names {
		cost[c] = t.o.C * t.o.classWeight(name)
	}
	return cost, nil
}

func (o *Options) classWeight(name string) float64 {
	for label, w := range o.ClassWeight {
		if l, err := dataset.CanonicalLabel(label); err == nil && l == name {
			return w
		}
	}
	return 1
}

// checkTask finds options that make no sense for the task.
func (o *Options) checkTask(check func(ok bool, format string, args ...any)) {
	check(slices.Contains(model.Tasks, o.Task), "unknown task %s (class, svr, square or oneclass)", fail.Quote(o.Task))
	check(o.Epsilon >= 0 && o.Epsilon-o.Epsilon == 0, "epsilon = %g is not a number >= 0", o.Epsilon)
	check(o.Nu > 0 && o.Nu < 1, "nu = %g is not between 0 and 1", o.Nu)
	check(o.Multiclass == "" || slices.Contains(model.Multiclasses, o.Multiclass), "unknown kind of several machines %s (ovr, ovo or labels)", fail.Quote(o.Multiclass))
	check(o.Multiclass == "" || o.Positive == nil, "positive labels make two classes, and several machines are for more")
	o.checkOneTheta(check)
	check(o.Multiclass == "" || o.Init == nil, "a start from another model with several machines")
	check(o.Init == nil || !o.Init.Several(), "the model to start from has several machines")
	check(o.Folds == 0 || o.Folds >= 2, "%d folds where at least 2 are needed", o.Folds)
	if o.Task != TaskClass {
		check(o.Folds == 0, "probabilities of classes, and task %s has none", o.Task)
		check(o.Positive == nil, "positive labels make classes, and task %s has none", o.Task)
		check(o.Multiclass == "", "several machines tell classes apart, and task %s has none", o.Task)
		check(o.ClassWeight == nil, "class weights without classes, in task %s", o.Task)
	}
}
