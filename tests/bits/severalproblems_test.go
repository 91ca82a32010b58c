package bits

import (
	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/conformal/calibration"
)

// severalProblems have several classifiers, and probabilities.
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
		{name: "single", rows: d.classes, o: bigmkl.Options{Multiclass: bigmkl.SingleClassifier}},
		{name: "single, p=1, sparse", rows: d.classes,
			o: bigmkl.Options{Multiclass: bigmkl.SingleClassifier, Norm: 1, Store: dataset.LayoutSparse, ClassWeight: map[string]float64{"2": 3}}},
		{name: "single, posteriors", rows: d.classes,
			o: bigmkl.Options{Multiclass: bigmkl.SingleClassifier, Posteriors: bigmkl.Posteriors{Neighbours: 12}}},
		{name: "quantiles", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskQuantile, Taus: []float64{0.1, 0.5, 0.9}}},
		{name: "quantiles, p=1, sparse", rows: d.targets,
			o: bigmkl.Options{Task: bigmkl.TaskQuantile, Taus: []float64{0.25, 0.75}, Epsilon: 0.1, Norm: 1, Store: dataset.LayoutSparse}},
		{name: "quantiles, one theta", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskQuantile, Taus: []float64{0.05, 0.95}, OneTheta: true}},
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
		{name: "calibration, split", rows: d.two, o: bigmkl.Options{}, scores: &calibration.Options{Share: 0.3, ByClass: true}},
		{name: "calibration, folds, ovr", rows: d.classes, o: bigmkl.Options{Multiclass: bigmkl.OneVsRest}, scores: &calibration.Options{Folds: 3}},
		{name: "calibration, svr", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskSVR}, scores: &calibration.Options{}},
		{name: "calibration, quantiles", rows: d.targets,
			o: bigmkl.Options{Task: bigmkl.TaskQuantile, Taus: []float64{0.05, 0.95}}, scores: &calibration.Options{Share: 0.3}},
		{name: "positive labels", rows: d.classes, o: bigmkl.Options{Positive: []string{"1", "3"}}},
		{name: "probability", rows: d.two, o: bigmkl.Options{Folds: 3, SharedPreparation: true}},
		{name: "gates, softmax", rows: d.two,
			o: bigmkl.Options{Kernels: "gauss:auto/2,linear copies=2", Gating: "softmax", GateTol: 5e-2, GateFloor: 1e-3}},
		{name: "gates, sigmoid", rows: d.two,
			o: bigmkl.Options{Kernels: "gauss:auto/3,linear gate=a,poly:2 gate=a", Gating: "sigmoid", GateTol: 5e-2, Norm: 4.0 / 3, Starts: 2}},
		{name: "gates on kernel values", rows: d.two, o: bigmkl.Options{Kernels: "gauss:auto/2,linear copies=2", Gating: "softmax", GateOn: "kernel:gauss:auto*9", GateTol: 5e-2}},
		{name: "gates, gauss", rows: d.two, o: bigmkl.Options{Gating: "gauss", GateOn: "pca:2", GateTol: 5e-2, GateDecay: 1e-2}},
		{name: "gates of classifiers, ovr", rows: d.classes,
			o: bigmkl.Options{Kernels: "gauss:auto/2,linear copies=2", Gating: "softmax", GateTol: 5e-2, GateFloor: 1e-3, Multiclass: bigmkl.OneVsRest}},
		{name: "gates of classifiers, ovo", rows: d.classes,
			o: bigmkl.Options{Kernels: "gauss:auto/2,linear", Gating: "sigmoid", GateTol: 5e-2, GateDecay: 1e-3, Multiclass: bigmkl.OneVsOne, Folds: 3, SharedPreparation: true}},
		{name: "gates of one classifier for all classes", rows: d.classes,
			o: bigmkl.Options{Kernels: "gauss:auto/2,linear copies=2", Gating: "softmax", GateTol: 5e-2, GateFloor: 1e-3, Multiclass: bigmkl.SingleClassifier}},
		{name: "projection, gauss", rows: d.two, o: bigmkl.Options{Kernels: "proj(gauss:0.3,2)", GateTol: 2e-2, Starts: 2}},
		{name: "projection, scales", rows: d.two, o: bigmkl.Options{Kernels: "proj(gauss:0.1,diag)", GateTol: 2e-2}},
		{name: "projection, poly", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskSVR, Kernels: "proj(poly:2,2)", GateTol: 2e-2}},
		{name: "projection, linear", rows: d.two, o: bigmkl.Options{Kernels: "proj(linear,1)"}},
		{name: "projections, scaled, and other kernels", rows: d.two, o: bigmkl.Options{Kernels: "proj(gauss:0.3,2),gauss:0.1,proj(poly:2,1),linear@1-2", Scale: "standard", Norm: 4. / 3, GateTol: 2e-2}},
		{name: "projections and gates", rows: d.two, o: bigmkl.Options{Kernels: "proj(gauss:0.3,2),linear copies=2", Gating: "softmax", Scale: "minmax", GateTol: 2e-2, GateDecay: 1e-3}},
		{name: "shared gates", rows: d.classes, o: bigmkl.Options{Multiclass: "ovr", Kernels: "gauss:auto,linear", Gating: "sigmoid", OneGate: true, GateTol: 2e-2, GateFloor: 1e-2}},
		{name: "projection of several classifiers", rows: d.classes, o: bigmkl.Options{Multiclass: "ovr", Kernels: "proj(gauss:0.3,2)", OneGate: true, GateTol: 2e-2}},
		{name: "posteriors", rows: d.two, o: bigmkl.Options{Posteriors: bigmkl.Posteriors{Values: tenths(len(d.two) - predictedRows)}}},
		{name: "posteriors of nearest rows", rows: d.two,
			o: bigmkl.Options{Folds: 3, SharedPreparation: true, Norm: 1, Posteriors: bigmkl.Posteriors{Neighbours: 7, Features: "1-3"}}},
		{name: "posteriors of nearest rows, sparse", rows: d.two,
			o: bigmkl.Options{Store: dataset.LayoutSparse, Posteriors: bigmkl.Posteriors{Neighbours: 6}}},
		{name: "probability, ovr", rows: d.classes,
			o: bigmkl.Options{Folds: 3, SharedPreparation: true, Multiclass: bigmkl.OneVsRest, Seed: 5}},
		{name: "probability, ovo", rows: d.classes, o: bigmkl.Options{Folds: 2, SharedPreparation: true, Multiclass: bigmkl.OneVsOne}},
		{name: "probability, labels", rows: d.sets, o: bigmkl.Options{Folds: 2, SharedPreparation: true, Multiclass: bigmkl.MultiLabel}},
		{name: "probability, apart", rows: d.two, o: bigmkl.Options{Folds: 3, Scale: "standard", Kernels: "gauss:auto/2,linear"}},
		{name: "probability, apart, ovr", rows: d.classes, o: bigmkl.Options{Folds: 2, Multiclass: bigmkl.OneVsRest, Seed: 5}},
		{name: "probability, apart, ovo", rows: d.classes, o: bigmkl.Options{Folds: 2, Multiclass: bigmkl.OneVsOne}},
		{name: "probability, apart, labels", rows: d.sets, o: bigmkl.Options{Folds: 2, Multiclass: bigmkl.MultiLabel}},
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

// tenths are n posteriors: the numbers 0, 0.1, .. 1 again and again.
func tenths(n int) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = float64(i%11) / 10
	}
	return p
}
