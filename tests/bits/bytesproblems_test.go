package bits

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/tests/bigmkltest"
)

// bytesData are the generated rows that the problems share. The last predictedRows of each are not
// trained on.
type bytesData struct {
	two, targets, classes, sets, texts, letters, positive, many []dataset.Row
	wide, curve, three, some, handful, triple, labels           []dataset.Row
	arc, clusters, tags, eight                                  []dataset.Row
}

// predictedRows is how many rows at the end of each set of rows are only predicted.
const predictedRows = 40

// drawBytesData draws each set of rows by a seed of its own. So one more set does not change the others.
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
		wide:     datasettest.Clouds(datasettest.Random(t, 109), 260, 5),
		curve:    bigmkltest.Curve(datasettest.Random(t, 110), 240, 5),
		three:    datasettest.Clusters(datasettest.Random(t, 111), 200, 6, 3, false),
		some:     datasettest.Clusters(datasettest.Random(t, 112), 180, 6, 3, true),
		handful:  datasettest.Clouds(datasettest.Random(t, 113), 100, 5),
		triple:   datasettest.Clusters(datasettest.Random(t, 114), 110, 4, 3, false),
		labels:   datasettest.Clusters(datasettest.Random(t, 115), 110, 4, 3, true),
		arc:      bigmkltest.Curve(datasettest.Random(t, 116), 1540, 5),
		clusters: datasettest.Clusters(datasettest.Random(t, 117), 1340, 8, 3, false),
		tags:     datasettest.Clusters(datasettest.Random(t, 118), 1340, 8, 3, true),
		eight:    datasettest.Clouds(datasettest.Random(t, 119), 2100, 8),
	}
}

// mixedBank has kernels of distances and of products, over all features, over some and over random
// ones. It takes data of five features at least.
const mixedBank = "gauss:0.05..0.4/3,laplace:0.2,linear,poly:2@1-3," +
	"gauss:0.5@4+5,gauss:auto/2@random:2*2"

// bytesProblems lists the problems of the table of bytes. Their budgets are fixed, so no plan
// depends on the memory or on the disk of the computer.
func bytesProblems(t *testing.T) []problem {
	t.Helper()
	d := drawBytesData(t)
	forSettings := slices.Concat(
		sleepProblems(d), entireProblems(d), pinnedProblems(d), groupProblems(d), togetherProblems(d), columnProblems(d), learnedProblems(d), mixtureProblems(d),
		moreProblems(d),
	)
	for i := range forSettings {
		forSettings[i].oneIn = 4
	}
	list := slices.Concat(
		taskProblems(d), normProblems(t, d), solverProblems(d), severalProblems(d),
		pathProblems(d), storeProblems(d), kernelProblems(d), otherProblems(d), openProblems(d), forSettings, largeProblems(d),
		objectProblems(t),
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
		// The digests are older than the defaults that look at the data.
		if p.o.Scale == "" && !p.open {
			p.o.Scale = dataset.ScaleNone
		}
		if p.o.Task == bigmkl.TaskSVR && !p.open {
			p.o.C, p.o.Epsilon = cmp.Or(p.o.C, 1), cmp.Or(p.o.Epsilon, 0.1)
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
		{name: "quantile, p=4/3", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskQuantile, Tau: 0.9}},
		{name: "quantile, p=1", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskQuantile, Tau: 0.25, Epsilon: 0.1, Norm: 1}},
		{name: "survival, p=4/3", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskSurvival, Tau: 0.5}},
		{name: "survival, default tau", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskSurvival}},
		{name: "survival, p=1", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskSurvival, Tau: 0.2, Epsilon: 0.3, C: 2, Norm: 1}},
		{name: "intervals, p=4/3", rows: bigmkltest.Bounded(d.targets), o: bigmkl.Options{Task: bigmkl.TaskSurvival}},
		{name: "intervals, p=1", rows: bigmkltest.Bounded(d.targets), o: bigmkl.Options{Task: bigmkl.TaskSurvival, Tau: 0.4, Epsilon: bigmkl.Zero, C: 2, Norm: 1}},
		{name: "rank, p=4/3", rows: bigmkltest.Ranked(d.targets), o: bigmkl.Options{Task: bigmkl.TaskRank, C: 0.1}},
		{name: "rank, p=1", rows: bigmkltest.Ranked(d.targets), o: bigmkl.Options{Task: bigmkl.TaskRank, Norm: 1, Tuning: chunking.Tuning{WorkingSet: 96}}},
		{name: "survival ranking, p=4/3", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskSurvival, Survival: bigmkl.SurvivalRanking}},
		{name: "cox, p=4/3", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskCox}},
		{name: "cox, p=1", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskCox, C: 3, Norm: 1}},
		{name: "cox, weights", rows: reweighted(d.targets), o: bigmkl.Options{Task: bigmkl.TaskCox}},
		{name: "cox, p=3", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskCox, C: 0.3, Norm: 3}},
		{name: "huber, p=4/3", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskHuber}},
		{name: "huber, p=3", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskHuber, Delta: 0.2, C: 3, Norm: 3}},
		{name: "expectile, p=4/3", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskExpectile, Tau: 0.9}},
		{name: "expectile, p=1", rows: d.targets, o: bigmkl.Options{Task: bigmkl.TaskExpectile, Tau: 0.1, C: 3, Norm: 1}},
		{name: "logistic, p=4/3", rows: d.two, o: bigmkl.Options{Task: bigmkl.TaskLogistic}},
		{name: "logistic, p=1", rows: d.two, o: bigmkl.Options{Task: bigmkl.TaskLogistic, C: 20, Norm: 1}},
		{name: "logistic, p=inf", rows: d.two, o: bigmkl.Options{Task: bigmkl.TaskLogistic, C: 0.1, Norm: inf}},
		{name: "oneclass, p=1", rows: d.two, o: bigmkl.Options{Task: bigmkl.TaskOneClass, Norm: 1, Nu: 0.3}},
		{name: "oneclass, p=2", rows: d.two, o: bigmkl.Options{Task: bigmkl.TaskOneClass, Norm: 2}},
	}
}

// normProblems have every norm except the plain block norm, of seven kernels.
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

// openProblems leave to the data what a user who asks for nothing leaves to them.
func openProblems(d bytesData) []problem {
	// unequal multiplies the first feature by so much that it alone would decide distances.
	unequal := func(rows []dataset.Row, target float64) []dataset.Row {
		list := make([]dataset.Row, len(rows))
		for i, r := range rows {
			r.Index, r.Value, r.Target = slices.Clone(r.Index), slices.Clone(r.Value), r.Target*target
			if len(r.Index) > 0 && r.Index[0] == 0 {
				r.Value[0] *= 300
			}
			list[i] = r
		}
		return list
	}
	// gaps has rows that lack values, one in seven or so.
	gaps := func(rows []dataset.Row) []dataset.Row {
		list := unequal(rows, 1)
		for i := range list {
			for k := range list[i].Value {
				if (7*i+3*k)%11 < 2 && (i+k)%3 > 0 {
					list[i].Value[k] = math.NaN()
				}
			}
		}
		return list
	}
	views := []dataset.View{{Name: "unequal", First: 1, Last: 3}, {Name: "equal", First: 4, Last: 8}}
	return []problem{
		{name: "open", open: true, rows: unequal(d.two, 1)},
		{name: "open, views", open: true, rows: unequal(d.two, 1), o: bigmkl.Options{Views: views, Kernels: "gauss:auto/3@each-view,linear"}},
		{name: "open, ovr, sparse", open: true, rows: unequal(d.classes, 1), o: bigmkl.Options{Multiclass: bigmkl.OneVsRest, Store: dataset.LayoutSparse}},
		{name: "open, svr", open: true, rows: unequal(d.targets, 1000), o: bigmkl.Options{Task: bigmkl.TaskSVR}},
		{name: "missing values", open: true, rows: gaps(d.two), o: bigmkl.Options{Impute: "median"}},
		{name: "missing values, views, mean", open: true, rows: gaps(d.two), o: bigmkl.Options{Impute: "mean", Views: views, Kernels: "gauss:auto/3@each-view,linear"}},
		{name: "missing values, sparse, zero", rows: gaps(d.classes), o: bigmkl.Options{Impute: "zero", Scale: "minmax", Multiclass: bigmkl.OneVsRest, Store: dataset.LayoutSparse}},
		{name: "open, wrapper, svr", open: true, rows: unequal(d.targets, 1e-3), o: bigmkl.Options{Task: bigmkl.TaskSVR, Solver: bigmkl.SolverWrapper}},
	}
}

// reweighted returns rows with weights.
func reweighted(rows []dataset.Row) []dataset.Row {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Weight = 0.5 + float64(i%5)/4
	}
	return rows
}

// otherProblems have weights, limits, choices of the solver and budgets that send rows to disk.
func otherProblems(d bytesData) []problem {
	return []problem{
		{name: "row weights", rows: reweighted(d.two)},
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
			spills: true, sleeps: true,
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
