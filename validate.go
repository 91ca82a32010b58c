package bigmkl

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// Validate returns an error that lists every fault of the options at once, or nil. All faults are
// of class ErrUsage. It reads neither data nor files: faults that only show with the kernels or the
// data are found by the run itself.
func (o Options) Validate() error {
	v := &validation{Options: &o, costGiven: o.C != 0, tauGiven: o.Tau != 0}
	o.setDefaults()
	v.checkTask()
	for _, w := range wings {
		if w.has(&o) {
			w.check(v)
		} else {
			w.checkWithout(v)
		}
	}
	v.check(o.Norm >= 1, "block norm p = %g is not in [1, inf]", o.Norm)
	o.Regularizer.checkNorm(o.Norm, v.check)
	v.checkSolver()
	if o.JointCost {
		o.wing().checkJointCost(v)
	}
	v.check(o.CostPower == Zero || o.CostPower >= 0 && !math.IsInf(o.CostPower, 0),
		"costs of kernels to the power %g, which is not a number >= 0", o.CostPower)
	v.checkGates()
	v.checkMissing()
	v.checkObjects()
	if _, err := o.gates(); err != nil {
		v.add(err)
	}
	v.check(o.C > 0 && !math.IsInf(o.C, 0), "C = %g is not a positive number", o.C)
	v.check(o.Gap > 0 && o.Gap < 1, "gap %g is not between 0 and 1", o.Gap)
	v.check(slices.Contains([]string{"auto", "32", "64"}, o.Precision),
		"unknown precision %s (auto, 32 or 64)", fail.Quote(o.Precision))
	v.check(slices.Contains(kernelspec.Normalizers(), o.Normalize),
		"unknown normalisation %s (one of %s)", fail.Quote(o.Normalize), strings.Join(kernelspec.Normalizers(), ", "))
	if _, err := dataset.ParseScale(o.Scale); err != nil {
		v.add(err)
	}
	if _, err := dataset.ParseImpute(o.Impute); err != nil {
		v.add(err)
	}
	v.check(o.Sequences == dataset.Numbers || !dataset.Imputes(o.Impute),
		"imputation %s of sequences: letters are not numbers", o.Impute)
	if _, err := dataset.ParseLayout(string(o.Store)); err != nil {
		v.add(err)
	}
	if _, err := dataset.ParseAlphabet(string(o.Sequences)); err != nil {
		v.add(err)
	}
	v.check(o.Sequences == dataset.Numbers || o.Scale == dataset.ScaleNone || o.Scale == dataset.ScaleAuto,
		"scaling %s of sequences: letters are not numbers", o.Scale)
	for label, w := range o.ClassWeight {
		v.check(w > 0 && !math.IsInf(w, 0), "weight %g of class %s is not a positive number",
			w, fail.Quote(label))
	}
	v.check(o.Limit >= 0, "limit %d is negative", o.Limit)
	if err := o.Tuning.Validate(); err != nil {
		v.add(err)
	}
	v.check(o.Memory >= 0, "memory budget %d is negative", o.Memory)
	v.check(o.Disk >= 0, "disk budget %d is negative", o.Disk)
	v.check(o.Threads >= 1, "%d threads", o.Threads)
	v.check(o.Shards >= 0, "%d shards", o.Shards)
	v.check(o.MaxIterations >= 0, "iteration limit %d is negative", o.MaxIterations)
	v.check(o.MaxTime >= 0, "time limit %v is negative", o.MaxTime)
	v.check(o.Grace >= 0, "grace of %v is negative", o.Grace)
	v.check(o.CheckpointEvery >= 0, "time between checkpoints %v is negative", o.CheckpointEvery)
	v.check(o.Folds <= math.MaxInt32, "%d folds", o.Folds)
	v.check(o.Folds == 0 || o.Checkpoint == "",
		"probabilities with checkpoints, which do not hold the trainings without the folds")
	v.check(!o.Resume || o.Checkpoint != "", "resume without a folder of checkpoints")
	return errors.Join(v.faults...)
}

// validation collects the faults of options whose defaults are filled in.
type validation struct {
	*Options
	costGiven bool // the options named C before that
	tauGiven  bool // and Tau
	faults    []error
}

// check adds a fault unless ok holds.
func (v *validation) check(ok bool, format string, args ...any) {
	if !ok {
		v.add(fail.New(fail.Usage, format, args...))
	}
}

// add adds a fault.
func (v *validation) add(fault error) { v.faults = append(v.faults, fault) }

// checkTask finds options that make no sense for the task, such as a class weight where there are
// no classes.
func (v *validation) checkTask() {
	v.check(slices.Contains(model.Tasks, model.Named(v.Task)),
		"unknown task %s (one of %s)", fail.Quote(v.Task), strings.Join(model.Tasks, ", "))
	numbers := v.lossSettings()
	for _, n := range model.LossNumbers {
		x := *n.Of(&numbers)
		v.check(n.Allows(x) || x == 0 && (!n.IsOf(v.Task) || v.Taus != nil && n.Name == model.NameTau), "%s = %g is not %s", n.Name, x, n.Range)
	}
	v.checkTaus()
	v.checkSurvival()
	v.check(v.Multiclass == "" || slices.Contains(model.Multiclasses, v.Multiclass),
		"unknown kind of several classifiers %s (%s)", fail.Quote(v.Multiclass), strings.Join(model.Multiclasses, ", "))
	v.check(v.Multiclass == "" || v.Positive == nil,
		"positive labels make two classes, and several classifiers are for more")
	v.checkOneTheta()
	v.checkSingle()
	v.Posteriors.Check(v.check)
	if v.Posteriors.Asked() {
		v.check(v.Task == TaskClass, "posteriors of classes, and task %s has none; task class has them", v.Task)
		v.check(v.Multiclass == "" || v.Multiclass == SingleClassifier, "a posterior of each row says which of two classes it is of, and "+
			"%s has a classifier for each of more (--positive names the labels of one of two classes)",
			v.Multiclass)
	}
	v.check(v.Multiclass == "" || v.Init == nil, "a start from another model with several classifiers")
	v.check(v.Init == nil || !v.Init.Several(), "the model to start from has several classifiers")
	v.check(v.Init == nil || v.Init.Family.Projection() == nil,
		"the model to start from has a projection, and its rows are other ones")
	v.check(v.Folds == 0 || !model.GivesOdds(v.Task), "probabilities from folds in task %s, whose decision values are the "+
		"logarithms of odds: its models give probabilities without folds", v.Task)
	v.check(v.Folds == 0 || v.Folds >= 2, "%d folds where at least 2 are needed", v.Folds)
	v.check(v.Loss == "" || slices.Contains(model.Losses, v.Loss), "unknown loss %s (one of %s)",
		fail.Quote(v.Loss), strings.Join(model.Losses, ", "))
	v.check(v.Loss != LossSquaredHinge || !v.Posteriors.Asked(),
		"posteriors with the squared hinge: they are for the hinge alone")
	if v.Task != TaskClass {
		v.check(v.Loss == "", "a loss is chosen in task class alone, and the task is %s", v.Task)
	}
	if model.Labeling(v.Task) != dataset.Classes {
		v.check(v.Folds == 0, "probabilities of classes, and task %s has none", v.Task)
		v.check(v.Positive == nil, "positive labels make classes, and task %s has none", v.Task)
		v.check(v.Multiclass == "",
			"several classifiers tell classes apart, and task %s has none", v.Task)
		v.check(v.ClassWeight == nil, "class weights without classes, in task %s", v.Task)
	}
}

// checkTaus finds several quantiles that are none, and options that do not go with them.
func (v *validation) checkTaus() {
	if v.Taus == nil {
		return
	}
	reject := func(bad bool, hint, format string, args ...any) {
		if bad {
			v.add(fail.New(fail.Usage, format, args...).WithHint("%s", hint))
		}
	}
	reject(v.Task != TaskQuantile, "one --tau", "several quantiles in task %s: they are for task quantile", v.Task)
	reject(v.tauGiven, "one of them", "one quantile beside a list of several")
	reject(len(v.Taus) < 2, "Tau is the only one", "a list of %d quantiles", len(v.Taus))
	reject(len(v.Taus) > model.MostTaus, "train several models", "%d quantiles, at most %d", len(v.Taus), model.MostTaus)
	for k, tau := range v.Taus {
		if !(tau > 0 && tau < 1) || k > 0 && !(tau > v.Taus[k-1]) {
			v.check(false, "tau = %g in a list: quantiles are between 0 and 1, and ascend", tau)
			return
		}
	}
	reject(v.Init != nil, "one --tau", "a start from another model with several quantiles")
}

// checkMissing finds options that do not allow rows without a view.
func (v *validation) checkMissing() {
	if v.Missing == "" {
		return
	}
	v.check(v.Gating == "", "gates beside views that rows lack")
	v.check(v.Posteriors.Neighbours == 0, "posteriors of nearest rows beside views that rows lack")
	v.check(v.Init == nil, "a start from another model beside views that rows lack")
	v.check(v.Sequences == dataset.Numbers, "views that rows lack, of sequences")
}

// checkObjects rejects what rows that name objects do not go with.
func (v *validation) checkObjects() {
	if v.Objects == nil {
		return
	}
	for _, other := range []struct {
		there bool
		name  string
	}{
		{v.Gating != "", "gates"},
		{len(v.Views) > 0 || v.Missing != "", "views of the rows"},
		{v.Sequences != dataset.Numbers, "sequences"},
		{dataset.Imputes(v.Impute), "missing values"},
		{v.Store == dataset.LayoutSparse, "rows that are stored by their non-zeros"},
		{v.Normalize == kernelspec.Centred.String(), "kernels that are centred"},
		{v.Posteriors.Neighbours != 0, "posteriors of nearest rows"},
		{v.Init != nil, "a start from another model"},
		{model.HasComponents(v.Task), "task " + v.Task},
	} {
		v.check(!other.there, "objects that rows name, and %s: not yet", other.name)
	}
}

// checkSolver finds options that another solver than chunking cannot serve. A rule of the user
// counts as such a solver: like the wrappers it holds the weights while the dual variables move.
func (v *validation) checkSolver() {
	v.check(v.Solver == "" || slices.Contains(Solvers, v.Solver),
		"unknown solver %s (one of %s)", fail.Quote(v.Solver), strings.Join(Solvers, ", "))
	name := "solver " + v.Solver
	if v.Rule != nil {
		v.check(v.Solver == "" || v.Solver == SolverChunking,
			"a rule for the weights beside solver %s, which is one", v.Solver)
		name = "a rule for the weights"
	}
	v.check(v.Solver != SolverSMO || v.Task == TaskMED, "solver smo is for task med, and not %s", v.Task)
	if v.Solver == SolverLBFGS {
		v.check(v.Task == TaskSquare,
			"solver lbfgs is for duals without bounds whose curvature is constant, which task square alone has, and not %s",
			v.Task)
		v.check(v.Tuning == chunking.Tuning{},
			"choices of working sets, and solver lbfgs, which has none")
	}
	if !v.holdsWeights() {
		return
	}
	v.check(v.Regularizer.countAlternatives() == 0, "%s is for the block norm alone", name)
	// For p > 2 the problem is a maximum over the weights and not a minimum.
	v.check(!v.cutsPlanes() || v.Norm <= 2, "p = %g with solver %s: above 2 weights are to make the "+
		"value largest, and cutting planes find where it is least", v.Norm, v.Solver)
	v.check(v.Checkpoint == "",
		"checkpoints hold the state of solver chunking, and none of %s", name)
}

// holdsWeights reports whether the kernel weights stay while the dual variables are optimised.
func (v *validation) holdsWeights() bool {
	return v.Solver == SolverWrapper || v.cutsPlanes() || v.Rule != nil
}

// cutsPlanes reports whether the kernel weights are found by cutting planes.
func (v *validation) cutsPlanes() bool { return v.Solver == SolverCPM || v.Solver == SolverCPMWrapper }

// checkOneTheta finds options that do not go with one set of weights for all classifiers.
func (v *validation) checkOneTheta() {
	if !v.OneTheta {
		return
	}
	// Classifiers of ovo are over different points, and have no common problem.
	v.check(v.Multiclass == OneVsRest || v.Multiclass == MultiLabel || v.Taus != nil,
		"one set of weights is for the classifiers of ovr or labels, or for several quantiles")
	v.check(v.Norm <= 2, "p = %g with one set of weights: above 2 they are to make the value "+
		"largest, and those that stay between steps find where it is least", v.Norm)
	v.check(v.Regularizer.countAlternatives() == 0, "one set of weights is for the block norm alone")
	v.check(v.Folds == 0, "probabilities from folds that were held out of all classifiers together, "+
		"as one set of weights has them")
	v.check(v.Checkpoint == "", "checkpoints hold the state of one classifier after the other, "+
		"and none of all together")
}

// checkSingle finds options that do not go with one classifier for all classes.
func (v *validation) checkSingle() {
	if v.Multiclass != SingleClassifier {
		return
	}
	v.check(v.Task != TaskLogistic, "one classifier for all classes in task %s: it has the hinge of every two classes, and "+
		"ovr has the log loss", v.Task)
	v.check(v.Loss == "" || v.Loss == LossHinge, "loss %s with one classifier for all classes: it has the "+
		"hinge of every two classes", v.Loss)
	v.check(v.Regularizer.countAlternatives() == 0,
		"one classifier for all classes is for the block norm alone")
	v.check(v.Solver == "" || v.Solver == SolverChunking, "one classifier for all classes with solver %s",
		v.Solver)
	v.check(v.Rule == nil, "a rule for the weights with one classifier for all classes")
	v.check(v.Folds == 0, "probabilities with one classifier for all classes: its scores are no "+
		"decisions for and against a class")
}

// validatePath lists every fault of the options and points of a path. A path goes from one solution
// to the next within one classifier, which is why only solver chunking on one classifier is
// allowed.
func validatePath(o *Options, points []PathPoint) error {
	if len(points) == 0 {
		return errors.Join(o.Validate(), fail.New(fail.Usage, "a path of no problems"))
	}
	if model.TrainsAlone(o.Task, "") {
		return fail.New(fail.Usage, "a path of task %s", o.Task).
			WithHint("run train once for each %s", cmp.Or(model.InPlaceOfCost(o.Task), "C"))
	}
	first := *o
	first.Norm, first.C = points[0].Norm, points[0].C
	faults := []error{first.Validate()}
	if o.Multiclass != "" {
		faults = append(faults, fail.New(fail.Usage, "a path of several classifiers"))
	}
	if o.Taus != nil {
		faults = append(faults, fail.New(fail.Usage, "a path of several quantiles").
			WithHint("run train once for each C, or a path for each --tau"))
	}
	if o.Solver != "" && o.Solver != SolverChunking || o.Rule != nil {
		faults = append(faults, fail.New(fail.Usage, "a path goes by solver chunking"))
	}
	if o.Checkpoint != "" {
		faults = append(faults, fail.New(fail.Usage, "a path has no checkpoints"))
	}
	if o.Folds != 0 {
		faults = append(faults, fail.New(fail.Usage, "a path gives no probabilities"))
	}
	if o.JointCost {
		faults = append(faults, fail.New(fail.Usage, "a path with a C that is found"))
	}
	norms, costs := false, false // whether points differ in them
	for _, p := range points {
		if !(p.Norm >= 1) || !(p.C > 0 || p.C == 0 && o.unitCost) || math.IsInf(p.C, 0) {
			faults = append(faults, fail.New(fail.Usage,
				"block norm %g with C = %g on the path", p.Norm, p.C))
		}
		if g := p.CostPower; g != nil && !(*g >= 0 && !math.IsInf(*g, 0)) {
			faults = append(faults, fail.New(fail.Usage,
				"costs of kernels to the power %g on the path, which is not a number >= 0", *g))
		}
		norms, costs = norms || p.Norm != points[0].Norm, costs || p.C != points[0].C
	}
	if norms && o.Regularizer.hasNoExponent() {
		faults = append(faults, fail.New(fail.Usage,
			"several block norms on a path with a norm that has no p"))
	}
	if costs && slices.Contains(model.Costless, o.Task) {
		faults = append(faults, fail.New(fail.Usage,
			"several costs on a path of task %s, which has none", o.Task))
	}
	return errors.Join(faults...)
}
