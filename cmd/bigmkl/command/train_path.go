package command

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
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/evaluate/score"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// trainPath trains one model for each combination of norms, costs and powers of costs of kernels. Each training starts from the
// model before it.
type trainPath struct {
	*trainCommand
	// norms and costs are nil if the options decide the norm or the cost alone.
	norms, costs []float64
	// powers are those of the costs of kernels, nil if the options decide.
	powers []float64
	// points is nil if one model is trained.
	points []bigmkl.PathPoint
	// reports holds the objects of the models that are written.
	reports []trainJSON
	// stopped lists the models that did not reach their gap.
	stopped []string
}

const (
	// mostPath is the largest number of models in a path.
	mostPath = 1000
	// verbNorm, verbCost and verbPower stand for the norm, the cost of the loss and the power of the
	// costs of kernels in the name of a model.
	verbNorm  = "%p"
	verbCost  = "%C"
	verbPower = "%G"
	// nameDigits is the number of digits that norm and cost have in the name of a model.
	nameDigits = 6
)

// definePathFlags defines the flags that ask for several models.
func (t *trainPath) definePathFlags(f *flags) {
	add(f, &t.costs, "path-C", "C,..", "",
		func(text string) ([]float64, error) { return kernelspec.Values(text, mostPath) },
		"train one model for each of these costs, such as 0.1..100/7 (geometric) or 1,10,100; MODEL must contain "+verbCost)
	add(f, &t.norms, "path-norm", "P,..", "", parseNorms,
		"train one model for each of these block norms; MODEL must contain "+verbNorm)
	add(f, &t.powers, "path-cost", "G,..", "", parsePowers,
		"train one model for each of these powers of the costs of kernels (--cost-power), such as 0,0.5,1; MODEL must contain "+verbPower)
}

// checkPathFlags lists the models of the path and returns all flags that exclude a path.
func (t *trainPath) checkPathFlags(f *flags) error {
	byNorm, byCost := f.Changed("path-norm"), f.Changed("path-C")
	byPower := f.Changed("path-cost")
	if !byNorm && !byCost && !byPower || len(f.faults) > 0 {
		return nil
	}
	var faults usageFaults
	faults.require(!byNorm || !f.Changed("norm") && !f.Changed("theta-norm"), "use one of them",
		"--path-norm cannot be combined with --norm or --theta-norm")
	for _, name := range []string{"elastic-net", "norm-matrix", "norm-laplacian", "weights"} {
		faults.require(!byNorm || !f.Changed(name), "use one of them",
			"--path-norm cannot be combined with --%s, which decides the norm", name)
	}
	faults.require(!byPower || !f.Changed("cost-power"), "use one of them",
		"--path-cost cannot be combined with --cost-power")
	faults.require(!byPower || !f.Changed("weights"), "use one of them",
		"--path-cost cannot be combined with --weights, which decides the norm")
	faults.require(!byCost || !f.Changed("C"), "use one of them",
		"--path-C cannot be combined with -C")
	faults.require(!byCost || t.options.Task != model.TaskOneClass, "use --nu",
		"--path-C cannot be combined with --task oneclass, which has no C")
	faults.require(t.options.Checkpoint == "", "leave --checkpoint out",
		"a path has no checkpoints")
	chunkingAlone := !f.Changed("solver") || t.options.Solver == bigmkl.SolverChunking
	faults.require(chunkingAlone, "leave --solver out",
		"a path is trained by the chunking solver alone")
	faults.require(t.options.Multiclass == "", "run train once for each model",
		"a path cannot hold models of several classifiers")
	faults.require(!t.conformal.asked, "run train --conformal with the best norm and C", "the models of a path have no calibration scores")
	faults.require(t.options.Folds == 0, "run train --probability with the best norm and C",
		"the models of a path have no probabilities")
	faults.require(t.thetaOut == "", "inspect --json shows the weights of a model",
		"--theta-out holds the weights of one model, and a path has several")
	faults.require(t.trace == "", "run train once for each model", "--trace holds the iterations of one model")
	pattern := "-o 'm-" + verbNorm + "-" + verbCost + ".model'"
	faults.require(!isStandardOutput(t.out), pattern,
		"the models of a path cannot go to standard output")
	t.setPoints()
	faults.require(len(t.points) <= mostPath, "use fewer norms or costs",
		"the path has %d models, at most %d are allowed", len(t.points), mostPath)
	var names []string
	for _, p := range t.points {
		names = append(names, t.fileOfModel(p))
	}
	slices.Sort(names)
	for i := range names[1:] {
		if names[i] == names[i+1] && !isStandardOutput(t.out) {
			faults.require(false, pattern,
				"two models of the path would be written to the file %s", names[i])
			break
		}
	}
	return errors.Join(faults...)
}

// setPoints combines the norms, the costs and the powers. It is called again after the files of the options are
// read, because a matrix or fixed weights decide the norm of a path over C alone.
func (t *trainPath) setPoints() {
	norms, costs, o := t.norms, t.costs, t.options.Point()
	if norms == nil {
		norms = []float64{o.Norm}
	}
	if costs == nil {
		costs = []float64{o.C}
	}
	t.points = bigmkl.Grid(norms, costs, t.powers...)
}

// fileOfModel names the file of a model. It replaces %p by the norm, %C by the cost and %G by the
// power of the costs of kernels, all in at most six digits. A norm that is a simple fraction, such as 4/3, is written as 4_3.
func (t *trainPath) fileOfModel(p bigmkl.PathPoint) string {
	digits := func(x float64) string {
		return strings.ToLower(strconv.FormatFloat(x, 'g',
			nameDigits, 64))
	}
	norm := strings.TrimPrefix(digits(p.Norm), "+")
	if fraction := formatNorm(p.Norm); strings.Contains(fraction, "/") {
		norm = strings.ReplaceAll(fraction, "/", "_")
	}
	power := ""
	if p.CostPower != nil {
		power = digits(*p.CostPower)
	}
	cost := digits(p.C)
	if p.C == 0 {
		cost = "auto" // The data decide it.
	}
	return strings.NewReplacer(verbNorm, norm, verbCost, cost,
		verbPower, power).Replace(t.out)
}

// trainAll trains the models of the path and writes each of them as soon as it is trained.
func (t *trainPath) trainAll(ctx context.Context, src source, p *progress) error {
	t.setPoints()
	for _, point := range t.points {
		if err := checkOutput(t.fileOfModel(point), append(t.inputFiles(), t.init)...); err != nil {
			return err
		}
	}
	var last *bigmkl.Result
	err := bigmkl.Path(ctx, p.countRows(src), t.options, t.points,
		func(point bigmkl.PathPoint, m *bigmkl.Model, r *bigmkl.Result) error {
			p.finish()
			defer m.Close()
			last = r
			file := t.fileOfModel(point)
			t.cleanup.addTarget(file)
			t.began = time.Now() // Each model has the same time to be written.
			if err := t.saveModel(ctx, m, file); err != nil {
				return err
			}
			s, err := t.evaluateTest(ctx, m)
			if err != nil {
				return afterModel(err, file)
			}
			return t.addModel(point, m, r, s)
		})
	p.finish()
	var cut *bigmkl.Unfinished
	late := errors.As(err, &cut) && cut.Status == chunking.TimeLimit
	if err != nil && (last == nil || !late && !errors.Is(err, context.Canceled)) {
		return nameFiles(err, t.data)
	}
	best, figure := bestModel(t.reports)
	if t.json {
		if e := t.printJSON("train", struct {
			Models  []trainJSON `json:"models"`
			Best    string      `json:"best,omitempty"`
			Seconds number      `json:"seconds"`
			Ranks   []rankJSON  `json:"ranks,omitempty"`
		}{t.reports, best, number(time.Since(t.start).Seconds()), newRanksJSON(t.team.Figures())}); e != nil {
			return e
		}
	} else if best != "" {
		if e := t.print("best on %s: %s, %s %.4f (optimistic: the same rows were used to choose it)\n", t.test,
			best, figure.Name, figure.Value); e != nil {
			return e
		}
	}
	switch {
	case late:
		return &exitError{contract.ExitStopped,
			fmt.Sprintf("the time limit was reached after %d of %d models, which are written",
				len(t.reports), len(t.points))}
	case err != nil || last.Status == chunking.Interrupted:
		return &exitError{contract.ExitInterrupted,
			fmt.Sprintf("interrupted after %d of %d models, which are written", len(t.reports),
				len(t.points))}
	case len(t.stopped) > 0:
		return &exitError{contract.ExitStopped,
			fmt.Sprintf("%d of %d models are written with a larger gap than was asked for: %s",
				len(t.stopped), len(t.points),
				shorten(strings.Join(t.stopped, ", "), 200))}
	}
	return nil
}

// pathFigures are the figures that tell the best model of a path, and whether a smaller one is better.
var pathFigures = map[string]bool{"accuracy": false, "rmse": true, "pinball": true, "c_index": false}

// bestModel returns the file and the figure of the model that did best in its test: of the largest
// accuracy, for example, or of the smallest root mean squared error. Of equals it is the first, whose norm and C
// were named first. The file is "" if there was no test, or none with such a figure.
func bestModel(reports []trainJSON) (file string, best score.Figure) {
	for _, r := range reports {
		if r.Test == nil {
			continue
		}
		for _, f := range r.Test.Figures {
			smaller, counts := pathFigures[f.Key]
			better := smaller && f.Value < best.Value || !smaller && f.Value > best.Value
			if counts && f.Value-f.Value == 0 && (file == "" || better) {
				file, best = r.File, f
			}
		}
	}
	return file, best
}

// addModel reports one model of the path, or collects its report for the object of --json.
func (t *trainPath) addModel(point bigmkl.PathPoint, m *bigmkl.Model, r *bigmkl.Result,
	s *score.Score) error {
	b, err := m.Bank()
	if err != nil {
		return err
	}
	file := t.fileOfModel(point)
	test, warnings := t.warnAbout(m, b, r, s, file)
	j := t.newJSON(m, b, r, test, warnings)
	j.File = file
	t.reports = append(t.reports, j)
	if r.Status != chunking.Converged {
		t.stopped = append(t.stopped, j.File)
	}
	if t.json {
		return nil
	}
	text := fmt.Sprintf("%s: %s, C = %.6g, %s after %s at a gap of %.3g, %s, %s", j.File, describeNorm(&m.Model, b), m.C,
		strings.ReplaceAll(string(r.Status), "_",
			" "), count(r.Iterations, "iteration"), m.Certificate.RelativeGap, count(len(m.Support), "support vector"), formatFine(r.Train))
	if c := newCostsJSON(&m.Model, b, b.Costs()); c != nil {
		text += fmt.Sprintf(", total cost %.6g (%.3g %%)", float64(c.Total), float64(c.Percent))
	}
	if test != nil {
		text += fmt.Sprintf("; %s: %s", t.test, test)
	}
	return t.print("%s\n", text)
}
