package report

import (
	"fmt"
	"math"
)

// AddTrace adds how a training approached its optimum, and what it took.
func (p *Page) AddTrace(t *Trace) {
	machines := t.machines()
	first, last := machines[0][0], t.last[len(t.last)-1]
	text := fmt.Sprintf("The training took %d iterations and %s seconds.", t.total, number(last.Seconds))
	if len(machines) > 1 {
		text = fmt.Sprintf("%d machines were trained one after the other, in %d iterations and %s seconds.", len(machines), t.total, number(last.Seconds))
	}
	if t.folds > 0 {
		text += fmt.Sprintf(" %d iterations of trainings for the probabilities are not shown.", t.folds)
	}
	if first.Iteration > 1 {
		text += " The trace begins in the middle, because an earlier run was continued."
	}
	p.add("convergence", "How the training went", block{Text: text}, block{Figures: convergenceCharts(machines, last.Target)})
}

// convergenceCharts draws the gap, both sides of it, the kernels in use, the cache and the memory.
func convergenceCharts(machines [][]Iteration, target float64) []figure {
	seconds := Axis{Name: "seconds"}
	var all []Iteration
	longest := machines[0]
	for _, of := range machines {
		all = append(all, of...)
		if len(of) > len(longest) {
			longest = of
		}
	}
	at := func(i *Iteration) float64 { return i.Seconds }
	var gaps []Line
	if len(machines) <= colours {
		for k, of := range machines {
			gaps = append(gaps, lineOf(fmt.Sprintf("machine %d", k+1), of, at, func(i *Iteration) float64 { return orNaN(i.Gap) }))
		}
	} else {
		one := Line{Name: "gap"}
		for _, of := range machines {
			l := lineOf("", of, at, func(i *Iteration) float64 { return orNaN(i.Gap) }).thin(mostPoints / min(len(machines), mostPoints/2))
			one.X, one.Y = append(append(one.X, l.X...), l.X[len(l.X)-1]), append(append(one.Y, l.Y...), math.NaN())
		}
		gaps = []Line{one}
	}
	gap := LineChart{Label: "relative duality gap against time", X: seconds, Y: Axis{Name: "relative duality gap", Log: true}, Lines: gaps,
		Rule: target, RuleName: "asked for"}
	step := func(i *Iteration) float64 { return float64(i.Iteration) }
	sides := LineChart{Label: "primal and dual value against iterations", X: Axis{Name: "iterations", Whole: true}, Y: Axis{Name: "objective"}, Lines: []Line{
		lineOf("primal", longest, step, func(i *Iteration) float64 { return orNaN(i.Primal) }),
		lineOf("dual", longest, step, func(i *Iteration) float64 { return orNaN(i.Dual) })}}
	active := LineChart{Label: "kernels with a weight against time", X: seconds, Y: Axis{Name: "kernels with a weight", Whole: true},
		Lines: []Line{lineOf("kernels", all, at, func(i *Iteration) float64 { return float64(i.Active) })}}
	of := ""
	if len(machines) > 1 {
		of = " Of the machine with the most iterations."
	}
	charts := []figure{
		{drawingOf(gap.SVG()), "The gap bounds how far the machine is from the best one. The training ends where it falls below the dashed line."},
		{drawingOf(sides.SVG()), "Both sides of the gap: the best machine lies between the two." + of},
		{drawingOf(active.SVG()), fmt.Sprintf("Kernels that have a weight, of %d.", all[0].Kernels)},
	}
	if last := all[len(all)-1]; last.Hits+last.Misses > 0 {
		hits := LineChart{Label: "share of kernel rows from the cache against time", X: seconds, Y: Axis{Name: "share of rows from the cache", From: 0, To: 1},
			Lines: []Line{lineOf("cached", all, at, func(i *Iteration) float64 {
				return float64(i.Hits) / float64(i.Hits+i.Misses)
			})}}
		charts = append(charts, figure{drawingOf(hits.SVG()), "Kernel rows that the cache had, of all so far. The rest were computed."})
	}
	const mebibyte = 1 << 20
	memory := LineChart{Label: "memory against time", X: seconds, Y: Axis{Name: "MiB"}, Lines: []Line{
		lineOf("memory of the process", all, at, func(i *Iteration) float64 { return float64(i.Memory) / mebibyte }),
		lineOf("of it the cache", all, at, func(i *Iteration) float64 { return float64(i.CacheBytes) / mebibyte })}}
	for _, i := range all {
		if i.DiskBytes > 0 {
			memory.Lines = append(memory.Lines, lineOf("cache on disk", all, at, func(i *Iteration) float64 { return float64(i.DiskBytes) / mebibyte }))
			break
		}
	}
	return append(charts, figure{drawingOf(memory.SVG()), "Memory that the process took for itself, and what the cache had of it."})
}

// lineOf makes a line of iterations.
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
