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
	v := &validation{Options: &o, costGiven: o.C != 0, tauGiven: o.Tau != 0, epsilonGiven: o.Epsilon != 0}
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
		"the power %g of the costs of kernels is not a number >= 0", o.CostPower)
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
	v.check(o.Threads >= 1, "%d threads: at least 1", o.Threads)
	v.check(o.Shards >= 0, "the number of shards %d is negative", o.Shards)
	v.check(o.MaxIterations >= 0, "iteration limit %d is negative", o.MaxIterations)
	v.check(o.MaxTime >= 0, "time limit %v is negative", o.MaxTime)
	v.check(o.Grace >= 0, "grace of %v is negative", o.Grace)
	v.check(o.CheckpointEvery >= 0, "time between checkpoints %v is negative", o.CheckpointEvery)
	v.check(o.Folds <= math.MaxInt32, "%d folds: at most %d", o.Folds, math.MaxInt32)
	v.check(o.Folds == 0 || o.Checkpoint == "",
		"probabilities cannot be combined with checkpoints, which do not contain the trainings without a fold")
	v.check(!o.Resume || o.Checkpoint != "", "to resume a run, name the folder of its checkpoints")
	return errors.Join(v.faults...)
}

// validation collects the faults of options whose defaults are filled in.
type validation struct {
	*Options
	costGiven    bool // the options named C before that
	tauGiven     bool // and Tau
	epsilonGiven bool // and Epsilon
	faults       []error
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
		"labels of the positive class are for two classes, and several classifiers are for more")
	v.checkOneTheta()
	v.checkSingle()
	v.Posteriors.Check(v.check)
	if v.Posteriors.Asked() {
		v.check(model.TakesPosteriors(v.Task), "posteriors are for task class, and the task is %s", v.Task)
		v.check(v.Multiclass == "" || v.Multiclass == SingleClassifier, "posteriors are for two classes, and %s is for more "+
			"(--positive names the labels of the positive class)",
			v.Multiclass)
	}
	v.check(v.Multiclass == "" || v.Init == nil, "several classifiers cannot start from another model")
	v.check(v.Init == nil || !v.Init.Several(), "the model to start from has several classifiers")
	v.check(v.Init == nil || v.Init.Family.Projection() == nil,
		"the model to start from has a projection, so it has projected features in place of the rows")
	v.check(v.Folds == 0 || !model.GivesOdds(v.Task), "probabilities from folds are not available in task %s: "+
		"its models have probabilities without folds", v.Task)
	v.check(v.Folds == 0 || v.Folds >= 2, "%d folds: at least 2", v.Folds)
	v.check(v.Loss == "" || slices.Contains(model.Losses, v.Loss), "unknown loss %s (one of %s)",
		fail.Quote(v.Loss), strings.Join(model.Losses, ", "))
	v.check(v.Loss != LossSquaredHinge || !v.Posteriors.Asked(),
		"posteriors are for the hinge loss, and not for the squared hinge")
	if !model.HasLosses(v.Task) {
		v.check(v.Loss == "", "only task class has a choice of losses, and the task is %s", v.Task)
	}
	if model.Labeling(v.Task) != dataset.Classes {
		v.check(v.Folds == 0, "probabilities are for tasks with classes, and task %s has no classes", v.Task)
		v.check(v.Positive == nil, "labels of the positive class are for tasks with classes, and task %s has no classes", v.Task)
		v.check(v.Multiclass == "",
			"several classifiers are for tasks with classes, and task %s has no classes", v.Task)
		v.check(v.ClassWeight == nil, "class weights are for tasks with classes, and task %s has no classes", v.Task)
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
	reject(!model.EstimatesQuantile(v.Task), "give one --tau",
		"several quantiles in task %s: they are for task quantile", v.Task)
	reject(v.tauGiven, "give one of them", "a single quantile and a list of quantiles exclude each other")
	reject(len(v.Taus) < 2, "give a single quantile as Tau", "a list of %d quantiles: at least 2", len(v.Taus))
	reject(len(v.Taus) > model.MostTaus, "train several models", "%d quantiles, at most %d", len(v.Taus), model.MostTaus)
	for k, tau := range v.Taus {
		if !(tau > 0 && tau < 1) || k > 0 && !(tau > v.Taus[k-1]) {
			v.check(false, "tau = %g in a list: quantiles are between 0 and 1, and ascend", tau)
			return
		}
	}
	reject(v.Init != nil, "give one --tau", "several quantiles cannot start from another model")
}

// checkMissing finds options that do not allow rows without a view.
func (v *validation) checkMissing() {
	if v.Missing == "" {
		return
	}
	v.check(v.Gating == "", "gates cannot be combined with views that rows lack")
	v.check(v.Posteriors.Neighbours == 0, "posteriors of nearest rows cannot be combined with views that rows lack")
	v.check(v.Init == nil, "a start from another model cannot be combined with views that rows lack")
	v.check(v.Sequences == dataset.Numbers, "sequences cannot be combined with views that rows lack")
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
		{v.Store == dataset.LayoutSparse, "sparse storage"},
		{v.Normalize == kernelspec.Centred.String(), "centred kernels"},
		{v.Posteriors.Neighbours != 0, "posteriors of nearest rows"},
		{v.Init != nil, "a start from another model"},
		{model.HasComponents(v.Task), "task " + v.Task},
	} {
		v.check(!other.there, "rows that name objects cannot be combined with %s yet", other.name)
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
			"a rule for the weights cannot be combined with solver %s, which has its own rule", v.Solver)
		name = "a rule for the weights"
	}
	v.check(v.Solver != SolverSMO || model.MaximisesEntropy(v.Task), "solver smo is for task med, and not %s", v.Task)
	if v.Solver == SolverLBFGS {
		v.check(model.HasSquaredLoss(v.Task),
			"solver lbfgs is for task square, whose dual has no bounds and a constant curvature, and not for task %s",
			v.Task)
		v.check(v.Tuning == chunking.Tuning{},
			"solver lbfgs has no working sets, so it takes no options for them")
	}
	if !v.holdsWeights() {
		return
	}
	v.check(v.Regularizer.isBlockNorm(), "%s is for the block norm alone", name)
	// For p > 2 the problem is a maximum over the weights and not a minimum.
	v.check(!v.cutsPlanes() || v.Norm <= 2, "p = %g with solver %s: cutting planes "+
		"need p of at most 2", v.Norm, v.Solver)
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
	v.check(v.Norm <= 2, "p = %g with one set of weights, which needs p of at most 2", v.Norm)
	v.check(v.Regularizer.isBlockNorm(), "one set of weights is for the block norm alone")
	v.check(v.Folds == 0, "probabilities cannot be combined with one set of weights: "+
		"each fold would have to be held out of all classifiers together")
	v.check(v.Checkpoint == "", "checkpoints cannot be combined with one set of weights: "+
		"they hold the state of one classifier, and not of all together")
}

// checkSingle finds options that do not go with one classifier for all classes.
func (v *validation) checkSingle() {
	if v.Multiclass != SingleClassifier {
		return
	}
	v.check(!model.GivesOdds(v.Task), "one classifier for all classes has a hinge loss, and task %s the log loss "+
		"(ovr supports it)", v.Task)
	v.check(v.Loss == "" || v.Loss == LossHinge, "one classifier for all classes has the hinge loss, "+
		"and not loss %s", v.Loss)
	v.check(v.Regularizer.isBlockNorm(),
		"one classifier for all classes is for the block norm alone")
	v.check(v.Solver == "" || v.Solver == SolverChunking, "one classifier for all classes cannot be trained by solver %s",
		v.Solver)
	v.check(v.Rule == nil, "one classifier for all classes cannot be combined with a rule for the weights")
	v.check(v.Folds == 0, "one classifier for all classes has no probabilities: "+
		"its scores are not decisions for or against one class")
}

// validatePath lists every fault of the options and points of a path. A path goes from one solution
// to the next within one classifier, which is why only solver chunking on one classifier is
// allowed.
func validatePath(o *Options, points []PathPoint) error {
	if len(points) == 0 {
		return errors.Join(o.Validate(), fail.New(fail.Usage, "a path needs at least one problem"))
	}
	if model.TrainsAlone(o.Task, "") {
		return fail.New(fail.Usage, "task %s has no paths", o.Task).
			WithHint("run train once for each %s", cmp.Or(model.InPlaceOfCost(o.Task), "C"))
	}
	first := *o
	first.Norm, first.C = points[0].Norm, points[0].C
	faults := []error{first.Validate()}
	if o.Multiclass != "" {
		faults = append(faults, fail.New(fail.Usage, "a path cannot hold models of several classifiers"))
	}
	if o.Taus != nil {
		faults = append(faults, fail.New(fail.Usage, "a path cannot hold models of several quantiles").
			WithHint("run train once for each C, or a path for each --tau"))
	}
	if o.Solver != "" && o.Solver != SolverChunking || o.Rule != nil {
		faults = append(faults, fail.New(fail.Usage, "a path is trained by the chunking solver alone"))
	}
	if o.Checkpoint != "" {
		faults = append(faults, fail.New(fail.Usage, "a path has no checkpoints"))
	}
	if o.Folds != 0 {
		faults = append(faults, fail.New(fail.Usage, "the models of a path have no probabilities"))
	}
	if o.JointCost {
		faults = append(faults, fail.New(fail.Usage, "a path needs given values of C, and cannot find C"))
	}
	norms, costs := false, false // whether points differ in them
	for _, p := range points {
		if !(p.Norm >= 1) || !(p.C > 0 || p.C == 0 && o.unitCost) || math.IsInf(p.C, 0) {
			faults = append(faults, fail.New(fail.Usage,
				"block norm %g with C = %g on the path: p is at least 1, and C a number above 0", p.Norm, p.C))
		}
		if g := p.CostPower; g != nil && !(*g >= 0 && !math.IsInf(*g, 0)) {
			faults = append(faults, fail.New(fail.Usage,
				"the power %g of the costs of kernels on the path is not a number >= 0", *g))
		}
		norms, costs = norms || p.Norm != points[0].Norm, costs || p.C != points[0].C
	}
	if norms && o.Regularizer.hasNoExponent() {
		faults = append(faults, fail.New(fail.Usage,
			"a path of several block norms needs a norm that has a p"))
	}
	if costs && slices.Contains(model.Costless, o.Task) {
		faults = append(faults, fail.New(fail.Usage,
			"a path of several costs in task %s, which has no cost", o.Task))
	}
	return errors.Join(faults...)
}
