package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/evaluate"
)

// Whoever tries the program once gets its defaults. The experiment compares them, on held-out rows of
// public sets, with other scalings and with what a user of scikit-learn gets for as little thought.

// defaultsShare is the share of the rows of a split that is held out.
const defaultsShare = 0.3

// defaultsRow is a data set: means of accuracy or R2 over the splits, and the processor time of the default.
type defaultsRow struct {
	Set      string  `json:"set" table:"data set"`
	Task     string  `json:"task" table:"task"`
	Rows     int     `json:"rows" table:"rows"`
	Features int     `json:"features" table:"features"`
	Default  float64 `json:"default" table:"default|%.3f"`
	Error    float64 `json:"error" table:"±|%.3f"`
	Unscaled float64 `json:"none" table:"none|%.3f"`
	MinMax   float64 `json:"minmax" table:"minmax|%.3f"`
	Standard float64 `json:"standard" table:"standard|%.3f"`
	Wide     float64 `json:"wide" table:"+ linear, C 10|%.3f"`
	SVC      float64 `json:"svc,omitempty" table:"SVC, SVR|%.3f|blank"`
	Grid     float64 `json:"grid,omitempty" table:"grid of these|%.3f|blank"`
	Forest   float64 `json:"forest,omitempty" table:"forest|%.3f|blank"`
	Boosting float64 `json:"boosting,omitempty" table:"boosting|%.3f|blank"`
	Seconds  float64 `json:"seconds" table:"default s|%.2f"`
	Choice   string  `json:"choice" table:"what the default chose"`
}

// defaultsWays are the options that are compared, in the order of the columns.
func defaultsWays(task string) []bigmkl.Options {
	kernels, cost := "gauss:auto/10,linear", 10.0
	list := []bigmkl.Options{{}, {Scale: dataset.ScaleNone}, {Scale: dataset.ScaleMinMax}, {Scale: dataset.ScaleStandard}, {Kernels: kernels, C: cost}}
	if task == bigmkl.TaskSVR { // A given number does not count deviations of the targets.
		list[4].C = 0
	}
	return list
}

// defaultsExperiment compares defaults.
func defaultsExperiment() experiment {
	var only []string
	var most, splits int
	var seed uint64
	var grid bool
	return experiment{
		name: "defaults", short: "what the defaults reach on held-out rows, beside other scalings and scikit-learn",
		long: "Trains on public sets at the defaults, with other scalings, and with one more kernel and a larger cost, and\n" +
			"measures accuracy (R2 of a regression) on 30 % of the rows that were held out, over several splits. Where\n" +
			"scikit-learn is installed, its scaled SVC or SVR, a forest and gradient boosting (of XGBoost if that is\n" +
			"installed) stand beside; --grid adds a search over C and gamma. Every method has the same splits.",
		flags: func(f *pflag.FlagSet) {
			f.StringSliceVar(&only, "only", nil, "`SETS` to compare on (default: all)")
			f.IntVar(&most, "rows", 5000, "rows of a set, drawn from larger ones")
			f.IntVar(&splits, "splits", 10, "number of splits")
			f.BoolVar(&grid, "grid", false, "search C and gamma of SVC and SVR by five folds, too")
			f.Uint64Var(&seed, "seed", 1, "seed of the rows and splits")
		},
		run: func(ctx context.Context, s *session, r *experimentReport, _ []string) error {
			if s.quick {
				most, splits, only = 120, 2, []string{"heart", "motorcycle"}
			}
			t := r.table("Accuracy, or R2 of a regression, on held-out rows: means of %d splits of at most %d rows", splits, most)
			t.note("± is the standard error of the default, corrected for the rows that splits share (Nadeau and Bengio 2003).")
			python := findSklearn(ctx)
			if python == "" {
				r.note("no Python has scikit-learn: its columns are empty")
			}
			var rows []defaultsRow
			for _, set := range listDefaultsSets(s, only) {
				d, err := set.read(seed, most)
				if err != nil {
					return err
				}
				row, err := compareDefaults(ctx, s, d, d.split(seed, splits), python, grid)
				if err != nil {
					return fmt.Errorf("%s: %w", set.name, err)
				}
				t.add(row)
				rows = append(rows, row)
				s.printLine("%s: default %.3f, none %.3f, standard %.3f, SVC or SVR %.3f", row.Set, row.Default, row.Unscaled, row.Standard, row.SVC)
			}
			summarizeDefaults(t, rows)
			return nil
		},
	}
}

// compareDefaults measures all methods on one data set.
func compareDefaults(ctx context.Context, s *session, d *defaultsData, splits [][]bool, python string, grid bool) (defaultsRow, error) {
	row := defaultsRow{Set: d.name, Task: d.task, Rows: len(d.rows), Features: d.features}
	for way, o := range defaultsWays(d.task) {
		var figures []float64
		began := processTime()
		for k, held := range splits {
			s.progress.showNow("%s: way %d, split %d of %d", d.name, way+1, k+1, len(splits))
			figure, choice, err := d.measure(ctx, s, o, held)
			if err != nil {
				return row, err
			}
			figures = append(figures, figure)
			if way == 0 {
				row.Choice = choice
			}
		}
		seconds := (processTime() - began).Seconds() / float64(len(splits))
		mean := evaluate.Resample(figures, defaultsShare/(1-defaultsShare))
		*[]*float64{&row.Default, &row.Unscaled, &row.MinMax, &row.Standard, &row.Wide}[way] = mean.Mean
		if way == 0 {
			row.Error, row.Seconds = mean.Error, seconds
		}
	}
	if python == "" {
		return row, nil
	}
	theirs, err := runDefaultsOfSklearn(ctx, s, python, d, splits, grid)
	if err != nil {
		return row, err
	}
	row.SVC, row.Grid, row.Forest, row.Boosting = theirs["svc"], theirs["grid"], theirs["forest"], theirs["boosting"]
	return row, nil
}

// summarizeDefaults adds what the table as a whole says.
func summarizeDefaults(t *reportTable, rows []defaultsRow) {
	count, means, worst, where := 0.0, [4]float64{}, math.Inf(1), ""
	for _, r := range rows {
		if loss := r.Default - max(r.Unscaled, r.Standard); r.Task == bigmkl.TaskClass && loss < worst {
			worst, where = loss, r.Set
		}
		if r.Task == bigmkl.TaskClass {
			count++
			for k, x := range []float64{r.Default, r.Unscaled, r.Standard, r.SVC} {
				means[k] += x
			}
		}
	}
	if count == 0 {
		return
	}
	t.note("Means over %.0f sets of classes: default %.4f, none %.4f, standard %.4f, SVC %.4f. Of the better of none and standard the default lacks %.1f points at most, on %s.",
		count, means[0]/count, means[1]/count, means[2]/count, means[3]/count, -100*worst, where)
}

// measure trains on the rows that are not held out, and returns accuracy or R2 on the others, and what
// scaling was chosen.
func (d *defaultsData) measure(ctx context.Context, s *session, o bigmkl.Options, held []bool) (float64, string, error) {
	o.Task, o.Threads, o.Scratch, o.Views = d.task, s.threads, s.scratch, d.views
	if d.classes > 2 {
		o.Multiclass = bigmkl.OneVsRest
	}
	var train, test []dataset.Row
	for i, r := range d.rows {
		if held[i] {
			test = append(test, r)
		} else {
			train = append(train, r)
		}
	}
	m, _, err := bigmkl.Train(ctx, gonenRows(train), o)
	if err != nil {
		return 0, "", err
	}
	var predicted, known []string
	var squares, spread, mean float64
	for _, r := range test {
		mean += r.Target / float64(len(test))
	}
	err = m.Predict(ctx, dataset.Narrow(gonenRows(test), m.DataFeatures()), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
		k := len(known)
		predicted, known = append(predicted, p.Label), append(known, test[k].Label)
		squares += (p.Decision - test[k].Target) * (p.Decision - test[k].Target)
		spread += (mean - test[k].Target) * (mean - test[k].Target)
		return nil
	})
	if d.task == bigmkl.TaskSVR {
		return 1 - squares/spread, m.Scaling.Choice, err
	}
	return evaluate.Accuracy(predicted, known), m.Scaling.Choice, err
}

// writeText writes the rows as libsvm text, with classes by their numbers, for other programs.
func (d *defaultsData) writeText(path string) error {
	var names []string
	var text []byte
	for _, r := range d.rows {
		label := strconv.FormatFloat(r.Target, 'g', -1, 64)
		if d.task == bigmkl.TaskClass {
			k := slices.Index(names, r.Label)
			if k < 0 {
				k, names = len(names), append(names, r.Label)
			}
			label = strconv.Itoa(k)
		}
		text = append(text, label...)
		for k, j := range r.Index {
			text = fmt.Appendf(text, " %d:%g", j+1, r.Value[k])
		}
		text = append(text, '\n')
	}
	return os.WriteFile(path, text, 0o666)
}
