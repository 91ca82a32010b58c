package command

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"bigmkl"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// pathFlags ask for one model for each combination of norms, costs and powers of costs of kernels. A
// path shares the data, the kernels and their normalisation between its models, and each training
// starts from the previous dual variables.
type pathFlags struct {
	// norms and costs are nil if the options decide the norm or the cost alone.
	norms, costs []float64
	// powers are the powers of the costs of kernels, nil if the options decide.
	powers []float64
	// pattern is the name of the models, in which norm, cost and power replace %p, %C and %G.
	pattern string
	// points is nil if one model is trained.
	points []bigmkl.PathPoint
}

// asked reports whether the flags name a path. The flags have been checked.
// Before the checks it is false in any case.
func (t *pathFlags) asked() bool { return t.points != nil }

const (
	// mostPath is the largest number of models in a path. It bounds the work of a mistyped range. Ten
	// norms and a hundred costs still fit.
	mostPath = 1000
	// verbNorm, verbCost and verbPower are the places of the norm, the cost of the loss and the power of the costs of
	// kernels in the name of a model.
	verbNorm  = "%p"
	verbCost  = "%C"
	verbPower = "%G"
	// nameDigits is the number of digits that norm and cost have in the name of a model.
	nameDigits = 6
)

// defineFlags defines the flags that ask for several models.
func (t *pathFlags) defineFlags(f *flags) {
	add(f, &t.costs, "path-C", "C,..", "",
		func(text string) ([]float64, error) { return kernelspec.Values(text, mostPath) },
		"train one model for each of these costs, such as 0.1..100/7 (geometric) or 1,10,100; MODEL must contain "+verbCost)
	add(f, &t.norms, "path-norm", "P,..", "", parseNorms,
		"train one model for each of these block norms; MODEL must contain "+verbNorm)
	add(f, &t.powers, "path-cost", "G,..", "", parsePowers,
		"train one model for each of these powers of the costs of kernels (--cost-power), such as 0,0.5,1; MODEL must contain "+verbPower)
}

// checkFlags lists the models of the path and returns all flags that exclude a path, of a training with other
// flags. Most exclusions have one reason: a path has one set of options for all of its models, and one
// file for each.
func (t *pathFlags) checkFlags(f *flags, of *trainFlags) error {
	// A command line with other faults has no valid points to list.
	byNorm, byCost := f.Changed("path-norm"), f.Changed("path-C")
	byPower := f.Changed("path-cost")
	if !byNorm && !byCost && !byPower || len(f.faults) > 0 {
		return nil
	}
	var faults usageFaults
	faults.require(!byNorm || !f.Changed("norm") && !f.Changed("theta-norm"), "use one of them",
		"--path-norm cannot be combined with --norm or --theta-norm")
	for _, o := range normOptions {
		decides := o.norm != nil && o.norm.decides != ""
		faults.require(!byNorm || !decides || !f.Changed(o.name), "use one of them",
			"--path-norm cannot be combined with --%s, which decides the norm", o.name)
	}
	faults.require(!byPower || !f.Changed("cost-power"), "use one of them",
		"--path-cost cannot be combined with --cost-power")
	faults.require(!byPower || !f.Changed("weights"), "use one of them",
		"--path-cost cannot be combined with --weights, which decides the norm")
	faults.require(!byCost || !f.Changed("C"), "use one of them",
		"--path-C cannot be combined with -C")
	// The option in place of C is --nu or --lambda.
	inPlace := model.InPlaceOfCost(of.options.Task)
	faults.require(!byCost || inPlace == "" || model.TrainsAlone(of.options.Task, ""), "use --"+inPlace,
		"--path-C cannot be combined with --task %s, which has no C", of.options.Task)
	faults.require(of.options.Checkpoint == "", "leave --checkpoint out",
		"a path has no checkpoints")
	chunkingAlone := !f.Changed("solver") || of.options.Solver == bigmkl.SolverChunking
	faults.require(chunkingAlone, "leave --solver out",
		"a path is trained by the chunking solver alone")
	faults.require(of.options.Multiclass == "", "run train once for each model",
		"a path cannot hold models of several classifiers")
	faults.require(len(of.taus) < 2, "run train once for each model, or give one --tau",
		"a path cannot hold models of several quantiles")
	faults.require(!of.folds.conformal.asked, "run train --conformal with the best norm and C", "the models of a path have no calibration scores")
	faults.require(of.options.Folds == 0, "run train --probability with the best norm and C",
		"the models of a path have no probabilities")
	faults.require(of.results.theta == "", "inspect --json shows the weights of a model",
		"--theta-out holds the weights of one model, and a path has several")
	faults.require(of.results.trace == "", "run train once for each model", "--trace holds the iterations of one model")
	t.pattern = of.results.model
	example := "-o 'm-" + verbNorm + "-" + verbCost + ".model'"
	faults.require(!isStandardOutput(t.pattern), example,
		"the models of a path cannot go to standard output")
	// The number of models is the product of the three lists.
	t.setPoints(&of.options)
	faults.require(len(t.points) <= mostPath, "use fewer norms or costs",
		"the path has %d models, at most %d are allowed", len(t.points), mostPath)
	// Numbers are rounded in names, so two models could have one name, and the second would replace the
	// first.
	var names []string
	for _, p := range t.points {
		names = append(names, t.fileOfModel(p))
	}
	slices.Sort(names)
	for i := range names[1:] {
		if names[i] == names[i+1] && !isStandardOutput(t.pattern) {
			faults.require(false, example,
				"two models of the path would be written to the file %s", names[i])
			break
		}
	}
	return errors.Join(faults...)
}

// setPoints combines the norms, the costs and the powers. It is called again after the files of the options are
// read, because a matrix or fixed weights decide the norm of a path over C alone.
func (t *pathFlags) setPoints(of *bigmkl.Options) {
	// A list that was not given has the one value of the options.
	norms, costs, o := t.norms, t.costs, of.Point()
	if norms == nil {
		norms = []float64{o.Norm}
	}
	if costs == nil {
		costs = []float64{o.C}
	}
	t.points = bigmkl.Grid(norms, costs, t.powers...)
}

// fileOfModel names the file of a model. It replaces %p by the norm, %C by the cost and %G by the
// power of the costs of kernels, all in at most six digits. A norm that is a simple fraction, such as
// 4/3, is written as 4_3. A / would begin a folder.
func (t *pathFlags) fileOfModel(p bigmkl.PathPoint) string {
	digits := func(x float64) string {
		return strings.ToLower(strconv.FormatFloat(x, 'g',
			nameDigits, 64))
	}
	// The infinite norm is inf and not +inf.
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
		verbPower, power).Replace(t.pattern)
}
