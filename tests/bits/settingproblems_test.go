package bits

import (
	"fmt"
	"math"
	"slices"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/tests/bigmkltest"
)

// These problems are for the settings in which they are trained: points fall asleep and wake, rows go to
// disk, precision and norms change on the way. Small working sets make that happen with few rows.

// small has working sets of which many make up the rows.
var small = chunking.Tuning{WorkingSet: 32, Shrink: 0.8}

// sleepProblems have points that are left out, in every norm, task and way from one precision to the other.
func sleepProblems(d bytesData) []problem {
	inf := math.Inf(1)
	list := []problem{
		{name: "asleep, p=1", sleeps: true, spills: true, o: bigmkl.Options{Norm: 1, Precision: "32"}},
		{name: "asleep, p=1.01", o: bigmkl.Options{Norm: 1.01, Precision: "32"}},
		{name: "asleep, p=4/3", sleeps: true, spills: true, always: []kind{withLittle, resumed, moved}, o: bigmkl.Options{Precision: "32"}},
		{name: "asleep, p=2", sleeps: true, o: bigmkl.Options{Norm: 2, Precision: "32"}},
		{name: "asleep, p=8", spills: true, always: []kind{resumed}, o: bigmkl.Options{Norm: 8, Gap: 2e-3}},
		{name: "asleep, p=inf", always: []kind{resumed}, o: bigmkl.Options{Norm: inf, Gap: 5e-3}},
		{name: "asleep, sparse, p=1.0667", spills: true, o: bigmkl.Options{Norm: 1.0667, Precision: "32", Store: dataset.LayoutSparse}},
		{name: "asleep, spherical", o: bigmkl.Options{Precision: "32", Normalize: "spherical", Scale: "standard"}},
		{name: "asleep, centred", o: bigmkl.Options{Normalize: "centred"}},
		{name: "asleep, sigmoid", o: bigmkl.Options{Kernels: "sigmoid:0.5:-1,gauss:0.2,linear,sigmoid:3:1"}},
		{name: "asleep, then double", spills: true, o: bigmkl.Options{Gap: 3e-5}},
		{name: "asleep, skeleton", o: bigmkl.Options{Kernels: bigmkltest.SeveralGroups + ",gauss:0.001..10/90,laplace:auto/30"}},
		{name: "asleep, skeleton, then double", o: bigmkl.Options{Kernels: bigmkltest.SeveralGroups + ",gauss:0.001..10/90,laplace:auto/30", Gap: 3e-5}},
	}
	for i := range list {
		list[i].rows, list[i].o.C = d.wide, 0.1
		if list[i].o.Gap == 0 {
			list[i].o.Gap = 5e-4
		}
	}
	for _, task := range []string{bigmkl.TaskSVR, bigmkl.TaskSquare, bigmkl.TaskQuantile, bigmkl.TaskHuber, bigmkl.TaskExpectile, bigmkl.TaskSurvival, bigmkl.TaskOneClass} {
		for _, p := range []float64{1, 4.0 / 3, 4} {
			list = append(list, problem{name: fmt.Sprintf("asleep, %s, p=%.4g", task, p), rows: d.curve,
				o: bigmkl.Options{Task: task, Norm: p, Epsilon: 0.2, Tau: 0.5, Nu: 0.3}})
		}
	}
	for i := range list {
		list[i].o.Tuning = small
		if list[i].o.Kernels == "" {
			list[i].o.Kernels = bigmkltest.SeveralGroups
		}
	}
	// Points fall asleep four times before all wake, and would once more if a state did not have the count.
	list = append(list, problem{name: "asleep four times", rows: d.wide, sleeps: true, always: []kind{resumed}, stop: 40,
		o: bigmkl.Options{Kernels: "gauss:0.3,linear", C: 0.03, Gap: 1e-4, Tuning: chunking.Tuning{WorkingSet: 2, Shrink: 0.9}}})
	return list
}

// entireProblems have a large C: working sets make so little progress that steps of all points take their place.
func entireProblems(d bytesData) []problem {
	all := []kind{onThreads, withLittle, onRanks, resumed, moved}
	list := []problem{
		{name: "all points, class", rows: d.wide, o: bigmkl.Options{C: 1e4, Kernels: "gauss:0.02"}},
		{name: "all points, svr", rows: d.curve, o: bigmkl.Options{C: 1e4, Task: bigmkl.TaskSVR, Epsilon: 0.01, Kernels: "gauss:0.05"}},
		{name: "all points, several kernels", rows: d.curve,
			o: bigmkl.Options{C: 1e3, Task: bigmkl.TaskSVR, Epsilon: 0.01, Kernels: "gauss:0.02..0.5/4@each-feature"}},
	}
	for i := range list {
		// The interruption comes after the first step of all points, or just before it.
		list[i].always, list[i].stop, list[i].o.Tuning = all, 32, chunking.Tuning{WorkingSet: 16}
	}
	// From 1,024 rows on the steps of a loss with a tube have another pace. The interruption comes between two of them.
	return append(list, problem{name: "all points, svr, n=1040", rows: d.arc[:1040+predictedRows], always: []kind{resumed}, stop: 73,
		o: bigmkl.Options{C: 10, Task: bigmkl.TaskSVR, Epsilon: 0.01, Kernels: "gauss:0.1,gauss:1,linear", Gap: 1e-6}})
}

// pinnedProblems have a large C at p = 1: rounding of V shows in the weights, which are pinned.
func pinnedProblems(d bytesData) []problem {
	return []problem{
		{name: "pinned weights", rows: d.handful, always: []kind{onThreads, withLittle, onRanks, resumed, moved}, stop: 122,
			o: bigmkl.Options{Norm: 1, C: 1e5, Gap: 1e-6, Kernels: "linear@each-feature,gauss:0.3@each-feature"}},
	}
}

// groupProblems have many groups and few points: passes are divided by groups among the threads.
func groupProblems(d bytesData) []problem {
	const kernels = "gauss:0.3@random:3*80,gauss:auto,linear@each-feature"
	few := slices.Concat(d.two[:37], d.two[len(d.two)-predictedRows:])
	return []problem{
		{name: "many groups, n=37, p=1", rows: few, always: []kind{onThreads}, o: bigmkl.Options{Kernels: kernels, Norm: 1, Seed: 5}},
		{name: "many groups, n=37, p=4/3", rows: few, o: bigmkl.Options{Kernels: kernels, Seed: 5}},
		{name: "many groups, p=1", rows: d.two, o: bigmkl.Options{Kernels: kernels, Norm: 1, Seed: 5}},
		{name: "many groups, p=4/3", rows: d.two, o: bigmkl.Options{Kernels: kernels, Seed: 5}},
	}
}

// togetherProblems have several classifiers whose points fall asleep, and columns of dual
// variables.
func togetherProblems(d bytesData) []problem {
	const kernels = "gauss:auto/4,poly:2,linear"
	list := []problem{
		{name: "asleep, ovr", rows: d.three, always: []kind{resumed}, o: bigmkl.Options{Multiclass: bigmkl.OneVsRest, C: 0.3}},
		{name: "asleep, ovo", rows: d.three, o: bigmkl.Options{Multiclass: bigmkl.OneVsOne, C: 0.3}},
		{name: "asleep, labels, small gap", rows: d.some, o: bigmkl.Options{Multiclass: bigmkl.MultiLabel, C: 0.3, Gap: 3e-5}},
		{name: "asleep, one theta", rows: d.three, o: bigmkl.Options{Multiclass: bigmkl.OneVsRest, OneTheta: true, C: 0.3}},
		{name: "single, small gap, p=1", rows: d.three, o: bigmkl.Options{Multiclass: bigmkl.SingleClassifier, Norm: 1, Gap: 5e-5}},
		{name: "single, posteriors, small gap, p=1", rows: d.three,
			o: bigmkl.Options{Multiclass: bigmkl.SingleClassifier, Norm: 1, Gap: 5e-5, Posteriors: bigmkl.Posteriors{Neighbours: 20}}},
		{name: "discriminant, small gap", rows: d.three, o: bigmkl.Options{Task: bigmkl.TaskRKDA, Gap: 5e-5}},
		{name: "discriminant, lambda found, small gap", rows: d.three, o: bigmkl.Options{Task: bigmkl.TaskRKDA, Gap: 5e-5, JointCost: true}},
		{name: "posteriors, small working sets", rows: d.wide, o: bigmkl.Options{C: 5, Posteriors: bigmkl.Posteriors{Neighbours: 9}}},
		{name: "probability, asleep", rows: d.three, o: bigmkl.Options{C: 0.3, Positive: []string{"1"}, Folds: 3, SharedPreparation: true}},
	}
	for i := range list {
		list[i].o.Kernels, list[i].o.Tuning = kernels, small
	}
	return list
}

// columnProblems have columns of dual variables with each norm, store, normalisation and kind of gates.
func columnProblems(d bytesData) []problem {
	list := []problem{
		{name: "single, p=4/3", o: bigmkl.Options{Norm: 4.0 / 3, ClassWeight: map[string]float64{"2": 3}}},
		{name: "single, p=2, precision 32", o: bigmkl.Options{Norm: 2, Precision: "32"}},
		{name: "single, p=inf", o: bigmkl.Options{Norm: math.Inf(1)}},
		{name: "single, spherical", o: bigmkl.Options{Norm: 1.1, Normalize: "spherical", C: 10}},
		{name: "single, given posteriors", o: bigmkl.Options{Norm: 1.5, Posteriors: bigmkl.Posteriors{Values: thirds(len(d.three) - predictedRows)}}},
		{name: "single, sigmoid gates", o: bigmkl.Options{Gating: "sigmoid", Norm: 4.0 / 3, GateDecay: 1e-3, GateTol: 5e-2}},
		{name: "single, gauss gates", o: bigmkl.Options{Gating: "gauss", GateOn: "1-3", Precision: "32", Starts: 2, GateTol: 5e-2}},
		{name: "single, regions", o: bigmkl.Options{Gating: "regions:3", GateOn: "pca:2"}},
		{name: "single, gates and posteriors", o: bigmkl.Options{Gating: "softmax", Posteriors: bigmkl.Posteriors{Neighbours: 9}, GateTol: 5e-2}},
		{name: "discriminant, p=1.2, indicator", o: bigmkl.Options{Task: bigmkl.TaskRKDA, Norm: 1.2, DiscriminantRule: bigmkl.RuleIndicator}},
		{name: "discriminant, p=2, precision 32", o: bigmkl.Options{Task: bigmkl.TaskRKDA, Norm: 2, Precision: "32"}},
		{name: "discriminant, spherical", o: bigmkl.Options{Task: bigmkl.TaskRKDA, Norm: 4.0 / 3, Normalize: "spherical", Lambda: 1e-2}},
		{name: "discriminant, lambda found, sparse", o: bigmkl.Options{Task: bigmkl.TaskRKDA, JointCost: true, Gap: 1e-5, Store: dataset.LayoutSparse}},
	}
	for i := range list {
		p := &list[i]
		p.rows, p.o.Kernels, p.o.Tuning = d.three, "gauss:auto/2,poly:2,linear@1-3", small
		if p.o.Task == "" {
			p.o.Multiclass = bigmkl.SingleClassifier
		}
	}
	return list
}

// thirds are posteriors of three classes for n rows, which differ from row to row.
func thirds(n int) (p []float64) {
	for i := range n {
		a, b := float64(i%7)/6, float64(i%5)/4
		p = append(p, a, (1-a)*b, (1-a)*(1-b))
	}
	return p
}

// learnedProblems have gates and projections that several descents find, and norms that go on as sharp as
// the problem before has left them.
func learnedProblems(d bytesData) []problem {
	bold := bigmkl.Options{Kernels: "gauss:0.05..0.4/3,poly:3,linear copies=2", C: 100, Gap: 1e-6, Tuning: chunking.Tuning{WorkingSet: 8},
		Gating: "softmax", GateTol: 1e-4, GateSteps: 3, MaxIterations: 3000}
	// With C = 100 steps of all points take the place of working sets, and no norm has to calm down.
	eight, cheap := bold, bold
	eight.Norm, cheap.C = 8, 9
	maximum := cheap
	maximum.Norm = math.Inf(1)
	// The training after the only step of the gates goes back to the foot of its ladder after 200 iterations.
	calm := cheap
	calm.Norm, calm.GateSteps, calm.Tuning.WorkingSet, calm.Gap = 8, 1, 2, 1e-7
	const projected = "proj(gauss:0.4,2)"
	return []problem{
		{name: "emboldened, p=8", rows: d.handful, short: true, always: []kind{resumed}, o: eight},
		{name: "emboldened, C=9, p=inf", rows: d.handful, short: true, o: maximum},
		{name: "emboldened, then calm, C=9, p=8", rows: d.handful, short: true, always: []kind{resumed}, stop: 350, o: calm},
		{name: "gates of classifiers, labels", rows: d.labels, short: true,
			o: bigmkl.Options{Kernels: "gauss:auto/2,linear copies=2", Gating: "sigmoid", GateTol: 1e-2, GateDecay: 1e-3, GateSteps: 3, Multiclass: bigmkl.MultiLabel}},
		{name: "gates of classifiers, two starts", rows: d.triple,
			o: bigmkl.Options{Kernels: "gauss:auto/2,linear copies=2", Gating: "gauss", GateTol: 1e-1, Starts: 2, Multiclass: bigmkl.OneVsOne}},
		{name: "gates of one classifier for all classes, two starts", rows: d.triple,
			o: bigmkl.Options{Kernels: "gauss:auto,linear copies=2", Gating: "softmax", GateTol: 2e-2, GateFloor: 1e-2, Starts: 2, Multiclass: bigmkl.SingleClassifier,
				Tuning: small}},
		{name: "shared gates, ovo", rows: d.triple,
			o: bigmkl.Options{Kernels: "gauss:0.4,linear", Gating: "sigmoid", Multiclass: bigmkl.OneVsOne, OneGate: true, GateTol: 2e-2}},
		{name: "projection, three starts", rows: d.handful, o: bigmkl.Options{Kernels: projected, Starts: 3, GateTol: 1e-2}},
		{name: "projection, few steps", rows: d.handful, short: true, o: bigmkl.Options{Kernels: projected, GateSteps: 2}},
		{name: "projection, ovo", rows: d.triple, o: bigmkl.Options{Kernels: "proj(gauss:0.4,1)", Multiclass: bigmkl.OneVsOne, OneGate: true, GateTol: 1e-2}},
		{name: "projection and gauss gates", rows: d.handful, o: bigmkl.Options{Kernels: projected, Gating: "gauss", GateTol: 2e-2}},
		{name: "projections, small gap", rows: d.handful,
			o: bigmkl.Options{Kernels: "proj(gauss:0.4,2),linear,proj(poly:2,1)", Scale: "standard", Norm: 4. / 3, GateTol: 1e-2, Gap: 1e-5}},
	}
}

// mixtureProblems have tasks med and mixture in every normalisation, precision and projection.
func mixtureProblems(d bytesData) []problem {
	drop := bigmkl.EntropyDrop
	list := []problem{
		{name: "med, spherical", o: bigmkl.Options{Normalize: "spherical", C: 5}},
		{name: "med, spherical, pairs", o: bigmkl.Options{Normalize: "spherical", C: 5, Entropy: drop, Solver: bigmkl.SolverSMO}},
		{name: "med, precision 32, no normalisation", o: bigmkl.Options{Normalize: "none", C: 5, Precision: "32", Gap: 1e-2}},
		{name: "med, precision 64, drop", always: []kind{resumed}, o: bigmkl.Options{Normalize: "none", C: 5, Precision: "64", Entropy: drop}},
		{name: "med, components, sparse", o: bigmkl.Options{Store: dataset.LayoutSparse, C: 5, Components: "1,2,2/3", ClassWeight: map[string]float64{"1": 2}}},
		{name: "med, many rounds", o: bigmkl.Options{Kernels: "gauss:auto/2,linear", C: 1, Restarts: 3, Rounds: 4}},
		{name: "med, precision 32, small gap", o: bigmkl.Options{Kernels: "gauss:auto/2", Rounds: 3, Precision: "32", Gap: 1e-4}},
		{name: "med, pairs, small gap", always: []kind{resumed},
			o: bigmkl.Options{Kernels: "gauss:auto,linear", C: 20, Rounds: 4, Entropy: drop, Solver: bigmkl.SolverSMO, Gap: 1e-5}},
		{name: "mixture, spherical", o: bigmkl.Options{Task: bigmkl.TaskMixture, Normalize: "spherical", Gap: 1e-2}},
		{name: "mixture, sparse", o: bigmkl.Options{Task: bigmkl.TaskMixture, Store: dataset.LayoutSparse, Gap: 1e-2}},
		{name: "mixture, small gap", short: true, always: []kind{resumed}, o: bigmkl.Options{Task: bigmkl.TaskMixture, Kernels: "gauss:auto/2,linear", Restarts: 3, Rounds: 6, Gap: 1e-5}},
		{name: "mixture, precision 32, no normalisation", o: bigmkl.Options{Task: bigmkl.TaskMixture, Kernels: "gauss:auto,poly:2", Precision: "32", Normalize: "none", Gap: 1e-2}},
	}
	for i := range list {
		o := &list[i].o
		list[i].rows, o.Seed = d.handful, 9
		if o.Task == "" {
			o.Task = bigmkl.TaskMED
		}
		if o.Kernels == "" {
			o.Kernels = "gauss:auto,linear,poly:2@1-3"
		}
		if o.Restarts == 0 {
			o.Restarts = 2
		}
		if o.Rounds == 0 && o.Task == bigmkl.TaskMED {
			o.Rounds = 2
		}
	}
	return list
}

// moreProblems have the kernels and solvers whose settings are of their own kind.
func moreProblems(d bytesData) []problem {
	const products = "prod(gauss:auto@1-3,poly:2@4-6),pow(intersection,2),gauss:auto,prod(chi2:mean,laplace:0.1,pow(linear@2-6,2)) norm=spherical"
	const centred = "gauss:auto/3 norm=centred,linear norm=centred,poly:2"
	const users = "user:g,user:dot@2-4,gauss:1,prod(user:g@1-2,poly:2)"
	list := []problem{
		{name: "products, minmax, precision 32", rows: d.positive, o: bigmkl.Options{Kernels: products, Scale: "minmax", Precision: "32"}},
		{name: "products, sparse", rows: d.positive, o: bigmkl.Options{Kernels: products, Store: dataset.LayoutSparse}},
		{name: "products, p=1, small gap", rows: d.positive, o: bigmkl.Options{Kernels: products, Gap: 1e-5, Norm: 1}},
		{name: "products, p=8", rows: d.positive, o: bigmkl.Options{Kernels: products, Norm: 8, C: 0.1}},
		{name: "pairs, sparse", rows: d.positive,
			o: bigmkl.Options{Kernels: "pair(gauss:0.2,1-3,4-6),pair(poly:2,1-2,2-3) norm=spherical,linear", Store: dataset.LayoutSparse}},
		{name: "centred, p=1", rows: d.two, o: bigmkl.Options{Kernels: centred, Norm: 1}},
		{name: "centred, sparse", rows: d.two, o: bigmkl.Options{Kernels: centred, Store: dataset.LayoutSparse}},
		{name: "centred, svr", rows: d.two, o: bigmkl.Options{Kernels: centred, Task: bigmkl.TaskSVR}},
		{name: "centred, oneclass", rows: d.two, o: bigmkl.Options{Kernels: centred, Task: bigmkl.TaskOneClass}},
		{name: "centred, user kernels", rows: d.two, o: bigmkl.Options{Kernels: "user:g norm=centred,linear", UserKernels: bigmkltest.SomeUsers}},
		{name: "user kernels, precision 32", rows: d.two, o: bigmkl.Options{Kernels: users, UserKernels: bigmkltest.SomeUsers, Precision: "32"}},
		{name: "user kernels, small gap", rows: d.two, o: bigmkl.Options{Kernels: users, UserKernels: bigmkltest.SomeUsers, Gap: 1e-5}},
		{name: "user kernels, spherical", rows: d.two, o: bigmkl.Options{Kernels: users, UserKernels: bigmkltest.SomeUsers, Normalize: "spherical"}},
		{name: "user kernels, sparse", rows: d.two,
			o: bigmkl.Options{Kernels: users, UserKernels: bigmkltest.SomeUsers, Normalize: "none", Store: dataset.LayoutSparse}},
		{name: "lbfgs, p=1", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskSquare, Solver: bigmkl.SolverLBFGS, Norm: 1, Gap: 1e-5}},
		{name: "lbfgs, p=inf", rows: d.targets,
			o: bigmkl.Options{Task: bigmkl.TaskSquare, Solver: bigmkl.SolverLBFGS, Norm: math.Inf(1), Kernels: "gauss:0.1,gauss:1,poly:2", Gap: 1e-4}},
		{name: "lbfgs, elastic net", rows: d.targets,
			o: bigmkl.Options{Task: bigmkl.TaskSquare, Solver: bigmkl.SolverLBFGS, Regularizer: bigmkl.Regularizer{ElasticNet: 0.5}, Gap: 1e-5}},
		{name: "lbfgs, sparse", rows: d.targets,
			o: bigmkl.Options{Task: bigmkl.TaskSquare, Solver: bigmkl.SolverLBFGS, Store: dataset.LayoutSparse, Kernels: "gauss:auto/3,linear", Gap: 1e-5}},
	}
	letters := slices.Concat(d.letters[:70], d.letters[len(d.letters)-predictedRows:])
	for _, s := range []problem{
		{name: "strings, p=2", o: bigmkl.Options{Norm: 2}},
		{name: "strings, precision 32", o: bigmkl.Options{Precision: "32"}},
		{name: "strings, spherical", o: bigmkl.Options{Normalize: "spherical"}},
		{name: "strings, sparse, no normalisation", o: bigmkl.Options{Store: dataset.LayoutSparse, Normalize: "none"}},
		{name: "strings, small gap", o: bigmkl.Options{Gap: 5e-5}},
		{name: "strings, square, p=1", o: bigmkl.Options{Task: bigmkl.TaskSquare, Norm: 1}},
		{name: "strings, oneclass", o: bigmkl.Options{Task: bigmkl.TaskOneClass, Nu: 0.3}},
		{name: "strings, more products", o: bigmkl.Options{Kernels: "prod(wd:8,spectrum:3),prod(spectrum:5,pow(spectrum:2:1,2)) norm=spherical"}},
	} {
		s.rows, s.o.Sequences, s.o.C, s.o.Tuning = letters, dataset.DNA, 0.3, small
		if s.o.Kernels == "" {
			s.o.Kernels = bigmkltest.StringKernels
		}
		list = append(list, s)
	}
	return list
}
