package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// AddTrace adds the way of a training to its optimum: the gap, the weights, the time and the memory.
// names holds the name of each kernel. A trace of another number of kernels is of class fail.Input; of
// one that does not end where the model is the page warns.
func (p *Page) AddTrace(t *Trace, m *model.Model, names []string) error {
	classifiers := t.classifiers()
	first, last := classifiers[0][0], t.last[len(t.last)-1]
	text := fmt.Sprintf("The training took %d iterations and %s seconds.", t.total, number(last.Seconds))
	if len(classifiers) > 1 {
		text = fmt.Sprintf("%d classifiers were trained one after the other, in %d iterations and %s seconds.", len(classifiers), t.total, number(last.Seconds))
	}
	if t.folds > 0 {
		text += fmt.Sprintf(" %d iterations of trainings for the probabilities are not shown.", t.folds)
	}
	// A continued run with a trace file of its own has the iterations since the checkpoint alone.
	if first.Iteration > 1 {
		text += " The trace begins in the middle, because an earlier run was continued."
	}
	// A trace has no name of its model. The number of kernels and the primal value at the end are what
	// both have.
	if first.Kernels != len(names) {
		return fail.New(fail.Input, "the trace is of %d kernels, the model has %d", first.Kernels, len(names)).
			WithHint("name the trace of the training of this model")
	}
	// A certificate adds a bound of the rounding errors to the primal value, so both values may differ
	// by a part of the gap.
	if traced, primal := t.primal(), primalOf(m); math.Abs(traced-primal) > max(m.Gap, 1e-6)*math.Abs(primal) {
		text = fmt.Sprintf("Careful: this trace is of another training, or of one that was ended early. It ends at the primal value %s, and that of the model is %s. ",
			precise(traced), precise(primal)) + text
	}
	figures := convergenceCharts(classifiers, last.Target)
	if weights := weightChart(classifiers, names); weights != nil {
		// The weights come behind the two charts of the gap, which are about the end of the training.
		figures = slices.Insert(figures, 2, *weights)
	}
	// Each of these charts is a LineChart, of which the script knows the axes.
	for k := range figures {
		figures[k].Zoom = true
	}
	p.add("convergence", "How the training went", block{Text: text}, block{Figures: figures},
		paragraph("Where scripts run, a part of a chart is enlarged by dragging over it, and a double click shows all of it again."))
	return nil
}

// primal returns the sum of the last primal values of all classifiers, NaN if one of them is not
// known. The sum is one number that a trace and its model have in common.
func (t *Trace) primal() (sum float64) {
	for k := range t.last {
		sum += orNaN(t.last[k].Primal)
	}
	return sum
}

// primalOf returns the sum of the primal values of all classifiers of a model. Classifiers that were
// trained together, with one theta, have one primal value.
func primalOf(m *model.Model) (sum float64) {
	if len(m.Classifiers) == 0 || m.OneTheta {
		return m.Certificate.Primal
	}
	for k := range m.Classifiers {
		sum += m.Classifiers[k].Certificate.Primal
	}
	return sum
}

// longestOf returns the iterations of the classifier that has the most of them.
func longestOf(classifiers [][]Iteration) []Iteration {
	longest := classifiers[0]
	for _, of := range classifiers {
		if len(of) > len(longest) {
			longest = of
		}
	}
	return longest
}

// ofLongest names the classifier of a chart that shows one of several.
func ofLongest(classifiers [][]Iteration) string {
	if len(classifiers) > 1 {
		return " Of the classifier with the most iterations."
	}
	return ""
}

// weightChart draws the weights of the kernels that are heaviest at the end. It returns nil if the
// trace does not have them. The weights theta are on a linear axis: weights near 0 do not matter, and a
// logarithm would show them most.
func weightChart(classifiers [][]Iteration, names []string) *figure {
	of := longestOf(classifiers)
	// Weights of early iterations change much and mean little. The kernels of the chart are
	// chosen by the end.
	last := of[len(of)-1].Theta
	if last == nil {
		return nil
	}
	// Eight lines are as many as the style sheet has colours.
	order := make([]int, len(last))
	for m := range order {
		order[m] = m
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(last[b], last[a]) })
	c := LineChart{Label: "weights of kernels against iterations", X: Axis{Name: "iterations", Whole: true}, Y: Axis{Name: "weight theta"}}
	for _, m := range order[:min(len(order), colours)] {
		c.Lines = append(c.Lines, lineOf(names[m], of, func(i *Iteration) float64 { return float64(i.Iteration) },
			func(i *Iteration) float64 {
				if i.Theta == nil {
					return math.NaN()
				}
				return i.Theta[m]
			}))
	}
	caption := "How the weights of the kernels moved."
	if len(order) > colours {
		caption = fmt.Sprintf("How the weights of the kernels moved: the %d that are heaviest at the end, of %d.", colours, len(order))
	}
	return &figure{Chart: c.draw(), Caption: caption + ofLongest(classifiers)}
}

// convergenceCharts draws the gap, its two sides, the kernels in use, the cache and the memory.
func convergenceCharts(classifiers [][]Iteration, target float64) []figure {
	seconds := Axis{Name: "seconds"}
	var all []Iteration
	longest := longestOf(classifiers)
	for _, of := range classifiers {
		all = append(all, of...)
	}
	at := func(i *Iteration) float64 { return i.Seconds }
	var gaps []Line
	// Up to eight classifiers have lines of different colours. More of them share one line, which is
	// interrupted between classifiers by a point that is not a number.
	if len(classifiers) <= colours {
		for k, of := range classifiers {
			gaps = append(gaps, lineOf(fmt.Sprintf("classifier %d", k+1), of, at, func(i *Iteration) float64 { return orNaN(i.Gap) }))
		}
	} else {
		one := Line{Name: "gap"}
		for _, of := range classifiers {
			// All classifiers together have as many points as a line has otherwise, and each has two
			// at least.
			l := lineOf("", of, at, func(i *Iteration) float64 { return orNaN(i.Gap) }).thin(mostPoints / min(len(classifiers), mostPoints/2))
			one.X, one.Y = append(append(one.X, l.X...), l.X[len(l.X)-1]), append(append(one.Y, l.Y...), math.NaN())
		}
		gaps = []Line{one}
	}
	// The axis is logarithmic because a gap falls by orders of magnitude. Its target is the dashed
	// rule.
	gap := LineChart{Label: "relative duality gap against time", X: seconds, Y: Axis{Name: "relative duality gap", Log: true}, Lines: gaps,
		Rule: target, RuleName: "asked for"}
	step := func(i *Iteration) float64 { return float64(i.Iteration) }
	sides := LineChart{Label: "primal and dual value against iterations", X: Axis{Name: "iterations", Whole: true}, Y: Axis{Name: "objective"}, Lines: []Line{
		lineOf("primal", longest, step, func(i *Iteration) float64 { return orNaN(i.Primal) }),
		lineOf("dual", longest, step, func(i *Iteration) float64 { return orNaN(i.Dual) })}}
	active := LineChart{Label: "kernels with a weight against time", X: seconds, Y: Axis{Name: "kernels with a weight", Whole: true},
		Lines: []Line{lineOf("kernels", all, at, func(i *Iteration) float64 { return float64(i.Active) })}}
	charts := []figure{
		{Chart: gap.draw(), Caption: "The gap bounds the distance from the optimum. The training ends when it falls below the dashed line."},
		{Chart: sides.draw(), Caption: "Both sides of the gap: the optimum lies between the two." + ofLongest(classifiers)},
		{Chart: active.draw(), Caption: fmt.Sprintf("Kernels that have a weight, of %d.", all[0].Kernels)},
	}
	// Counts are sums since the start of the run, so the last iteration shows whether there was a
	// cache at all.
	if last := all[len(all)-1]; last.Hits+last.Misses > 0 {
		hits := LineChart{Label: "share of kernel rows from the cache against time", X: seconds, Y: Axis{Name: "share of rows from the cache", From: 0, To: 1},
			Lines: []Line{lineOf("cached", all, at, func(i *Iteration) float64 {
				return float64(i.Hits) / float64(i.Hits+i.Misses)
			})}}
		charts = append(charts, figure{Chart: hits.draw(), Caption: "Kernel rows that the cache had, of all so far. The rest were computed."})
	}
	// Memory is anonymous memory. It excludes mapped files.
	const mebibyte = 1 << 20
	memory := LineChart{Label: "memory against time", X: seconds, Y: Axis{Name: "MiB"}, Lines: []Line{
		lineOf("memory of the process", all, at, func(i *Iteration) float64 { return float64(i.Memory) / mebibyte }),
		lineOf("memory of the cache", all, at, func(i *Iteration) float64 { return float64(i.CacheBytes) / mebibyte })}}
	for _, i := range all {
		if i.DiskBytes > 0 {
			memory.Lines = append(memory.Lines, lineOf("cache on disk", all, at, func(i *Iteration) float64 { return float64(i.DiskBytes) / mebibyte }))
			break
		}
	}
	return append(charts, figure{Chart: memory.draw(), Caption: "Memory that the process took for itself, and the part that the cache has."})
}

// lineOf makes a line of iterations. x and y return the coordinates of an iteration, NaN for a point
// that is not drawn.
func lineOf(name string, of []Iteration, x, y func(*Iteration) float64) Line {
	l := Line{Name: name}
	for k := range of {
		l.X, l.Y = append(l.X, x(&of[k])), append(l.Y, y(&of[k]))
	}
	return l
}

// orNaN returns a number that may be missing.
func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}
