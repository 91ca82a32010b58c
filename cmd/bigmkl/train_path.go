package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/evaluate/score"
	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// path is several trainings, each from the one before it, and what names their models.
type path struct {
	norms, costs []float64          // nil: the one that the options stand for
	points       []bigmkl.PathPoint // nil: a single training
	done         []trainJSON
	stopped      []string // models that did not reach their gap
}

const (
	mostPath  = 1000 // models of one path
	verbNorm  = "%p"
	verbCost  = "%C"
	pathDigit = 6
)

// pathFlags defines the flags of paths.
func (t *training) pathFlags(f *flags) {
	add(f, &t.path.costs, "path-C", "C,..", "", func(text string) ([]float64, error) { return kernelspec.Values(text, mostPath) },
		"one model for each of these costs, such as 0.1..100/7 (geometric) or 1,10,100; OUT holds "+verbCost)
	add(f, &t.path.norms, "path-norm", "P,..", "", parseNorms, "one model for each of these block norms; OUT holds "+verbNorm)
}

// checkPath lists the points of a path and finds what does not go with one.
func (t *training) checkPath(f *flags) error {
	byNorm, byCost := f.Changed("path-norm"), f.Changed("path-C")
	if !byNorm && !byCost || len(f.faults) > 0 {
		return nil
	}
	var faults []error
	check := func(ok bool, hint, format string, args ...any) {
		if !ok {
			faults = append(faults, fail.New(fail.Usage, format, args...).WithHint("%s", hint))
		}
	}
	check(!byNorm || !f.Changed("norm") && !f.Changed("theta-norm"), "one of them", "both --path-norm and a norm")
	for _, name := range []string{"elastic-net", "norm-matrix", "norm-laplacian", "weights"} {
		check(!byNorm || !f.Changed(name), "one of them", "--path-norm with --%s, which leaves no p to choose", name)
	}
	check(!byCost || !f.Changed("C"), "one of them", "both --path-C and -C")
	check(!byCost || t.options.Task != model.TaskOneClass, "--nu says what may be left out", "--path-C with one class, which has no cost")
	check(t.options.Checkpoint == "", "leave one out", "a path has no checkpoints")
	check(!f.Changed("solver") || t.options.Solver == bigmkl.SolverChunking, "leave one out", "a path goes by solver chunking")
	check(t.options.Multiclass == "", "a run for each", "a path of models of several machines")
	check(t.options.Folds == 0, "train --probability with the norm and the C that served best", "a path gives no probabilities")
	check(t.thetaOut == "", "inspect --json shows the weights of a model", "--theta-out is of one model, a path has several")
	check(!standard(t.out), "-o 'm-"+verbNorm+"-"+verbCost+".model'", "the models of a path cannot go to standard output")
	t.grid()
	check(len(t.path.points) <= mostPath, "", "a path of %d models, at most %d", len(t.path.points), mostPath)
	var names []string
	for _, p := range t.path.points {
		names = append(names, t.modelOf(p))
	}
	slices.Sort(names)
	for i := range names[1:] {
		if names[i] == names[i+1] && !standard(t.out) {
			check(false, "-o 'm-"+verbNorm+"-"+verbCost+".model'", "two models of the path for one file %s", names[i])
			break
		}
	}
	return errors.Join(faults...)
}

// grid makes the points. The norm that goes without saying is known once the files that say more of it are read.
func (t *training) grid() {
	norms, costs, o := t.path.norms, t.path.costs, t.options.Point()
	if norms == nil {
		norms = []float64{o.Norm}
	}
	if costs == nil {
		costs = []float64{o.C}
	}
	t.path.points = bigmkl.Grid(norms, costs)
}

// modelOf names the file of a model: %p and %C stand for norm and cost in at most six digits.
func (t *training) modelOf(p bigmkl.PathPoint) string {
	digits := func(x float64) string { return strings.ToLower(strconv.FormatFloat(x, 'g', pathDigit, 64)) }
	norm := strings.TrimPrefix(digits(p.Norm), "+")
	return strings.NewReplacer(verbNorm, norm, verbCost, digits(p.C)).Replace(t.out)
}

// runPath trains them all.
func (t *training) runPath(ctx context.Context, src source, p *progress) error {
	t.grid()
	for _, point := range t.path.points {
		if err := checkOutput(t.modelOf(point), append(t.inputs(), t.init)...); err != nil {
			return err
		}
	}
	var last *bigmkl.Result
	err := bigmkl.Path(ctx, p.count(src), t.options, t.path.points, func(point bigmkl.PathPoint, m *bigmkl.Model, r *bigmkl.Result) error {
		p.done()
		last = r
		file := t.modelOf(point)
		t.cleanup.writing(file)
		t.began = time.Now() // each has as long for its model
		if err := t.save(ctx, m, file); err != nil {
			return err
		}
		s, err := t.evaluate(ctx, m)
		if err != nil {
			return err
		}
		return t.addToPath(point, m, r, s)
	})
	p.done()
	var cut *bigmkl.Unfinished
	late := errors.As(err, &cut) && cut.Status == chunking.TimeLimit
	if err != nil && (last == nil || !late && !errors.Is(err, context.Canceled)) {
		return inFiles(err, t.data)
	}
	if t.json {
		if e := t.printJSON(struct {
			Models  []trainJSON `json:"models"`
			Seconds number      `json:"seconds"`
		}{t.path.done, number(time.Since(t.start).Seconds())}); e != nil {
			return e
		}
	}
	switch {
	case late:
		return &ending{exitStopped, fmt.Sprintf("the time limit came in a training after %d of %d models; they are written", len(t.path.done), len(t.path.points))}
	case err != nil || last.Status == chunking.Interrupted:
		return &ending{exitInterrupted, fmt.Sprintf("interrupted after %d of %d models; they are written", len(t.path.done), len(t.path.points))}
	case len(t.path.stopped) > 0:
		return &ending{exitStopped, fmt.Sprintf("%d of %d models are written with a larger gap than was asked for: %s", len(t.path.stopped), len(t.path.points),
			clip(strings.Join(t.path.stopped, ", "), 200))}
	}
	return nil
}

// addToPath reports a model of a path.
func (t *training) addToPath(point bigmkl.PathPoint, m *bigmkl.Model, r *bigmkl.Result, s *score.Score) error {
	test, warnings := t.warnings(m, r, s)
	b, err := m.Bank()
	if err != nil {
		return err
	}
	j := t.object(m, b, r, test, warnings)
	j.File = t.modelOf(point)
	t.path.done = append(t.path.done, j)
	if r.Status != chunking.Converged {
		t.path.stopped = append(t.path.stopped, j.File)
	}
	if t.json {
		return nil
	}
	text := fmt.Sprintf("%s: %s, C = %.6g, %s after %d iterations at a gap of %.3g, %d support vectors, %s", j.File, describeNorm(&m.Model, b), m.C,
		strings.ReplaceAll(string(r.Status), "_", " "), r.Iterations, m.Certificate.RelativeGap, len(m.Support), formatFine(r.Train))
	if test != nil {
		text += fmt.Sprintf("; %s: %s", t.test, test)
	}
	return t.print("%s\n", text)
}
