package train

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
	"bigmkl/internal/loss"
	"bigmkl/internal/model"
)

// Each loss is a function of the decision value f = f(x_i) and of what is known of row i. C is the
// cost of the loss, and w_i the weight of the row, times that of its class:
//
//	class     C w_i max(0, 1 - y_i f),  y_i = +1 or -1; with a squared hinge
//	          C w_i max(0, 1 - y_i f)^2 / 2; posteriors.go has uncertain labels
//	logistic  C w_i log(1 + exp(-y_i f)),  y_i = +1 or -1
//	svr       C w_i max(0, |f - y_i| - epsilon)
//	square    C w_i (f - y_i)^2 / 2
//	quantile  C w_i (tau max(0, y_i - f - epsilon) + (1 - tau) max(0, f - y_i - epsilon))
//	expectile C w_i (tau max(0, y_i - f)^2 + (1 - tau) max(0, f - y_i)^2) / 2
//	huber     C w_i (f - y_i)^2 / 2 up to |f - y_i| = delta, and C w_i delta (|f - y_i| - delta / 2) beyond
//	survival  2 C w_i (tau max(0, log l_i - f - epsilon) + (1 - tau) max(0, f - log u_i - epsilon)) of the bounds
//	          l_i <= t_i <= u_i of a time, without the term of a bound that is not known
//	cox       C times the partial likelihood's negative logarithm; see loss.Cox
//	oneclass  w_i max(0, -f) / (nu n), of n points
//	rank      C sum over pairs (i,j) of rows of one group, i of larger relevance, of max(0, 1 - (f_i - f_j))
//	survival-ranking  C sum over pairs of a row i and the last, second, fourth, eighth .. last event j before its time of
//	          max(0, log t_i - log t_j - (f_i - f_j))
//
// Sums over rows follow the order of the rows, which is therefore part of the bits of a model.

// labelledRows are the rows of a run with the problem that is made of what is known of them: labels,
// targets, weights and posteriors. The rows have been read.
type labelledRows struct {
	store   *dataset.Store
	problem *Problem
}

// loss returns the loss of the task.
func (r labelledRows) loss() (chunking.Loss, error) {
	o := r.problem
	if model.HasPairs(o.Task) {
		return rankedRows{r}.loss(), nil
	}
	p := &loss.Problem{
		Rows: r.store.Len(), Weights: r.store.Weights(), Cost: o.C,
		LossSettings: o.LossSettings,
	}
	switch model.Labeling(o.Task) {
	case dataset.Ignored:
		if err := checkOneClass(p); err != nil {
			return nil, err
		}
	case dataset.Targets:
		p.Targets = r.store.Targets()
	case dataset.Times:
		p.Targets, p.Uppers = r.store.Targets(), r.store.Uppers()
		if err := checkTimes(p.Targets, p.Uppers); err != nil {
			return nil, err
		}
		if model.GivesHazards(o.Task) && p.Uppers != nil {
			return nil, fail.New(fail.Input, "upper bounds of times in task %s: it takes the time of an event or of its censoring", o.Task).
				WithHint("--task survival takes bounds")
		}
	default:
		var err error
		if p.ClassCosts, err = r.classCosts(); err != nil {
			return nil, err
		}
		if r.store.Posteriors() != nil {
			return r.softLoss(p)
		}
		// The second class in the order of the names is the positive one.
		p.Labels = make([]int8, r.store.Len())
		for i, c := range r.store.Labels() {
			p.Labels[i] = 2*int8(c) - 1
		}
	}
	l := loss.OfTask(o.Task, p)
	if squared, ok := l.(loss.Squared); ok && o.JointCost {
		return loss.NewJointCost(squared), nil
	}
	return l, nil
}

// check returns an error if the rows are none of the problem: of too few classes, or of times without an event.
func (r labelledRows) check() error {
	d, err := r.decompose(&warnings{result: &Result{}})
	if d == nil && err == nil {
		_, err = r.loss()
	}
	return err
}

// checkOneClass rejects weights of one class whose mean is not 1. Their bounds w_i/(nu n) then sum to
// 1/nu, as without weights, and nu is the share of the weights that may be left out.
func checkOneClass(p *loss.Problem) error {
	if p.Weights == nil {
		return nil
	}
	const rounding = 1e-9
	mean := 0.0
	for _, w := range p.Weights {
		mean += w / float64(p.Rows)
	}
	if !(math.Abs(mean-1) <= rounding) {
		return fail.New(fail.Usage, "row weights whose mean is %.10g, where those of one class have a mean of 1", mean).
			WithHint("divide them by their mean")
	}
	return nil
}

// classCosts returns the cost of each of two classes. Data with another number of classes are of
// class fail.Input, with the hint that is likely to help.
func (r labelledRows) classCosts() (cost [2]float64, err error) {
	names := r.store.Classes()
	if len(names) != 2 {
		count := make([]int, len(names))
		for _, c := range r.store.Labels() {
			count[c]++
		}
		switch {
		case r.store.Columns():
			// A table was read as rows of labels: its columns are not features.
			return cost, fail.New(fail.Input,
				"%d classes where two are needed, and no row has a feature", len(names)).
				WithHint(dataset.ColumnsHint)
		case len(names) == 1:
			return cost, fail.New(fail.Input, "only one class: all %d rows are %s",
				count[0], fail.Word(names[0]))
		}
		counted := func(c int) string {
			return fmt.Sprintf("%s (%d)", fail.Label(names[c]), count[c])
		}
		hint := "--multiclass ovr or ovo trains several classifiers; " +
			"--positive names the labels to set against the rest"
		if !slices.ContainsFunc(names, func(s string) bool { return !isNumber(s) }) {
			hint += "; --task svr or square takes the labels as numbers to predict"
		}
		if r.problem.traits().componentColumns {
			hint = "--positive names the labels to set against the rest"
		}
		return cost, fail.New(fail.Input, "%d classes where two are needed: %s",
			len(names), fail.List(counted, len(names))).WithHint("%s", hint)
	}
	for label := range r.problem.ClassWeight {
		if l, err := labeltext.Canonical(label); err != nil || l != names[0] && l != names[1] {
			return cost, fail.New(fail.Usage, "class weight for %s, which is neither %s nor %s",
				fail.Quote(label), fail.Word(names[0]), fail.Word(names[1]))
		}
	}
	for c, name := range names {
		cost[c] = r.problem.C * r.problem.classWeight(name)
	}
	return cost, nil
}

// isNumber reports whether the name of a class is an integer.
func isNumber(name string) bool {
	digits := strings.TrimPrefix(name, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}
