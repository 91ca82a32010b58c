package bits

import (
	"math"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/dataset/datasettest"
	"bigmkl/dataset/npy"
	"bigmkl/tests/bigmkltest"
)

// bytesData are the generated rows that the problems share. The last predictedRows of each are not
// trained on.
type bytesData struct {
	two, targets, classes, sets, texts, letters, positive, many []dataset.Row
}

// predictedRows is how many rows at the end of each set of rows are only predicted.
const predictedRows = 40

// drawBytesData draws each set of rows by a seed of its own, so that one more set changes no other.
func drawBytesData(t *testing.T) bytesData {
	t.Helper()
	return bytesData{
		two:      datasettest.Clouds(datasettest.Random(t, 101), 210, 8),
		targets:  bigmkltest.Curve(datasettest.Random(t, 102), 210, 5),
		classes:  datasettest.Clusters(datasettest.Random(t, 103), 170, 6, 4, false),
		sets:     datasettest.Clusters(datasettest.Random(t, 104), 160, 6, 4, true),
		texts:    bigmkltest.Words(t, 105, 180, 200, 12),
		letters:  bigmkltest.Sites(datasettest.Random(t, 106), 160),
		positive: bigmkltest.Magnitudes(datasettest.Clouds(datasettest.Random(t, 107), 200, 6)),
		many:     datasettest.Clouds(datasettest.Random(t, 108), 2300, 5),
	}
}

// mixedBank has kernels of distances and of products, over all features, over some and over random
// ones. It takes data of five features at least.
const mixedBank = "gauss:0.05..0.4/3,laplace:0.2,linear,poly:2@1-3," +
	"gauss:0.5@4+5,gauss:auto/2@random:2*2"

// bytesProblems lists the problems of the table of bytes. Their budgets are fixed, so that no plan
// depends on the memory or on the disk of the machine.
func bytesProblems(t *testing.T) []problem {
	t.Helper()
	d := drawBytesData(t)
	list := slices.Concat(
		taskProblems(d), normProblems(t, d), solverProblems(d), severalProblems(d),
		pathProblems(d), storeProblems(d), kernelProblems(t, d), otherProblems(d),
	)
	for i := range list {
		p := &list[i]
		if p.o.Memory == 0 {
			p.o.Memory = 1 << 30
		}
		p.o.Disk = 1 << 30
		n := len(p.rows) - predictedRows
		p.rows, p.unseen = p.rows[:n:n], p.rows[n:]
		if p.o.Kernels == "" {
			p.o.Kernels = mixedBank
		}
	}
	return list
}

// taskProblems have each task with norms on either side of p = 2, which are solved differently.
func taskProblems(d bytesData) []problem {
	inf := math.Inf(1)
	return []problem{
		{name: "class, p=1", rows: d.two, o: bigmkl.Options{Norm: 1}},
		{name: "class, p=4/3", rows: d.two, o: bigmkl.Options{C: 0.3}},
		{name: "class, p=2", rows: d.two, o: bigmkl.Options{Norm: 2, C: 3}},
		{name: "class, p=3", rows: d.two, o: bigmkl.Options{Norm: 3}},
		{name: "class, p=inf", rows: d.two, o: bigmkl.Options{Norm: inf, C: 0.5}},
		{name: "svr, p=1", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskSVR, Norm: 1}},
		{name: "svr, p=4/3", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskSVR, Epsilon: 0.2}},
		{name: "svr, p=inf", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskSVR, Norm: inf}},
		{name: "square, p=4/3", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskSquare}},
		{name: "square, p=3", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskSquare, Norm: 3}},
		{name: "oneclass, p=1", rows: d.two, o: bigmkl.Options{Task: bigmkl.TaskOneClass, Norm: 1, Nu: 0.3}},
		{name: "oneclass, p=2", rows: d.two, o: bigmkl.Options{Task: bigmkl.TaskOneClass, Norm: 2}},
	}
}

// normProblems have every norm that is no plain block norm, of seven kernels.
func normProblems(t *testing.T, d bytesData) []problem {
	t.Helper()
	inf, interactions := math.Inf(1), make([]float64, 49)
	for i := range 7 {
		for j := range 7 {
			interactions[i*7+j] = math.Pow(0.25, math.Abs(float64(i-j)))
		}
	}
	list := []problem{
		{name: "group norm, p=1, q=2",
			o: bigmkl.Options{Kernels: bigmkltest.GroupedBank, Norm: 1, Regularizer: bigmkl.Regularizer{GroupNorm: 2}}},
		{name: "group norm, p=4/3, q=1.5",
			o: bigmkl.Options{Kernels: bigmkltest.GroupedBank, Regularizer: bigmkl.Regularizer{GroupNorm: 1.5}}},
		{name: "group norm, p=2, q=4",
			o: bigmkl.Options{Kernels: bigmkltest.GroupedBank, Norm: 2, Regularizer: bigmkl.Regularizer{GroupNorm: 4}}},
		{name: "group norm, p=inf, q=1",
			o: bigmkl.Options{Kernels: bigmkltest.GroupedBank, Norm: inf, Regularizer: bigmkl.Regularizer{GroupNorm: 1}}},
		{name: "elastic net", o: bigmkl.Options{Regularizer: bigmkl.Regularizer{ElasticNet: 0.2}}},
		{name: "interactions", o: bigmkl.Options{Regularizer: bigmkl.Regularizer{Interaction: interactions}}},
		{name: "Laplacian",
			o: bigmkl.Options{Regularizer: bigmkl.Regularizer{Interaction: bigmkltest.InteractionsOf(t, 7)}}},
		{name: "squared norm, p=1",
			o: bigmkl.Options{Norm: 1, Regularizer: bigmkl.Regularizer{SquaredNorm: 0.5}}},
		{name: "squared norm, p=4/3", o: bigmkl.Options{Regularizer: bigmkl.Regularizer{SquaredNorm: 2}}},
		{name: "priors and costs", o: bigmkl.Options{Norm: 1.5}},
		{name: "priors and costs, p=3", o: bigmkl.Options{Norm: 3}},
		{name: "costs, p=1, power 1/2", o: bigmkl.Options{Norm: 1, CostPower: 0.5, Kernels: "gauss:nn/3 cost=2,linear cost=0.5,poly:2 prior=3"}},
		{name: "rule alignf", o: bigmkl.Options{Kernels: "gauss:auto/4,linear,poly:2", Regularizer: bigmkl.Regularizer{Rule: "alignf"}}},
		{name: "rule accuracy", o: bigmkl.Options{Kernels: "gauss:auto/2,linear", Regularizer: bigmkl.Regularizer{Rule: "accuracy:0.3"}}},
		{name: "pairs", o: bigmkl.Options{Kernels: "pair(gauss:0.2,1-2,3-4),pair(poly:2,1-2,2-3) norm=spherical,linear"}},
		{name: "fixed weights",
			o: bigmkl.Options{
				Kernels:     "gauss:auto/4,linear,poly:2",
				Regularizer: bigmkl.Regularizer{Weights: []float64{1, 0, 0.5, 3, 2, 1}},
			}},
	}
	for i := range list {
		list[i].rows = d.two
		if list[i].o.Kernels == "" {
			list[i].o.Kernels = bigmkltest.Ungrouped
		}
	}
	return list
}

// solverProblems have every solver but chunking, which all others have.
func solverProblems(d bytesData) []problem {
	return []problem{
		{name: "wrapper, p=4/3", rows: d.two, o: bigmkl.Options{Solver: bigmkl.SolverWrapper}},
		{name: "wrapper, p=3, svr", rows: d.targets,
			o: bigmkl.Options{Solver: bigmkl.SolverWrapper, Norm: 3, Task: bigmkl.TaskSVR}},
		{name: "cpm, p=1", rows: d.two, o: bigmkl.Options{Solver: bigmkl.SolverCPM, Norm: 1}},
		{name: "cpm, p=4/3", rows: d.two, o: bigmkl.Options{Solver: bigmkl.SolverCPM}},
		{name: "cpm-wrapper, p=1.5, square", rows: d.targets,
			o: bigmkl.Options{Solver: bigmkl.SolverCPMWrapper, Norm: 1.5, Task: bigmkl.TaskSquare}},
		{name: "lbfgs, p=4/3", rows: d.targets, o: bigmkl.Options{Solver: bigmkl.SolverLBFGS, Task: bigmkl.TaskSquare}},
		{name: "lbfgs, p=3", rows: d.targets,
			o: bigmkl.Options{Solver: bigmkl.SolverLBFGS, Task: bigmkl.TaskSquare, Norm: 3}},
		{name: "lbfgs, by itself", rows: d.targets,
			o: bigmkl.Options{Task: bigmkl.TaskSquare, Norm: 1, Kernels: "linear@each-feature,linear"}},
	}
}

// severalProblems have several machines, and probabilities.
func severalProblems(d bytesData) []problem {
	return []problem{
		{name: "ovr", rows: d.classes, o: bigmkl.Options{Multiclass: bigmkl.OneVsRest}},
		{name: "ovr, p=3", rows: d.classes, o: bigmkl.Options{Multiclass: bigmkl.OneVsRest, Norm: 3}},
		{name: "ovo", rows: d.classes, o: bigmkl.Options{Multiclass: bigmkl.OneVsOne}},
		{name: "ovo, sparse", rows: d.classes,
			o: bigmkl.Options{
				Multiclass: bigmkl.OneVsOne, Store: dataset.LayoutSparse, Norm: 1,
				ClassWeight: map[string]float64{"2": 3},
			}},
		{name: "labels", rows: d.sets, o: bigmkl.Options{Multiclass: bigmkl.MultiLabel}},
		{name: "one theta, ovr, p=1", rows: d.classes,
			o: bigmkl.Options{Multiclass: bigmkl.OneVsRest, OneTheta: true, Norm: 1, Gap: 5e-3}},
		{name: "one theta, labels, p=4/3", rows: d.sets,
			o: bigmkl.Options{Multiclass: bigmkl.MultiLabel, OneTheta: true}},
		{name: "single", rows: d.classes, o: bigmkl.Options{Multiclass: bigmkl.SingleMachine}},
		{name: "single, p=1, sparse", rows: d.classes,
			o: bigmkl.Options{Multiclass: bigmkl.SingleMachine, Norm: 1, Store: dataset.LayoutSparse, ClassWeight: map[string]float64{"2": 3}}},
		{name: "single, posteriors", rows: d.classes,
			o: bigmkl.Options{Multiclass: bigmkl.SingleMachine, Posteriors: bigmkl.Posteriors{Neighbours: 12}}},
		{name: "discriminant", rows: d.classes, o: bigmkl.Options{Task: bigmkl.TaskRKDA}},
		{name: "discriminant, p=1.5, sparse", rows: d.classes,
			o: bigmkl.Options{Task: bigmkl.TaskRKDA, Norm: 1.5, Store: dataset.LayoutSparse, Gap: 1e-5}},
		{name: "discriminant, lambda found", rows: d.classes,
			o: bigmkl.Options{Task: bigmkl.TaskRKDA, JointCost: true, DiscriminantRule: bigmkl.RuleIndicator}},
		{name: "discriminant, program", rows: d.two,
			o: bigmkl.Options{Task: bigmkl.TaskRKDA, JointCost: true, Solver: bigmkl.SolverCPMWrapper}},
		{name: "mixture", rows: d.two, o: bigmkl.Options{Task: bigmkl.TaskMED, Kernels: "gauss:auto,linear", Restarts: 2, Rounds: 3, C: 1, Limit: 160}},
		{name: "mixture, pairs", rows: d.two, o: bigmkl.Options{Task: bigmkl.TaskMED, Solver: bigmkl.SolverSMO, Entropy: bigmkl.EntropyDrop, Kernels: "gauss:auto,linear", Restarts: 2, Rounds: 3, C: 10, Limit: 160}},
		{name: "mixture of maximum likelihood", rows: d.two, o: bigmkl.Options{Task: bigmkl.TaskMixture, Kernels: "gauss:auto,linear", Restarts: 2, Gap: 1e-2, Limit: 160}},
		{name: "mixture, drop, sparse", rows: d.two,
			o: bigmkl.Options{Task: bigmkl.TaskMED, Kernels: "gauss:auto/2,linear", Components: "1,3/1,2", Entropy: bigmkl.EntropyDrop, Restarts: 2, Rounds: 3, C: 1, Limit: 160, Store: dataset.LayoutSparse}},
		{name: "positive labels", rows: d.classes, o: bigmkl.Options{Positive: []string{"1", "3"}}},
		{name: "probability", rows: d.two, o: bigmkl.Options{Folds: 3}},
		{name: "gates, softmax", rows: d.two,
			o: bigmkl.Options{Kernels: "gauss:auto/2,linear copies=2", Gating: "softmax", GateTol: 5e-2, GateFloor: 1e-3}},
		{name: "gates, sigmoid", rows: d.two,
			o: bigmkl.Options{Kernels: "gauss:auto/3,linear gate=a,poly:2 gate=a", Gating: "sigmoid", GateTol: 5e-2, Norm: 4.0 / 3, Starts: 2}},
		{name: "gates on kernel values", rows: d.two, o: bigmkl.Options{Kernels: "gauss:auto/2,linear copies=2", Gating: "softmax", GateOn: "kernel:gauss:auto*9", GateTol: 5e-2}},
		{name: "gates, gauss", rows: d.two, o: bigmkl.Options{Gating: "gauss", GateOn: "pca:2", GateTol: 5e-2, GateDecay: 1e-2}},
		{name: "gates of machines, ovr", rows: d.classes,
			o: bigmkl.Options{Kernels: "gauss:auto/2,linear copies=2", Gating: "softmax", GateTol: 5e-2, GateFloor: 1e-3, Multiclass: bigmkl.OneVsRest}},
		{name: "gates of machines, ovo", rows: d.classes,
			o: bigmkl.Options{Kernels: "gauss:auto/2,linear", Gating: "sigmoid", GateTol: 5e-2, GateDecay: 1e-3, Multiclass: bigmkl.OneVsOne, Folds: 3}},
		{name: "gates of one machine for all classes", rows: d.classes,
			o: bigmkl.Options{Kernels: "gauss:auto/2,linear copies=2", Gating: "softmax", GateTol: 5e-2, GateFloor: 1e-3, Multiclass: bigmkl.SingleMachine}},
		{name: "projection, gauss", rows: d.two, o: bigmkl.Options{Kernels: "proj(gauss:0.3,2)", GateTol: 2e-2, Starts: 2}},
		{name: "projection, scales", rows: d.two, o: bigmkl.Options{Kernels: "proj(gauss:0.1,diag)", GateTol: 2e-2}},
		{name: "projection, poly", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskSVR, Kernels: "proj(poly:2,2)", GateTol: 2e-2}},
		{name: "projection, linear", rows: d.two, o: bigmkl.Options{Kernels: "proj(linear,1)"}},
		{name: "projections, scaled, and other kernels", rows: d.two, o: bigmkl.Options{Kernels: "proj(gauss:0.3,2),gauss:0.1,proj(poly:2,1),linear@1-2", Scale: "standard", Norm: 4. / 3, GateTol: 2e-2}},
		{name: "projections and gates", rows: d.two, o: bigmkl.Options{Kernels: "proj(gauss:0.3,2),linear copies=2", Gating: "softmax", Scale: "minmax", GateTol: 2e-2, GateDecay: 1e-3}},
		{name: "shared gates", rows: d.classes, o: bigmkl.Options{Multiclass: "ovr", Kernels: "gauss:auto,linear", Gating: "sigmoid", OneGate: true, GateTol: 2e-2, GateFloor: 1e-2}},
		{name: "projection of several machines", rows: d.classes, o: bigmkl.Options{Multiclass: "ovr", Kernels: "proj(gauss:0.3,2)", OneGate: true, GateTol: 2e-2}},
		{name: "posteriors", rows: d.two, o: bigmkl.Options{Posteriors: bigmkl.Posteriors{Values: tenths(len(d.two) - predictedRows)}}},
		{name: "posteriors of nearest rows", rows: d.two,
			o: bigmkl.Options{Folds: 3, Norm: 1, Posteriors: bigmkl.Posteriors{Neighbours: 7, Features: "1-3"}}},
		{name: "posteriors of nearest rows, sparse", rows: d.two,
			o: bigmkl.Options{Store: dataset.LayoutSparse, Posteriors: bigmkl.Posteriors{Neighbours: 6}}},
		{name: "probability, ovr", rows: d.classes,
			o: bigmkl.Options{Folds: 3, Multiclass: bigmkl.OneVsRest, Seed: 5}},
		{name: "probability, ovo", rows: d.classes, o: bigmkl.Options{Folds: 2, Multiclass: bigmkl.OneVsOne}},
		{name: "probability, labels", rows: d.sets, o: bigmkl.Options{Folds: 2, Multiclass: bigmkl.MultiLabel}},
	}
}

// pathProblems have models that start from others: along a path, and from one that was trained
// before.
func pathProblems(d bytesData) []problem {
	return []problem{
		{name: "path", rows: d.two, path: bigmkl.Grid([]float64{1, 4.0 / 3, 3}, []float64{0.3, 1})},
		{name: "path, svr", rows: d.targets,
			o: bigmkl.Options{Task: bigmkl.TaskSVR}, path: bigmkl.Grid([]float64{2}, []float64{0.5, 5})},
		{name: "warm start", rows: d.two, from: &bigmkl.Options{Kernels: mixedBank, C: 0.5}},
		{name: "warm start, square", rows: d.targets,
			o:    bigmkl.Options{Task: bigmkl.TaskSquare},
			from: &bigmkl.Options{Task: bigmkl.TaskSquare, Kernels: mixedBank, C: 0.5}},
	}
}

// storeProblems have every layout, scaling, normalisation and precision.
func storeProblems(d bytesData) []problem {
	const texts = "gauss:auto/2,linear,linear@1-100,laplace:0.1,poly:2"
	return []problem{
		{name: "dense store", rows: d.texts,
			o: bigmkl.Options{Kernels: texts, Store: dataset.LayoutDense}},
		{name: "sparse store", rows: d.texts,
			o: bigmkl.Options{Kernels: texts, Store: dataset.LayoutSparse, Norm: 1}},
		{name: "auto store", rows: d.texts, o: bigmkl.Options{Kernels: texts, Normalize: "spherical"}},
		{name: "sparse store, oneclass", rows: d.texts,
			o: bigmkl.Options{Kernels: texts, Store: dataset.LayoutSparse, Task: bigmkl.TaskOneClass}},
		{name: "scale minmax", rows: d.two, o: bigmkl.Options{Scale: "minmax"}},
		{name: "scale standard", rows: d.two, o: bigmkl.Options{Scale: "standard", Norm: 1}},
		{name: "scale global, sparse", rows: d.texts,
			o: bigmkl.Options{Kernels: texts, Scale: "global", Store: dataset.LayoutSparse}},
		{name: "normalisation none", rows: d.two, o: bigmkl.Options{Normalize: "none", C: 0.1}},
		{name: "normalisation spherical", rows: d.two, o: bigmkl.Options{Normalize: "spherical"}},
		{name: "normalisations mixed", rows: d.two,
			o: bigmkl.Options{Kernels: "gauss:auto/2,linear norm=spherical,poly:2 norm=none"}},
		{name: "precision 32", rows: d.two, o: bigmkl.Options{Precision: "32", Gap: 3e-4}},
		{name: "precision 64", rows: d.two, o: bigmkl.Options{Precision: "64"}},
		{name: "precision auto, small gap", rows: d.two, o: bigmkl.Options{Gap: 1e-6}},
		{name: "precision 64, sparse", rows: d.texts,
			o: bigmkl.Options{Kernels: texts, Precision: "64", Store: dataset.LayoutSparse}},
	}
}

// kernelProblems have the kernels that the bank of the others does not have.
func kernelProblems(t *testing.T, d bytesData) []problem {
	t.Helper()
	squared := func(x, z dataset.Row) float64 { return product(x, z) * product(x, z) }
	n := len(d.two) - predictedRows
	known, fresh := d.two[:n], d.two[n:]
	list := []problem{
		{name: "histograms", rows: d.positive,
			o: bigmkl.Options{
				Kernels: "chi2:mean/2,intersection,chi2:0.3@1-3,laplace:auto", Scale: "minmax",
			}},
		{name: "sigmoid", rows: d.two, o: bigmkl.Options{Kernels: "sigmoid:0.05:0.1,gauss:auto/2"}},
		{name: "many widths, precision 32", rows: d.two,
			o: bigmkl.Options{
				Kernels: "gauss:0.001..3/40,laplace:0.01..1/12,linear", Precision: "32", Gap: 1e-3,
			}},
		{name: "many widths, precision 64", rows: d.two,
			o: bigmkl.Options{Kernels: "gauss:0.0001..100/9,poly:2", Precision: "64"}},
		{name: "products", rows: d.positive,
			o: bigmkl.Options{
				Kernels: "prod(gauss:auto@1-3,poly:2@4-6),gauss:auto," +
					"prod(chi2:mean,laplace:0.1,pow(linear@2-6,2)) norm=spherical",
			}},
		{name: "powers, sparse", rows: d.positive,
			o: bigmkl.Options{
				Kernels: "pow(intersection,2),pow(gauss:0.2,3),linear",
				Store:   dataset.LayoutSparse, Norm: 3,
			}},
		{name: "views and random features", rows: d.two,
			o: bigmkl.Options{
				Kernels: "gauss:auto/2@each-view,linear@each-feature,gauss:0.3@random:3*6",
				Views:   bigmkltest.TwoViews, Seed: 7, Norm: 1,
			}},
		{name: "user kernels", rows: d.two,
			o: bigmkl.Options{
				Kernels:     "user:g,user:dot@2-5,gauss:1,prod(user:g@1-2,poly:2)",
				UserKernels: bigmkltest.SomeUsers,
			}},
		{name: "precomputed", rows: d.two,
			o: bigmkl.Options{
				Kernels: "precomputed:" + writeMatrix(t, "product.npy", known, known, product) +
					",precomputed:" + writeMatrix(t, "squared.npy", known, known, squared),
			},
			gram: []string{
				writeMatrix(t, "newproduct.npy", fresh, known, product),
				writeMatrix(t, "newsquared.npy", fresh, known, squared),
			}},
	}
	for _, s := range []problem{
		{name: "spectrum", o: bigmkl.Options{Kernels: "spectrum:2..4,spectrum:9"}},
		{name: "spectrum with mismatches",
			o: bigmkl.Options{Kernels: "spectrum:4:1,spectrum:5:1@1-30", Normalize: "spherical"}},
		{name: "wd", o: bigmkl.Options{Kernels: "wd:5..8,wd:20@11-50", Norm: 1}},
		{name: "wd with shifts", o: bigmkl.Options{Kernels: "wd:4:shift=3,wd:8:shift=1", Norm: 3}},
		{name: "products of strings",
			o: bigmkl.Options{Kernels: "prod(wd:8,spectrum:3),pow(wd:4:shift=2@5-30,3)"}},
		{name: "strings with gates", o: bigmkl.Options{Kernels: "spectrum:3,wd:5", Gating: "sigmoid", GateOn: "kernel:spectrum:2*8", GateTol: 5e-2}},
		{name: "strings, svr", o: bigmkl.Options{Kernels: bigmkltest.StringKernels, Task: bigmkl.TaskSVR}},
	} {
		s.rows, s.o.Sequences = d.letters, dataset.DNA
		list = append(list, s)
	}
	return list
}

// otherProblems have weights, limits, choices of the solver and budgets that send rows to disk.
func otherProblems(d bytesData) []problem {
	weighted := slices.Clone(d.two)
	for i := range weighted {
		weighted[i].Weight = 0.5 + float64(i%5)/4
	}
	return []problem{
		{name: "row weights", rows: weighted},
		{name: "class weights", rows: d.two,
			o: bigmkl.Options{ClassWeight: map[string]float64{"1": 3, "-1": 0.5}, Norm: 3}},
		{name: "limit", rows: d.two, o: bigmkl.Options{Limit: 150}},
		{name: "iterations end it", rows: d.two,
			short: true,
			o:     bigmkl.Options{Tuning: chunking.Tuning{WorkingSet: 32}, Gap: 1e-6, MaxIterations: 4}},
		{name: "small working sets", rows: d.two,
			o: bigmkl.Options{
				Tuning: chunking.Tuning{WorkingSet: 32, Shrink: 0.9, Inner: 0.1, Fresh: 0.4},
			}},
		{name: "no point left out", rows: d.targets,
			o: bigmkl.Options{Task: bigmkl.TaskSVR, Tuning: chunking.Tuning{WorkingSet: 64, NoShrink: true}}},
		{name: "points left out, cache on disk", rows: d.many,
			spills: true,
			o: bigmkl.Options{
				C: 0.1, Precision: "32", Gap: 1e-3, Memory: bigmkltest.Tight, Cache: cache.Always,
				Tuning: chunking.Tuning{Shrink: 0.9},
			}},
		{name: "centred", rows: d.two, o: bigmkl.Options{Kernels: "gauss:auto/3 norm=centred,linear norm=centred,poly:2"}},
		{name: "centred at a sample, sparse", rows: d.many, o: bigmkl.Options{Kernels: "gauss:0.2 norm=centred,linear", C: 0.1, Gap: 1e-2, Store: dataset.LayoutSparse}},
		{name: "cache always", rows: d.two, o: bigmkl.Options{Cache: cache.Always}},
		{name: "cache never", rows: d.two, o: bigmkl.Options{Cache: cache.Never}},
	}
}

// writeMatrix writes the kernel values of rows against others, as a file of that name in the
// working folder.
func writeMatrix(t *testing.T, name string, rows, others []dataset.Row,
	kernel func(x, z dataset.Row) float64) string {
	t.Helper()
	w, err := npy.Create(name, len(rows), len(others), true)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float64, len(others))
	for _, x := range rows {
		for j, z := range others {
			values[j] = kernel(x, z)
		}
		if err := w.WriteRow64(values); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// product is <x,z>. Its terms are summed in the order of the features, so that the matrix is
// symmetric to the bit.
func product(x, z dataset.Row) float64 {
	sum := 0.0
	for k, j := range x.Index {
		if at, ok := slices.BinarySearch(z.Index, j); ok {
			sum += x.Value[k] * z.Value[at]
		}
	}
	return sum
}

// tenths are n posteriors: the numbers 0, 0.1, .. 1 again and again.
func tenths(n int) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = float64(i%11) / 10
	}
	return p
}
