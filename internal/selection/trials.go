package selection

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
	"bigmkl/mmap"
)

// A selection may be an experiment after Lewis (2006, appendix A): many problems of two classes, rows that are
// drawn again for each repetition, views that rows lack, and copies of a view without information. Each
// problem and repetition is then a trial with rows of its own, and kernels, widths and normalisation come from
// these rows. Such a selection compares its combinations and chooses none.

// Contrast is the rule by which classes make problems of two classes.
type Contrast string

// These are the contrasts. Without one the problem is the problem of the data.
const (
	AgainstRest   Contrast = "rest"   // each class against all other rows
	AgainstSample Contrast = "sample" // each class against as many other rows, drawn again
	Pairs         Contrast = "pairs"  // each two classes
)

// Contrasts lists them.
var Contrasts = []string{string(AgainstRest), string(AgainstSample), string(Pairs)}

// Trials describe the trials of a selection. The zero value asks for none.
type Trials struct {
	// Size is the number of rows of a repetition, drawn again each time. If it equals zero, it is all rows.
	Size int
	// Contrast makes problems of two classes, one for each class, label of sets, or pair of classes.
	Contrast Contrast
	// Least is the number of rows that a class must have in every repetition for its problems to
	// be there. If it equals zero, it is 2.
	Least int
	// Missing are shares of the rows, each in [0, 1), that lack MissingView: drawn apart among the
	// rows of a training and the rows that it is measured on. A row without a feature of a view
	// lacks it too. Kernels must name a substitute for missing values.
	Missing     []float64
	MissingView string
	// Noise is the number of copies of NoiseView with its rows shuffled among all rows. Kernels of
	// that view are there once more for each copy.
	Noise     int
	NoiseView string
}

// asked reports whether there are trials.
func (t *Trials) asked() bool {
	return t.Size != 0 || t.Contrast != "" || t.Least != 0 || t.Missing != nil || t.Noise != 0
}

// String is the trials as text, which the folder compares.
func (t *Trials) String() string {
	return fmt.Sprintf("size=%d contrast=%s least=%d missing=%v@%s noise=%d@%s", t.Size, t.Contrast, t.Least, t.Missing,
		t.MissingView, t.Noise, t.NoiseView)
}

// validateTrials finds faults in the options of trials, by themselves and beside other options.
func (o *Options) validateTrials(check func(ok bool, hint, format string, args ...any)) {
	t := &o.Trials
	if !t.asked() {
		return
	}
	check(t.Size >= 0 && t.Least >= 0 && t.Noise >= 0, "", "a size of %d, %d rows at least, %d copies", t.Size, t.Least, t.Noise)
	check(t.Contrast == "" || slices.Contains(Contrasts, string(t.Contrast)), "one of "+strings.Join(Contrasts, ", "),
		"%s is no contrast of classes", fail.Quote(string(t.Contrast)))
	classes := model.ByMargin(o.Training.Task)
	sets := o.Training.Multiclass == model.MultiLabel
	check(t.Contrast == "" || classes && (o.Training.Multiclass == "" || sets), "leave --multiclass out, but for labels",
		"contrasts make problems of two classes")
	check(t.Contrast != Pairs || !sets, "use rest or sample", "two labels are no pair of classes: a row may have both")
	check(t.Contrast == "" || o.Training.Positive == nil && o.Training.ClassWeight == nil, "",
		"positive labels and class weights beside contrasts of classes")
	check(t.Least == 0 || t.Contrast != "", "name a contrast", "a least number of rows of a class, and no class has a problem of its own")
	for _, s := range t.Missing {
		check(s >= 0 && s < 1, "", "a share of %g of the rows is not in [0, 1)", s)
	}
	if len(t.Missing) > 0 {
		for _, specs := range o.Banks {
			list, err := kernelspec.Split(specs)
			check(err != nil || kernelspec.NamesMissing(list), "write missing=none, self or all behind a kernel of the view",
				"rows lack a view, and no kernel of %s says what to put in", fail.Quote(specs))
		}
	}
	check(o.Training.Sequences == dataset.Numbers || len(t.Missing) == 0 && t.Noise == 0, "", "views of sequences")
	// An experiment compares combinations on many problems. No combination is the best of all
	// problems, so nothing follows the comparison.
	check(!o.Nested && o.Tune == "", "", "trials compare combinations: nothing is chosen, and nothing tuned")
	check(o.CostBase == "", "", "costs that are counted, of kernels that each trial makes anew")
	check(o.Splits.Folds != 0, "use folds", "the rows of a trial are dealt out to folds")
	// The rows of a trial are dealt out by themselves, whatever objects they name.
	check(!o.Splits.holdsOutObjects(), "--hold-out "+HoldOutPairs, "--hold-out %s of a trial: not yet", o.Splits.HoldOut)
	check(o.Splits.Groups == nil && !o.Training.Posteriors.Asked() && o.Training.Gating == "" && o.Training.Regularizer.Weights == nil, "",
		"groups of rows, posteriors, gates and fixed weights are those of given rows, and trials draw theirs")
}

// viewOf returns the view of a name, or nil.
func viewOf(views []dataset.View, name string) *dataset.View {
	for i := range views {
		if views[i].Name == name {
			return &views[i]
		}
	}
	return nil
}

// noiseName is the name of a copy of a view, counted from 0.
func noiseName(view string, k int) string { return fmt.Sprintf("%s~%d", view, k+1) }

// withNoise returns specifications in which the kernels of the copies of a view follow the kernels
// of the view.
func (t *Trials) withNoise(specs string) (string, error) {
	if t.Noise == 0 { // Without kernels, the default has to stay one.
		return specs, nil
	}
	list, err := kernelspec.Split(specs)
	if err != nil {
		return specs, err
	}
	var all []string
	for _, s := range list {
		all = append(all, s)
		suffix := kernelspec.Suffix(s)
		if body, of := strings.CutSuffix(strings.TrimSuffix(s, suffix), "@"+t.NoiseView); of {
			for k := range t.Noise {
				all = append(all, body+"@"+noiseName(t.NoiseView, k)+suffix)
			}
		}
	}
	return strings.Join(all, ","), nil
}

// training returns the options of the training of a trial. With a contrast its rows have two classes.
// Its views include the copies.
func (t *trials) training() bigmkl.Options {
	o := t.options
	own := o.Training
	// The limit has cut the rows of the data already. It must not cut the rows of a trial.
	own.Views, own.Limit = t.views, 0
	if o.Trials.Contrast != "" {
		own.Multiclass = ""
	}
	if len(o.Trials.Missing) > 0 {
		own.Missing = dataset.MissingEmpty
	}
	return own
}

// Problem is one of the problems of two classes of a selection.
type Problem struct {
	// Name is the class or label, or two classes with a slash between them.
	Name string `json:"name"`
	// Rows and Positive are the mean numbers of all rows of a repetition, and of its rows of the
	// class.
	Rows     float64 `json:"rows"`
	Positive float64 `json:"positive"`
	// Cells has the figure that is optimised for each cell of the selection, over the folds in which it
	// is defined.
	Cells []Figure `json:"cells"`
}

// problemsOf lists the problems with the figures of their cells. of finds the chain of an arm, and side the class of a row.
func (t *trials) problemsOf(s *Selection, side func(fold string, row int32) int, of func(arm int, fold string) *chain) []Problem {
	if t.options.Trials.Contrast == "" {
		return nil
	}
	var list []Problem
	for _, p := range t.problems {
		found := Problem{Name: p.name}
		n := float64(len(p.parts))
		var names []string
		var folds [][]fold
		for _, part := range p.parts {
			folds = append(folds, part.folds)
			found.Rows += float64(len(part.rows)) / n
			for _, y := range part.positive {
				if y {
					found.Positive += 1 / n
				}
			}
			for _, f := range part.folds {
				names = append(names, f.Name)
			}
		}
		// The problems have different numbers of rows of their classes.
		own := newDivision(folds, len(t.rows))
		counts := own.countRows(side)
		for _, c := range s.Cells {
			j := slices.Index(t.options.Costs, c.Cost)
			var values []float64
			for _, name := range names {
				if v, ok := of(c.Arm, name).Cells[j].Figures[0][s.Measure]; ok {
					values = append(values, v)
				}
			}
			if found.Cells = append(found.Cells, Figure{}); len(values) > 0 {
				found.Cells[len(found.Cells)-1] = counts.figure(s.Measure, values, s.Ratio)
			}
		}
		list = append(list, found)
	}
	return list
}

// sensitivity and specificity are figures that only selections compute, for two classes.
const (
	sensitivity = "sensitivity"
	specificity = "specificity"
)

// addSides adds sensitivity and specificity, for two classes: the share of the rows of a class
// that have this class as the prediction. right and rows count by class, the negative one first.
func addSides(figures map[string]float64, right, rows [2]int) {
	for side, key := range []string{specificity, sensitivity} {
		if rows[side] > 0 {
			figures[key] = float64(right[side]) / float64(rows[side])
		}
	}
}

// runTrials is Run for trials.
func runTrials(ctx context.Context, src dataset.Source, o *Options) (*Selection, error) {
	t, err := readTrials(ctx, src, o)
	if err != nil {
		return nil, err
	}
	for i, specs := range o.Banks {
		if o.Banks[i], err = o.Trials.withNoise(specs); err != nil {
			return nil, err
		}
	}
	if err := o.takeTargets(t.targets()); err != nil {
		return nil, err
	}
	r := &runner{options: o, trials: t, pool: &pool{}}
	defer r.pool.Close()
	// The kernels of all trials are the same in number and names. One trial is opened to list
	// them.
	first := t.problems[0].parts[0].folds[0].Name
	if err := t.use(ctx, r.pool, first, &Arm{Kernels: o.Banks[0]}); err != nil {
		return nil, err
	}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	return r.folder.finish(r.run(ctx))
}

// division returns the folds of all problems, repetition by repetition. A row of the data counts once
// for each problem.
func (t *trials) division() division {
	var all [][]fold
	for _, p := range t.problems {
		for _, one := range p.parts {
			all = append(all, one.folds)
		}
	}
	// A row of two problems has two labels, so its errors in both are different errors.
	d := newDivision(all, len(t.rows)*len(t.problems))
	for name := range d.sizes {
		d.sizes[name] = len(t.partAt(name).rows)
	}
	return d
}

// hashes lists the folds, each with a hash of its rows and of the rows of its trial.
func (t *trials) hashes() (list []string) {
	for _, p := range t.problems {
		for _, one := range p.parts {
			for _, f := range one.folds {
				list = append(list, f.Name+" "+hashOf(slices.Concat(mmap.Bytes(f.rows), mmap.Bytes(t.partAt(f.Name).rows))))
			}
		}
	}
	return list
}

// partAt returns the repetition of a problem that a fold belongs to.
func (t *trials) partAt(name string) *part {
	at := t.at[name]
	return &t.problems[at.problem].parts[at.repetition]
}
