package bigmkl

import (
	"errors"
	"math"
	"slices"
	"strings"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/discriminant"
	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// Validate returns an error that lists every fault of the options at once, or nil. All faults are
// of class ErrUsage. It reads neither data nor files: faults that only show with the kernels or the
// data are found by the run itself.
func (o Options) Validate() error {
	costGiven := o.C != 0
	o.setDefaults()
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fail.New(fail.Usage, format, args...))
		}
	}
	o.checkTask(check)
	o.checkDiscriminant(costGiven, check)
	faults = append(faults, o.checkMixture(costGiven, check))
	check(o.Norm >= 1, "block norm p = %g is not in [1, inf]", o.Norm)
	o.Regularizer.checkNorm(o.Norm, check)
	o.checkSolver(check)
	o.checkJointCost(check)
	check(o.CostPower == Zero || o.CostPower >= 0 && !math.IsInf(o.CostPower, 0),
		"costs of kernels to the power %g, which is not a number >= 0", o.CostPower)
	o.checkGates(check)
	o.checkMissing(check)
	if _, err := o.gates(); err != nil {
		faults = append(faults, err)
	}
	check(o.C > 0 && !math.IsInf(o.C, 0), "C = %g is not a positive number", o.C)
	check(o.Gap > 0 && o.Gap < 1, "gap %g is not between 0 and 1", o.Gap)
	check(slices.Contains([]string{"auto", "32", "64"}, o.Precision),
		"unknown precision %s (auto, 32 or 64)", fail.Quote(o.Precision))
	check(slices.Contains(kernelspec.Normalizers(), o.Normalize),
		"unknown normalisation %s (one of %s)", fail.Quote(o.Normalize), strings.Join(kernelspec.Normalizers(), ", "))
	if _, err := dataset.ParseScale(o.Scale); err != nil {
		faults = append(faults, err)
	}
	if _, err := dataset.ParseImpute(o.Impute); err != nil {
		faults = append(faults, err)
	}
	check(o.Sequences == dataset.Numbers || !dataset.Imputes(o.Impute),
		"imputation %s of sequences: letters are not numbers", o.Impute)
	if _, err := dataset.ParseLayout(string(o.Store)); err != nil {
		faults = append(faults, err)
	}
	if _, err := dataset.ParseAlphabet(string(o.Sequences)); err != nil {
		faults = append(faults, err)
	}
	check(o.Sequences == dataset.Numbers || o.Scale == dataset.ScaleNone || o.Scale == dataset.ScaleAuto,
		"scaling %s of sequences: letters are not numbers", o.Scale)
	for label, w := range o.ClassWeight {
		check(w > 0 && !math.IsInf(w, 0), "weight %g of class %s is not a positive number",
			w, fail.Quote(label))
	}
	check(o.Limit >= 0, "limit %d is negative", o.Limit)
	if err := o.Tuning.Validate(); err != nil {
		faults = append(faults, err)
	}
	check(o.Memory >= 0, "memory budget %d is negative", o.Memory)
	check(o.Disk >= 0, "disk budget %d is negative", o.Disk)
	check(o.Threads >= 1, "%d threads", o.Threads)
	check(o.Shards >= 0, "%d shards", o.Shards)
	check(o.MaxIterations >= 0, "iteration limit %d is negative", o.MaxIterations)
	check(o.MaxTime >= 0, "time limit %v is negative", o.MaxTime)
	check(o.Grace >= 0, "grace of %v is negative", o.Grace)
	check(o.CheckpointEvery >= 0, "time between checkpoints %v is negative", o.CheckpointEvery)
	check(o.Folds <= math.MaxInt32, "%d folds", o.Folds)
	check(o.Folds == 0 || o.Checkpoint == "",
		"probabilities with checkpoints, which do not hold the trainings without the folds")
	check(!o.Resume || o.Checkpoint != "", "resume without a folder of checkpoints")
	return errors.Join(faults...)
}

// checkTask finds options that make no sense for the task, such as a class weight where there are
// no classes.
func (o *Options) checkTask(check func(ok bool, format string, args ...any)) {
	check(slices.Contains(model.Tasks, o.Task),
		"unknown task %s (one of %s)", fail.Quote(o.Task), strings.Join(model.Tasks, ", "))
	// The difference of an infinite number with itself is not 0.
	check(o.Epsilon >= 0 && o.Epsilon-o.Epsilon == 0,
		"epsilon = %g is not a number >= 0", o.Epsilon)
	check(!slices.Contains(model.TauTasks, o.Task) || o.Tau > 0 && o.Tau < 1, "tau = %g is not between 0 and 1", o.Tau)
	check(o.Task != TaskHuber || o.Delta > 0 && !math.IsInf(o.Delta, 0), "delta = %g is not a positive number", o.Delta)
	check(o.Nu > 0 && o.Nu <= 1, "nu = %g is not above 0 and at most 1", o.Nu)
	check(o.Multiclass == "" || slices.Contains(model.Multiclasses, o.Multiclass),
		"unknown kind of several classifiers %s (%s)", fail.Quote(o.Multiclass), strings.Join(model.Multiclasses, ", "))
	check(o.Multiclass == "" || o.Positive == nil,
		"positive labels make two classes, and several classifiers are for more")
	o.checkOneTheta(check)
	o.checkSingle(check)
	o.Posteriors.Check(check)
	if o.Posteriors.Asked() {
		check(o.Task == TaskClass, "posteriors of classes, and task %s has none", o.Task)
		check(o.Multiclass == "" || o.Multiclass == SingleClassifier, "a posterior of each row says which of two classes it is of, and "+
			"%s has a classifier for each of more (--positive names the labels of one of two classes)",
			o.Multiclass)
	}
	check(o.Multiclass == "" || o.Init == nil, "a start from another model with several classifiers")
	check(o.Init == nil || !o.Init.Several(), "the model to start from has several classifiers")
	check(o.Init == nil || o.Init.Projection() == nil,
		"the model to start from has a projection, and its rows are other ones")
	check(o.Folds == 0 || o.Folds >= 2, "%d folds where at least 2 are needed", o.Folds)
	check(o.Loss == "" || slices.Contains(model.Losses, o.Loss), "unknown loss %s (one of %s)",
		fail.Quote(o.Loss), strings.Join(model.Losses, ", "))
	check(o.Loss != LossSquaredHinge || !o.Posteriors.Asked(),
		"posteriors with the squared hinge: they are for the hinge alone")
	if o.Task != TaskClass {
		check(o.Loss == "", "a loss is chosen in task class alone, and the task is %s", o.Task)
	}
	if o.Task != TaskClass && o.Task != TaskRKDA && !model.HasComponents(o.Task) {
		check(o.Folds == 0, "probabilities of classes, and task %s has none", o.Task)
		check(o.Positive == nil, "positive labels make classes, and task %s has none", o.Task)
		check(o.Multiclass == "",
			"several classifiers tell classes apart, and task %s has none", o.Task)
		check(o.ClassWeight == nil, "class weights without classes, in task %s", o.Task)
	}
}

// checkJointCost finds options that do not go with a cost that is found along with the weights.
func (o *Options) checkJointCost(check func(ok bool, format string, args ...any)) {
	if !o.JointCost {
		return
	}
	if o.Task == TaskRKDA { // checkDiscriminant has the rest
		check(o.Norm == 1, "lambda is found as a weight that sums to 1 with the others, which takes the block norm p = 1")
		check(o.Solver != SolverSDPKim, "lambda is not found by solver %s", o.Solver)
		return
	}
	// A loss without a quadratic term has no part of the dual value that a kernel could represent.
	check(o.Task == TaskSquare || o.Task == TaskClass && o.Loss == LossSquaredHinge,
		"C is found for squared losses alone, squared-hinge of task class and that of task square")
	check(o.Norm == 1 && o.Regularizer.countAlternatives() == 0,
		"C is found as a weight that sums to 1 with the others, which takes the block norm p = 1")
	check(o.C == 1, "C = %g beside a C that is found", o.C)
	check(o.Solver == "" || o.Solver == SolverChunking, "C is found by solver chunking, and not %s",
		o.Solver)
	check(o.Rule == nil, "C is found by solver chunking, and not by a rule for the weights")
	check(o.Multiclass == "", "C is found for one classifier, and %s has several", o.Multiclass)
	check(o.Folds == 0, "probabilities from folds, each of which would find another C")
	check(o.Gating == "", "C is found for kernels without gates")
}

// checkDiscriminant finds options that do not go with task rkda, and its own without it. costGiven
// means that the options name C.
func (o *Options) checkDiscriminant(costGiven bool,
	check func(ok bool, format string, args ...any)) {
	if o.Task != TaskRKDA {
		check(o.Lambda == 0, "lambda without task rkda: other tasks have C")
		check(o.DiscriminantRule == "", "a rule for scores of classes without task rkda")
		check(o.Solver == SolverCPMWrapper || !slices.Contains(discriminant.Solvers, o.Solver),
			"solver %s without task rkda, whose program it is", o.Solver)
		return
	}
	if o.JointCost {
		check(o.Lambda == 0, "lambda = %g beside a lambda that is found", o.Lambda)
	} else {
		check(o.Lambda > 0 && !math.IsInf(o.Lambda, 0), "lambda = %g is not a positive number", o.Lambda)
	}
	check(!costGiven, "C beside lambda: the cost of task rkda is 1/(n lambda)")
	check(slices.Contains(model.DiscriminantRules, o.DiscriminantRule), "unknown rule %s (%s)",
		fail.Quote(o.DiscriminantRule), strings.Join(model.DiscriminantRules, " or "))
	check(o.Norm <= 2, "p = %g with task rkda: it is in [1, 2] there", o.Norm)
	check(o.Regularizer.countAlternatives() == 0, "task rkda is for the block norm alone")
	check(o.ClassWeight == nil, "class weights with task rkda: scatter matrices have none")
	check(o.Multiclass == "",
		"several classifiers with task rkda, which has all classes in one problem")
	check(o.Positive == nil, "positive labels with task rkda, which tells all classes apart")
	check(o.Folds == 0,
		"probabilities with task rkda: its scores are no decisions for and against a class")
	program := slices.Contains(discriminant.Solvers, o.Solver)
	check(o.Solver == "" || o.Solver == SolverChunking || program, "task rkda with solver %s", o.Solver)
	if program {
		check(o.Norm == 1, "p = %g with solver %s, whose weights sum to 1", o.Norm, o.Solver)
		check(o.Precision != "32", "precision 32 with solver %s, which is in double precision", o.Solver)
		check(o.Checkpoint == "", "checkpoints hold the state of solver chunking, and none of solver %s",
			o.Solver)
	}
	check(o.Rule == nil, "a rule for the weights with task rkda")
	check(o.Init == nil, "a start from another model with task rkda")
	check(o.Gating == "", "gates with task rkda")
}

// checkMissing finds options that do not allow rows without a view.
func (o *Options) checkMissing(check func(ok bool, format string, args ...any)) {
	if o.Missing == "" {
		return
	}
	check(o.Gating == "", "gates beside views that rows lack")
	check(o.Posteriors.Neighbours == 0, "posteriors of nearest rows beside views that rows lack")
	check(o.Init == nil, "a start from another model beside views that rows lack")
	check(o.Sequences == dataset.Numbers, "views that rows lack, of sequences")
}

// checkSolver finds options that another solver than chunking cannot serve. A rule of the user
// counts as such a solver: like the wrappers it holds the weights while the dual variables move.
func (o *Options) checkSolver(check func(ok bool, format string, args ...any)) {
	check(o.Solver == "" || slices.Contains(Solvers, o.Solver),
		"unknown solver %s (one of %s)", fail.Quote(o.Solver), strings.Join(Solvers, ", "))
	name := "solver " + o.Solver
	if o.Rule != nil {
		check(o.Solver == "" || o.Solver == SolverChunking,
			"a rule for the weights beside solver %s, which is one", o.Solver)
		name = "a rule for the weights"
	}
	check(o.Solver != SolverSMO || o.Task == TaskMED, "solver smo is for task med, and not %s", o.Task)
	if o.Solver == SolverLBFGS {
		check(o.Task == TaskSquare,
			"solver lbfgs is for duals without bounds, which task square alone has, and not %s",
			o.Task)
		check(o.Tuning == chunking.Tuning{},
			"choices of working sets, and solver lbfgs, which has none")
	}
	if !o.holdsWeights() {
		return
	}
	check(o.Regularizer.countAlternatives() == 0, "%s is for the block norm alone", name)
	// For p > 2 the problem is a maximum over the weights and not a minimum.
	check(!o.cutsPlanes() || o.Norm <= 2, "p = %g with solver %s: above 2 weights are to make the "+
		"value largest, and cutting planes find where it is least", o.Norm, o.Solver)
	check(o.Checkpoint == "",
		"checkpoints hold the state of solver chunking, and none of %s", name)
}

// holdsWeights reports whether the kernel weights stay while the dual variables are optimised.
func (o *Options) holdsWeights() bool {
	return o.Solver == SolverWrapper || o.cutsPlanes() || o.Rule != nil
}

// cutsPlanes reports whether the kernel weights are found by cutting planes.
func (o *Options) cutsPlanes() bool { return o.Solver == SolverCPM || o.Solver == SolverCPMWrapper }

// checkOneTheta finds options that do not go with one set of weights for all classifiers.
func (o *Options) checkOneTheta(check func(ok bool, format string, args ...any)) {
	if !o.OneTheta {
		return
	}
	// Classifiers of ovo are over different points, and have no common problem.
	check(o.Multiclass == OneVsRest || o.Multiclass == MultiLabel,
		"one set of weights is for the classifiers of ovr or labels")
	check(o.Norm <= 2, "p = %g with one set of weights: above 2 they are to make the value "+
		"largest, and those that stay between steps find where it is least", o.Norm)
	check(o.Regularizer.countAlternatives() == 0, "one set of weights is for the block norm alone")
	check(o.Folds == 0, "probabilities from folds that were held out of all classifiers together, "+
		"as one set of weights has them")
	check(o.Checkpoint == "", "checkpoints hold the state of one classifier after the other, "+
		"and none of all together")
}

// checkSingle finds options that do not go with one classifier for all classes.
func (o *Options) checkSingle(check func(ok bool, format string, args ...any)) {
	if o.Multiclass != SingleClassifier {
		return
	}
	check(o.Loss == "" || o.Loss == LossHinge, "loss %s with one classifier for all classes: it has the "+
		"hinge of every two classes", o.Loss)
	check(o.Regularizer.countAlternatives() == 0,
		"one classifier for all classes is for the block norm alone")
	check(o.Solver == "" || o.Solver == SolverChunking, "one classifier for all classes with solver %s",
		o.Solver)
	check(o.Rule == nil, "a rule for the weights with one classifier for all classes")
	check(o.Folds == 0, "probabilities with one classifier for all classes: its scores are no "+
		"decisions for and against a class")
}

// validatePath lists every fault of the options and points of a path. A path goes from one solution
// to the next within one classifier, which is why only solver chunking on one classifier is
// allowed.
func validatePath(o *Options, points []PathPoint) error {
	if len(points) == 0 {
		return errors.Join(o.Validate(), fail.New(fail.Usage, "a path of no problems"))
	}
	if o.Task == TaskRKDA {
		return fail.New(fail.Usage, "a path of task rkda").
			WithHint("run train once for each lambda")
	}
	if model.HasComponents(o.Task) {
		return fail.New(fail.Usage, "a path of task %s", o.Task).WithHint("run train once for each C")
	}
	first := *o
	first.Norm, first.C = points[0].Norm, points[0].C
	faults := []error{first.Validate()}
	if o.Multiclass != "" {
		faults = append(faults, fail.New(fail.Usage, "a path of several classifiers"))
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
	if costs && o.Task == TaskOneClass {
		faults = append(faults, fail.New(fail.Usage,
			"several costs on a path of one class, which has none"))
	}
	return errors.Join(faults...)
}
