package model

import (
	"cmp"
	"math"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/probability"
)

// These are the tasks: two classes, by a hinge or the log loss, regression by the epsilon-insensitive, the squared, the pinball,
// Huber's and the asymmetric squared loss, times some of which are censored, the support of one class, and discriminants of any number of classes.
const (
	TaskClass = "class"
	// TaskLogistic has the log loss, whose functions are the logarithms of odds.
	TaskLogistic = "logistic"
	TaskSVR      = "svr"
	TaskSquare   = "square"
	TaskQuantile = "quantile"
	TaskHuber    = "huber"
	// TaskExpectile has a squared loss with another cost on each side.
	TaskExpectile = "expectile"
	TaskSurvival  = "survival"
	// TaskSurvivalRanking is TaskSurvival by a ranking: it orders rows by their times.
	TaskSurvivalRanking = "survival-ranking"
	// TaskRank orders the rows of each group by their relevances.
	TaskRank = "rank"
	// TaskCox has the partial likelihood, whose function is the logarithm of the relative hazard.
	TaskCox      = "cox"
	TaskOneClass = "oneclass"
	// TaskRKDA is regularised kernel discriminant analysis: a squared loss for each class.
	TaskRKDA = "rkda"
	// TaskMED is maximum entropy discrimination of two classes with a mixture for each.
	TaskMED = "med"
	// TaskMixture is a mixture of maximum likelihood for each of two classes.
	TaskMixture = "mixture"
)

// These are the losses of task class. The names of the other tasks are the names of their losses.
const (
	LossHinge        = "hinge"
	LossSquaredHinge = "squared-hinge"
)

// Losses lists them.
var Losses = []string{LossHinge, LossSquaredHinge}

// taskTraits holds the properties of a task that other packages need. Its loss is in package
// chunking/loss, and package verify has code of its own for it.
type taskTraits struct {
	name   string
	labels dataset.Labeling
	// tube is true if the loss is 0 up to a distance of Epsilon from the target.
	tube bool
	// tilted is above 0 if targets above the function cost tilted C Tau, and those below it tilted C (1 - Tau).
	tilted float64
	// logarithm is true if the function is the logarithm of what is predicted.
	logarithm bool
	// hazard is true if the function is the logarithm of a relative hazard: the larger it is, the earlier is the event.
	hazard bool
	// bounded is true if a dual variable is at most C in magnitude, times the weights of the row and what Sides gives.
	bounded bool
	// cost is the default of C, and costs a factor of the costs that a selection tries by default. Both are 0 for 1.
	cost, costs float64
	// costInUnits is true if the default of C counts deviations of the targets.
	costInUnits bool
	// tauOfEvents is true if the default of Tau depends on the share of the rows with an event.
	tauOfEvents bool
	// since is the least version of the format that knows the task, and 0 for the tasks of the first one.
	since int
	// variantOf is the task that users name, where another option chooses this one. It is empty for others.
	variantOf string
	// pairs is true if the dual variables belong to pairs of rows; see RowPairs.
	pairs bool
	// uncentred is true if the dual variables do not sum to 0, or k(x,x) is a part of the function. Constants of
	// kernels then count.
	uncentred bool
	// costless is true if the loss has no C, and another number in its place or none.
	costless bool
	// inPlace names what the task has in the place of C, which is the name of its flag too. It is empty if it has nothing.
	inPlace string
	// norm is the default block norm, and 0 if the default depends on other options.
	norm float64
	// weightless is true if the kernels have no weights, so only one block norm makes sense.
	weightless bool
	// margin is true if a class is separated from another by the sign of a function, whose dual variables have the signs of
	// the labels.
	margin bool
	// hinge is true if the loss of a row is 0 from a margin on.
	hinge bool
	// odds is true if the function is the logarithm of the odds of the positive class.
	odds bool
	// measure is the key of the figure that compares models of the task where classes and targets in general have another.
	measure string
	// losses is true if the task has a choice of losses, one of Losses. All others have the loss
	// of their name.
	losses bool
	// squared is true if the loss of every row is C (f - y)^2 / 2: the dual variables have no
	// bounds, and the dual value a constant curvature.
	squared bool
	// softLabels is true if a row may have the posteriors of its classes in the place of a label.
	softLabels bool
	// quantile is true if the function is the quantile Tau of the targets. A share Tau of them
	// is then below it, which an expectile does not promise, and one model may have several
	// quantiles.
	quantile bool
	// likelihood is true if each class is fitted to its own rows alone, by maximum likelihood:
	// there is no loss, no cost and no entropy of the other class.
	likelihood bool
	// discriminant is true if all classes are projected together, so a model has the means of
	// the projected classes.
	discriminant bool
	// alone is true if each norm and each cost is a training of its own. trainsAs is the kind of several classifiers
	// on the same rows, for tasks of any number of classes.
	alone    bool
	trainsAs string
	// family is the family that the models of the task are of. It is empty for tasks whose models may be of none.
	family string
}

// quantileCost is the default of C of quantiles, in deviations of the targets. Few rows lie beyond a quantile far from the median, and with
// a large C the function passes through them. On ten sets the interval score of the quantiles 0.05 and 0.95 is 13 % smaller than with a C of
// one deviation, and of calibrated intervals 2 % larger. With 0.22 it is 15 % smaller, and 8 % larger.
const quantileCost = 0.5

// pairedTimeCost is the default of C of a ranking of times. A row is in about 2 log2(n) pairs, 15 to 30 of some hundred or thousand rows. So
// its pairs together cost about as much as one row of a regression of times that differ by a factor of e. Selections try from 0.001 to 1, and 10
// where 1 is best. The dual variables of the many pairs of a row nearly depend on each other. With few of them at their bounds, trainings
// take many iterations: 49 for 2,000 rows of flchain with a cost of 0.1, and 2,712 with 10.
const (
	pairedTimeCost  = 0.1
	pairedTimeCosts = 0.01
)

// traits has a line for each task. A new one is added here.
var traits = []taskTraits{
	{name: TaskClass, labels: dataset.Classes, margin: true, hinge: true, bounded: true, losses: true, softLabels: true},
	{name: TaskLogistic, labels: dataset.Classes, margin: true, odds: true, bounded: true, since: formatVersion},
	{name: TaskSVR, labels: dataset.Targets, tube: true, bounded: true, costInUnits: true},
	{name: TaskSquare, labels: dataset.Targets, squared: true},
	{name: TaskQuantile, labels: dataset.Targets, tube: true, tilted: 1, bounded: true, costInUnits: true, cost: quantileCost, quantile: true, measure: "pinball", since: formatVersion},
	{name: TaskHuber, labels: dataset.Targets, since: formatVersion},
	{name: TaskExpectile, labels: dataset.Targets, tilted: 1, measure: "expectile_loss", since: formatVersion},
	{name: TaskSurvival, labels: dataset.Times, tube: true, tilted: 2, logarithm: true, bounded: true, costInUnits: true, tauOfEvents: true, measure: "c_index", since: formatVersion},
	{name: TaskSurvivalRanking, variantOf: TaskSurvival, labels: dataset.Times, pairs: true, cost: pairedTimeCost, costs: pairedTimeCosts, measure: "c_index", since: formatVersion},
	{name: TaskRank, labels: dataset.Relevances, pairs: true, measure: "ndcg", since: formatVersion},
	{name: TaskCox, labels: dataset.Times, hazard: true, measure: "c_index", since: formatVersion},
	{name: TaskOneClass, labels: dataset.Ignored, uncentred: true, costless: true, inPlace: "nu"}, // the bound is 1/(nu n)
	{name: TaskRKDA, labels: dataset.Classes, costless: true, inPlace: "lambda", norm: 1, discriminant: true, alone: true, trainsAs: OneVsRest},
	{name: TaskMED, labels: dataset.Classes, bounded: true, uncentred: true, norm: 2, weightless: true, alone: true, family: MixtureFamily},
	{name: TaskMixture, labels: dataset.Classes, bounded: true, uncentred: true, costless: true, likelihood: true, norm: 2, weightless: true, alone: true, family: MixtureFamily},
}

// Tasks lists the tasks that users name.
var Tasks = tasksWith(func(t taskTraits) bool { return t.variantOf == "" })

// Named returns the task that users name, of which another may be a variant.
func Named(task string) string { return cmp.Or(traitsOf(task).variantOf, task) }

// Variant returns the task for a kind of a task that users name, such as ranking of survival: its variant, or the task itself.
func Variant(task, kind string) string {
	// Options may leave the name of task class out. An unknown name has no task either, but no variant.
	if v := task + "-" + kind; task != "" && traitsOf(v).variantOf == task {
		return v
	}
	return task
}

// TubeTasks lists the tasks whose loss is 0 within a tube around the targets. Model.Epsilon is the
// half-width of the tube, and 0 for all other tasks.
var TubeTasks = tasksWith(func(t taskTraits) bool { return t.tube })

// TauTasks lists the tasks that estimate the quantile or the expectile Tau, for which targets above the function and below it have costs of their own.
var TauTasks = tasksWith(func(t taskTraits) bool { return t.tilted > 0 })

// Sides returns what the costs of targets above the function and below it are, in units of C, for one of TauTasks and its Tau.
func Sides(task string, tau float64) (above, below float64) {
	t := traitsOf(task)
	return t.tilted * tau, t.tilted * (1 - tau)
}

// CostsInUnits lists the tasks whose cost counts deviations of the targets by default: their loss grows with the
// targets, and not with their square.
var CostsInUnits = tasksWith(func(t taskTraits) bool { return t.costInUnits })

// TausOfEvents lists the tasks whose Tau depends on the share of the rows with an event by default.
var TausOfEvents = tasksWith(func(t taskTraits) bool { return t.tauOfEvents })

// TimeTasks lists the tasks of users whose labels are times, some of them censored.
var TimeTasks = tasksWith(func(t taskTraits) bool { return t.labels == dataset.Times && t.variantOf == "" })

// classifying lists the tasks that predict classes.
var classifying = tasksWith(func(t taskTraits) bool { return t.labels == dataset.Classes })

// Uncentred lists the tasks in which constants of kernels count: their dual variables do not sum to 0, or k(x,x) is a
// part of their function.
var Uncentred = tasksWith(func(t taskTraits) bool { return t.uncentred })

// Costless lists the tasks without a cost C: one class has nu, discriminant analysis lambda, and maximum likelihood
// nothing.
var Costless = tasksWith(func(t taskTraits) bool { return t.costless })

// PredictsLogarithm reports whether the function of a task is the logarithm of what is predicted.
func PredictsLogarithm(task string) bool { return traitsOf(task).logarithm }

// Predicted returns what a task predicts where its function has the value f: f itself, or exp(f) of times. A time is a number above 0, and
// has a logarithm: where exp(f) is above every number it is the largest one, and where exp(f) is too small to be told from 0 the smallest.
func Predicted(task string, f float64) float64 {
	if PredictsLogarithm(task) && !math.IsNaN(f) {
		return min(max(math.Exp(f), math.SmallestNonzeroFloat64), math.MaxFloat64)
	}
	return f
}

// OwnMeasure returns the key of the figure by which models of a task are compared, and an empty text for tasks whose
// labels decide it alone.
func OwnMeasure(task string) string { return traitsOf(task).measure }

// DescribesSupport reports whether a task describes where rows are, without labels: a function is at least 0 there.
func DescribesSupport(task string) bool { return Labeling(task) == dataset.Ignored }

// LeavesRowsOut reports whether the loss of a task is 0 from a margin on. Rows beyond it are not support vectors.
func LeavesRowsOut(task string, loss *LossSettings) bool {
	t := traitsOf(task)
	return t.tube && loss.Epsilon > 0 || t.hinge && loss.Loss != LossSquaredHinge
}

// GivesHazards reports whether the function of a task is the logarithm of a relative hazard.
func GivesHazards(task string) bool { return traitsOf(task).hazard }

// Bounded reports whether dual variables are at most C in magnitude, times the weights of the row and
// of its class. loss is the loss of task class, and means nothing for others.
func Bounded(task, loss string) bool {
	return !(HasLosses(task) && loss == LossSquaredHinge) && traitsOf(task).bounded
}

// ByMargin reports whether a task separates classes by the signs of functions, whose dual variables have the signs of
// the labels. An empty name counts as TaskClass.
func ByMargin(task string) bool { return task == "" || traitsOf(task).margin }

// GivesOdds reports whether the functions of a task are the logarithms of odds, which are probabilities without a fit.
func GivesOdds(task string) bool { return traitsOf(task).odds }

// OddsSigmoid is the sigmoid of a function that is the logarithm of odds.
var OddsSigmoid = probability.Sigmoid{A: -1}

// OddsSigmoids returns the sigmoids of the classifiers of a model whose task gives odds, and nil for other models.
func OddsSigmoids(m *Model) []probability.Sigmoid {
	if !GivesOdds(m.Task) {
		return nil
	}
	return slices.Repeat([]probability.Sigmoid{OddsSigmoid}, max(1, len(m.Classifiers)))
}

// HasComponents reports whether the classes of a task are mixtures of components; see Mixture.
func HasComponents(task string) bool { return familyOf(task) == MixtureFamily }

// HasLosses reports whether a task has a choice of Losses.
func HasLosses(task string) bool { return traitsOf(task).losses }

// HasSquaredLoss reports whether the loss of a task is the squared loss of regression. A loss of
// HasLosses may be squared too, up to the margin, and the discriminant has a squared loss for
// each class.
func HasSquaredLoss(task string) bool { return traitsOf(task).squared }

// TakesPosteriors reports whether rows of a task may have posteriors of their classes in the
// place of labels.
func TakesPosteriors(task string) bool { return traitsOf(task).softLabels }

// EstimatesQuantile reports whether the function of a task is a quantile of the targets: a share
// Tau of them is below it. Quantiles of times are estimated too, but some of these times are
// censored, so the share cannot be counted.
func EstimatesQuantile(task string) bool { return traitsOf(task).quantile }

// EstimatesExpectile reports whether the function of a task is the expectile Tau of the targets.
func EstimatesExpectile(task string) bool {
	t := traitsOf(task)
	return t.tilted > 0 && t.labels == dataset.Targets && !t.quantile
}

// MaximisesEntropy reports whether a task discriminates classes of components by the distribution of
// the largest entropy.
func MaximisesEntropy(task string) bool {
	return HasComponents(task) && !MaximisesLikelihood(task)
}

// MaximisesLikelihood reports whether a task fits each class to its own rows alone, with no loss
// between the classes.
func MaximisesLikelihood(task string) bool { return traitsOf(task).likelihood }

// HasDiscriminant reports whether a task projects all classes together; see Discriminant.
func HasDiscriminant(task string) bool { return traitsOf(task).discriminant }

// InPlaceOfCost returns the name of what a task has in the place of C, and an empty name for tasks with C or with nothing.
func InPlaceOfCost(task string) string { return traitsOf(task).inPlace }

// DefaultCost returns the default of C of a task whose C depends on no other option, in deviations of the targets for CostsInUnits.
func DefaultCost(task string) float64 { return cmp.Or(traitsOf(task).cost, 1) }

// CostsFactor returns the factor of the costs that a selection tries for a task by default.
func CostsFactor(task string) float64 { return cmp.Or(traitsOf(task).costs, 1) }

// DefaultNorm returns the block norm that is the default of a task, and 0 if it depends on other options.
func DefaultNorm(task string) float64 { return traitsOf(task).norm }

// Weightless reports whether the kernels of a task have no weights.
func Weightless(task string) bool { return traitsOf(task).weightless }

// TwoClasses reports whether a task without several classifiers has two classes. An empty name counts as TaskClass.
func TwoClasses(task string) bool {
	return Labeling(task) == dataset.Classes && traitsOf(task).trainsAs == ""
}

// TrainsAlone reports whether trainings of a task, decided in one of Multiclasses or by one classifier, have nothing in
// common but their rows: each norm and each cost is then a training of its own.
func TrainsAlone(task, multiclass string) bool {
	return multiclass == SingleClassifier || traitsOf(task).alone
}

// PlainDecomposition returns the kind of several classifiers of TaskClass that reads rows as a task does.
func PlainDecomposition(task, multiclass string) string {
	if as := traitsOf(task).trainsAs; as != "" {
		return as
	}
	if multiclass == SingleClassifier {
		return OneVsRest
	}
	return multiclass
}

// traitsOf returns the properties of a task, and none of an unknown one.
func traitsOf(task string) taskTraits {
	for _, t := range traits {
		if t.name == task {
			return t
		}
	}
	return taskTraits{}
}

// sinceOfTask returns the least version of the format that knows a task.
func sinceOfTask(task string) int { return max(traitsOf(task).since, denseVersion) }

// familyOf returns the family that models of a task are of, and an empty name for a task of no family.
func familyOf(task string) string { return traitsOf(task).family }

// fits reports whether a model of the family may be of a task: its own tasks have no other family, and it has no other tasks.
func (family *Family) fits(task string) bool {
	own, name := familyOf(task), ""
	if family != nil {
		name = family.Name
	}
	return own == name || own == "" && !slices.ContainsFunc(traits, func(t taskTraits) bool { return t.family == name })
}

// tasksWith lists the tasks that are as wanted.
func tasksWith(wanted func(t taskTraits) bool) (names []string) {
	for _, t := range traits {
		if wanted(t) {
			names = append(names, t.name)
		}
	}
	return names
}

// LabelingOf returns what labels mean in the data of a task that is decided in one of Multiclasses, or
// by one classifier.
func LabelingOf(task, multiclass string) dataset.Labeling {
	if multiclass == MultiLabel {
		return dataset.Sets
	}
	return Labeling(task)
}

// Labeling returns what labels mean in the data of a task of one classifier. Those of an unknown task
// are classes.
func Labeling(task string) dataset.Labeling { return cmp.Or(traitsOf(task).labels, dataset.Classes) }
