package heldout

import (
	"context"
	"math"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
	"bigmkl/internal/evaluate"
)

// measureAll trains by a method on every split. It returns the figures, the processor seconds of
// a split, and what scaling was chosen on the first. It measures processor time, because wall clock
// depends on the number of threads.
func (d *defaultsData) measureAll(ctx context.Context, s *harness.Session, m defaultsMethod, splits [][]bool) (figures []float64, seconds float64, choice string, err error) {
	// The time includes the prediction of the held-out rows.
	began := harness.ProcessTime()
	for k, held := range splits {
		s.Progress.ShowNow("%s: %s, split %d of %d", d.name, m.name, k+1, len(splits))
		figure, chosen, err := d.measure(ctx, s, m, held)
		if err != nil {
			return nil, 0, "", err
		}
		// The first split shows which scaling auto chooses. Others mostly choose the same.
		if figures = append(figures, figure); k == 0 {
			choice = chosen
		}
	}
	return figures, (harness.ProcessTime() - began).Seconds() / float64(len(splits)), choice, nil
}

// measure trains on the rows that are not held out, and returns accuracy or R2 on the others, and what
// scaling was chosen. The model takes its factors from the rows that it sees.
func (d *defaultsData) measure(ctx context.Context, s *harness.Session, by defaultsMethod, held []bool) (float64, string, error) {
	// The options of a method are shared by all sets, so they are copied.
	o := *by.options
	o.Task, o.Threads, o.Scratch, o.Views = d.task, s.Threads, s.Scratch, d.views
	if d.classes > 2 {
		o.Multiclass = bigmkl.OneVsRest
	}
	train, test := d.part(held)
	// The time of the selection counts as time of training.
	if by.selects {
		var err error
		if o, err = choose(ctx, s, o, train); err != nil {
			return 0, "", err
		}
	}
	m, _, err := bigmkl.Train(ctx, harness.SourceOf(train), o)
	if err != nil {
		return 0, "", err
	}
	var predicted, known []string
	var squares float64
	// Narrow drops features that no training row has.
	err = m.Predict(ctx, dataset.Narrow(harness.SourceOf(test), m.Input().Features()), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
		k := len(known)
		predicted, known = append(predicted, p.Label), append(known, test[k].Label)
		squares += (p.Decision - test[k].Target) * (p.Decision - test[k].Target)
		return nil
	})
	if d.task == bigmkl.TaskSVR {
		// R2 = 1 - sum (f - y)^2 / sum (y - mean)^2.
		spread := deviationOf(test)
		// R2 is relative to the mean of the test rows. At 0 a model is as good as that constant.
		return 1 - squares/(float64(len(test))*spread*spread), m.Scaling.Choice, err
	}
	return evaluate.Accuracy(predicted, known), m.Scaling.Choice, err
}

// deviationOf is the standard deviation of the targets. The divisor is n.
func deviationOf(rows []dataset.Row) float64 {
	mean, squares, n := 0.0, 0.0, float64(len(rows))
	for _, r := range rows {
		mean += r.Target / n
	}
	for _, r := range rows {
		squares += (r.Target - mean) * (r.Target - mean) / n
	}
	return math.Sqrt(squares)
}

// listRow is one list of kernels with one cost, on one data set.
type listRow struct {
	Set     string  `json:"set" table:"data set"`
	Kernels string  `json:"kernels" table:"kernels||blank"`
	Cost    float64 `json:"cost" table:"C|%g|blank"`
	// Seconds is the processor time of a split.
	Reached heldOut `json:"reached" table:"held out"`
	Seconds float64 `json:"cpu_seconds" table:"CPU s|%.3f"`
}

// compareLists measures every list of kernels with every cost that was asked for. If there are only lists
// or only costs, the other is the default. The table answers whether other defaults would be better
// ones.
func (c *defaultsComparison) compareLists(ctx context.Context, d *defaultsData, splits [][]bool) error {
	if len(c.kernels) == 0 && len(c.costs) == 0 {
		return nil
	}
	if c.listed == nil {
		c.listed = c.report.Table("Lists of kernels and costs, at the scaling by default")
		c.listed.Note("C of svr is in standard deviations of the targets of the set. An empty cell is the default.")
	}
	// The default of C for svr is a multiple of this deviation, so the flag has the same unit.
	unit := 1.0
	if d.task == bigmkl.TaskSVR {
		unit = deviationOf(d.rows)
	}
	// What is empty or zero is the default.
	for _, kernels := range harness.OrDefault(c.kernels, []string{""}) {
		for _, cost := range harness.OrDefault(c.costs, []float64{0}) {
			// Only kernels and C differ from the default options.
			figures, seconds, _, err := d.measureAll(ctx, c.session, defaultsMethod{name: kernels, options: &bigmkl.Options{Kernels: kernels, C: cost * unit}}, splits)
			if err != nil {
				return err
			}
			c.listed.Add(listRow{d.name, kernels, cost, newHeldOut(figures, seconds), seconds})
		}
	}
	return nil
}
