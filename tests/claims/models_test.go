package claims

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/conformal/calibration"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/datasettest"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// family is a sort of models: how one is trained, and on what rows.
type family struct {
	name      string
	rows      string // classes, clusters, sets, numbers, letters, holes, wide
	options   bigmkl.Options
	conformal *calibration.Options
}

// families lists models of every sort that a model file can have.
var families = []family{
	{"classes", "classes", bigmkl.Options{Kernels: "gauss:auto/2,linear@1-3,poly:2@2-5", Scale: "standard", ClassWeight: map[string]float64{"1": 1.5}, Limit: 50}, nil},
	{"double precision", "classes", bigmkl.Options{Kernels: "gauss:auto/2,laplace:0.3", Norm: 1, Gap: 1e-6, Scale: "minmax"}, nil},
	{"sparse points", "classes", bigmkl.Options{Kernels: "gauss:auto,linear,prod(poly:2@1-3,laplace:mean)", Store: "sparse", Normalize: "spherical", Norm: 2}, nil},
	{"squared hinge", "classes", bigmkl.Options{Kernels: "gauss:auto,linear", Loss: bigmkl.LossSquaredHinge, Norm: 3}, nil},
	{"cost that is found", "classes", bigmkl.Options{Kernels: "gauss:auto,linear", Loss: bigmkl.LossSquaredHinge, Norm: 1, JointCost: true}, nil},
	{"odds", "classes", bigmkl.Options{Task: bigmkl.TaskLogistic, Kernels: "gauss:auto,linear"}, nil},
	{"odds of pairs", "clusters", bigmkl.Options{Task: bigmkl.TaskLogistic, Kernels: "gauss:auto,linear", Multiclass: "ovo"}, nil},
	{"row weights", "weighted", bigmkl.Options{Kernels: "gauss:auto,linear", Norm: math.Inf(1)}, nil},
	{"views", "classes", bigmkl.Options{Kernels: "gauss:auto@each-view,linear@b,gauss:1@random:2*2", Views: []dataset.View{{Name: "a", First: 1, Last: 2}, {Name: "b", First: 3, Last: 5}}}, nil},
	{"posteriors of neighbours", "classes", bigmkl.Options{Kernels: "gauss:auto,linear", Posteriors: bigmkl.Posteriors{Neighbours: 6}}, nil},
	{"probabilities", "classes", bigmkl.Options{Kernels: "gauss:auto,linear", Folds: 3}, nil},
	{"probabilities of pairs", "clusters", bigmkl.Options{Kernels: "gauss:auto,linear", Folds: 3, Multiclass: "ovo"}, nil},
	{"tube", "numbers", bigmkl.Options{Task: bigmkl.TaskSVR, Kernels: "gauss:auto,linear"}, nil},
	{"quantile", "numbers", bigmkl.Options{Task: bigmkl.TaskQuantile, Tau: 0.8, Epsilon: 0.05, Kernels: "gauss:auto,linear"}, nil},
	{"quantiles", "numbers", bigmkl.Options{Task: bigmkl.TaskQuantile, Taus: []float64{0.2, 0.5, 0.8}, Epsilon: 0.05, Kernels: "gauss:auto,linear"}, nil},
	{"quantiles, one theta", "numbers", bigmkl.Options{Task: bigmkl.TaskQuantile, Taus: []float64{0.2, 0.8}, Kernels: "gauss:auto,linear", OneTheta: true}, nil},
	{"survival", "numbers", bigmkl.Options{Task: bigmkl.TaskSurvival, Tau: 0.3, Kernels: "gauss:auto,linear"}, nil},
	{"bounds of times", "bounds", bigmkl.Options{Task: bigmkl.TaskSurvival, Kernels: "gauss:auto,linear"}, nil},
	{"rank", "groups", bigmkl.Options{Task: bigmkl.TaskRank, Kernels: "gauss:auto,linear"}, nil},
	{"survival ranking", "numbers", bigmkl.Options{Task: bigmkl.TaskSurvival, Survival: bigmkl.SurvivalRanking, Kernels: "gauss:auto,linear"}, nil},
	{"cox", "numbers", bigmkl.Options{Task: bigmkl.TaskCox, Kernels: "gauss:auto,linear"}, nil},
	{"expectile", "numbers", bigmkl.Options{Task: bigmkl.TaskExpectile, Tau: 0.8, Kernels: "gauss:auto,linear"}, nil},
	{"huber", "numbers", bigmkl.Options{Task: bigmkl.TaskHuber, Kernels: "gauss:auto,linear"}, nil},
	{"square", "numbers", bigmkl.Options{Task: bigmkl.TaskSquare, Kernels: "gauss:auto,linear", C: 2}, nil},
	{"one class", "classes", bigmkl.Options{Task: bigmkl.TaskOneClass, Kernels: "gauss:auto,poly:2", Nu: 0.3}, nil},
	{"rest", "clusters", bigmkl.Options{Multiclass: "ovr", Kernels: "gauss:auto,linear", ClassWeight: map[string]float64{"1": 1.5}}, nil},
	{"pairs", "clusters", bigmkl.Options{Multiclass: "ovo", Kernels: "gauss:auto,linear", Norm: 1}, nil},
	{"one theta", "clusters", bigmkl.Options{Multiclass: "ovr", Kernels: "gauss:auto,linear", OneTheta: true}, nil},
	{"sets of labels", "sets", bigmkl.Options{Multiclass: "labels", Kernels: "gauss:auto,linear"}, nil},
	{"single", "clusters", bigmkl.Options{Multiclass: "single", Kernels: "gauss:auto,linear"}, nil},
	{"single with posteriors", "clusters", bigmkl.Options{Multiclass: "single", Kernels: "gauss:auto,linear", Posteriors: bigmkl.Posteriors{Neighbours: 6}}, nil},
	{"discriminant", "clusters", bigmkl.Options{Task: bigmkl.TaskRKDA, Kernels: "gauss:auto,linear", Lambda: 1e-2}, nil},
	{"discriminant by the indicator", "clusters", bigmkl.Options{Task: bigmkl.TaskRKDA, Kernels: "gauss:auto,linear", JointCost: true, DiscriminantRule: bigmkl.RuleIndicator}, nil},
	{"mixture by discrimination", "classes", bigmkl.Options{Task: bigmkl.TaskMED, Kernels: "gauss:1,linear,poly:2", C: 1, Components: "1,2/2,3", Gap: 1e-6}, nil},
	{"mixture by likelihood", "classes", bigmkl.Options{Task: bigmkl.TaskMixture, Kernels: "gauss:1,poly:2", Components: "1,2/1,2"}, nil},
	{"groups", "classes", bigmkl.Options{Kernels: "gauss:auto group=a,gauss:0.5 group=a,linear group=b", Norm: 4.0 / 3, Regularizer: bigmkl.Regularizer{GroupNorm: 2}}, nil},
	{"elastic net", "classes", bigmkl.Options{Kernels: "gauss:auto,linear", Regularizer: bigmkl.Regularizer{ElasticNet: 0.3}}, nil},
	{"squared norm", "classes", bigmkl.Options{Kernels: "gauss:auto,linear", Norm: 4.0 / 3, Regularizer: bigmkl.Regularizer{SquaredNorm: 0.5}}, nil},
	{"interactions", "classes", bigmkl.Options{Kernels: "gauss:auto,linear", Regularizer: bigmkl.Regularizer{Interaction: []float64{1, 0.2, 0.2, 1}}}, nil},
	{"fixed weights", "classes", bigmkl.Options{Kernels: "gauss:auto,linear", Regularizer: bigmkl.Regularizer{Weights: []float64{0.3, 0.7}}}, nil},
	{"priors and costs", "classes", bigmkl.Options{Kernels: "gauss:auto prior=2,linear cost=3", CostPower: 2}, nil},
	{"rule align", "classes", bigmkl.Options{Kernels: "gauss:auto,linear", Regularizer: bigmkl.Regularizer{Rule: "align"}}, nil},
	{"rule alignf", "classes", bigmkl.Options{Kernels: "gauss:auto,linear", Regularizer: bigmkl.Regularizer{Rule: "alignf", RuleSample: 40}}, nil},
	{"rule fsm", "classes", bigmkl.Options{Kernels: "gauss:auto,linear", Regularizer: bigmkl.Regularizer{Rule: "fsm"}}, nil},
	{"rule accuracy", "classes", bigmkl.Options{Kernels: "gauss:auto,linear", Regularizer: bigmkl.Regularizer{Rule: "accuracy:0.1", RuleFolds: 3}}, nil},
	{"rule mse", "numbers", bigmkl.Options{Task: bigmkl.TaskSquare, Kernels: "gauss:auto,linear", Regularizer: bigmkl.Regularizer{Rule: "mse"}}, nil},
	{"regions", "classes", bigmkl.Options{Kernels: "gauss:auto,linear", Gating: "regions:2", GateOn: "1-3", Norm: 2}, nil},
	{"components as gating features", "classes", bigmkl.Options{Kernels: "gauss:auto,linear", Gating: "regions:2", GateOn: "pca:2", Norm: 2}, nil},
	{"fixed gates", "classes", bigmkl.Options{Kernels: "gauss:auto,linear", Gating: "fixed:"}, nil},
	{"softmax gates", "classes", bigmkl.Options{Kernels: "gauss:auto,linear copies=2", Gating: "softmax", GateTol: 2e-2, Gap: 1e-5, GateDecay: 1e-3, GateFloor: 1e-3}, nil},
	{"gates of landmarks", "classes", bigmkl.Options{Kernels: "gauss:auto,linear", Gating: "softmax", GateOn: "kernel:gauss:auto@1-3*4", GateTol: 2e-2, Gap: 1e-5}, nil},
	{"gates of classifiers", "clusters", bigmkl.Options{Kernels: "gauss:auto,linear", Gating: "sigmoid", Multiclass: "ovr", GateTol: 2e-2, Gap: 1e-5}, nil},
	{"shared gates", "clusters", bigmkl.Options{Kernels: "gauss:auto,linear", Gating: "softmax", Multiclass: "ovo", OneGate: true, GateTol: 2e-2, Gap: 1e-5}, nil},
	{"projection", "classes", bigmkl.Options{Kernels: "proj(gauss:0.2,2),linear", Norm: 4.0 / 3, Scale: "standard", GateTol: 2e-2, Gap: 1e-5}, nil},
	{"diagonal projection and others", "classes", bigmkl.Options{Kernels: "proj(gauss:0.2,diag),proj(poly:2:0.1:1,2),gauss:auto", Scale: "none", GateTol: 2e-2, Gap: 1e-5}, nil},
	{"projection with gates", "classes", bigmkl.Options{Kernels: "proj(gauss:0.2,2),linear", Gating: "softmax", GateTol: 2e-2, Gap: 1e-5}, nil},
	{"imputed", "holes", bigmkl.Options{Kernels: "gauss:auto,linear", Impute: "median"}, nil},
	{"indicators of holes", "holes", bigmkl.Options{Kernels: "gauss:auto,linear", Impute: "indicator", Scale: "standard"}, nil},
	{"missing views", "lacking", bigmkl.Options{Kernels: "gauss:0.5@a missing=self,linear@b missing=none,gauss:auto@b missing=all", Missing: "file", Views: []dataset.View{{Name: "a", First: 1, Last: 2}, {Name: "b", First: 3, Last: 5}}}, nil},
	{"centred", "classes", bigmkl.Options{Kernels: "gauss:auto,poly:2", Normalize: "centred"}, nil},
	{"centred and sparse", "classes", bigmkl.Options{Kernels: "gauss:auto norm=centred,linear", Store: "sparse"}, nil},
	{"sequences", "letters", bigmkl.Options{Kernels: "wd:4,spectrum:2", Sequences: dataset.DNA}, nil},
	{"matrix", "classes", bigmkl.Options{Kernels: "precomputed:,linear"}, nil},
	{"features that occur", "wide", bigmkl.Options{Kernels: "linear,gauss:auto"}, nil},
	{"scores of folds", "numbers", bigmkl.Options{Task: bigmkl.TaskSVR, Kernels: "gauss:auto,linear"}, &calibration.Options{Folds: 3}},
	{"residuals of folds", "numbers", bigmkl.Options{Task: bigmkl.TaskSurvival, Kernels: "gauss:auto,linear"}, &calibration.Options{Folds: 3}},
	{"scores of quantiles", "numbers", bigmkl.Options{Task: bigmkl.TaskQuantile, Taus: []float64{0.1, 0.9}, Kernels: "gauss:auto,linear"}, &calibration.Options{Share: 0.3}},
	{"scores of rows without a part", "clusters", bigmkl.Options{Multiclass: "ovr", Kernels: "gauss:auto,linear"}, &calibration.Options{Share: 0.3, ByClass: true}},
	{"stream", "classes", bigmkl.Options{Kernels: "gauss:auto,linear"}, nil},
}

// trained is a model file, its rows and what verification needs besides.
type trained struct {
	file    string
	rows    []dataset.Row
	options verify.Options
}

// draw makes the rows of a family.
func (f *family) draw(t testing.TB) []dataset.Row {
	rng := datasettest.Random(t, 37)
	const n = 50
	switch f.rows {
	case "clusters":
		return datasettest.Clusters(rng, n, 4, 3, false)
	case "sets":
		return datasettest.Clusters(rng, n, 4, 3, true)
	case "numbers":
		return bigmkltest.Curve(rng, n, 4)
	case "bounds":
		return bigmkltest.Bounded(bigmkltest.Curve(rng, n, 4))
	case "groups":
		return bigmkltest.Ranked(bigmkltest.Curve(rng, n, 4))
	case "letters":
		return bigmkltest.Sites(rng, n)
	}
	rows := datasettest.Clouds(rng, n, 5)
	for i := range rows {
		switch r := &rows[i]; f.rows {
		case "weighted":
			r.Weight = 1 + float64(i%3)
		case "holes":
			if i%4 == 1 {
				r.Value[i%len(r.Value)] = math.NaN()
			}
		case "wide":
			for k := range r.Index {
				r.Index[k] = 300000*r.Index[k] + r.Index[k]
			}
		}
	}
	return rows
}

// file writes a file for a test.
func write(t testing.TB, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// table writes a .npy file of two dimensions.
func table(t testing.TB, rows, columns int, at func(i, j int) float64) string {
	path := filepath.Join(t.TempDir(), "table.npy")
	w, err := npy.Create(path, rows, columns, true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		line := make([]float64, columns)
		for j := range line {
			line[j] = at(i, j)
		}
		if err := w.WriteRow64(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// train trains a model of the family.
func (f *family) train(t testing.TB) *trained {
	rows, o := f.draw(t), f.options
	r := &trained{rows: rows}
	o.Scratch = t.TempDir()
	switch {
	case o.Gating == "fixed:":
		r.options.Gates = table(t, len(rows), 2, func(i, j int) float64 { return 0.5 + math.Abs(math.Sin(float64(3*i+j))) })
		o.Gating += r.options.Gates
	case o.Missing != "":
		var b strings.Builder
		for i := 0; i < len(rows); i += 4 {
			fmt.Fprintf(&b, "%d %c\n", i+1, 'a'+i/4%2)
		}
		o.Missing = write(t, "missing", b.String())
		r.options.Missing = o.Missing
	case strings.HasPrefix(o.Kernels, "precomputed"):
		matrix := table(t, len(rows), len(rows), func(i, j int) float64 {
			return math.Exp(-math.Abs(float64(i-j)) / 4)
		})
		o.Kernels = strings.Replace(o.Kernels, "precomputed:", "precomputed:"+matrix, 1)
		r.options.Gram = []string{matrix}
	}
	if f.name == "stream" {
		r.stream(t, o)
		return r
	}
	var m *bigmkl.Model
	var err error
	if f.conformal != nil {
		m, _, err = calibration.Train(context.Background(), datasettest.Stream(rows), o, *f.conformal)
	} else {
		m, _, err = bigmkl.Train(context.Background(), datasettest.Stream(rows), o)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.file = string(bigmkltest.Encoded(t, m))
	return r
}

// stream trains on rows that come in two parts, of which the first are forgotten.
func (r *trained) stream(t testing.TB, o bigmkl.Options) {
	s, err := bigmkl.NewTrainer(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Window(30)
	for _, part := range [][]dataset.Row{r.rows[:30], r.rows[30:]} {
		src := dataset.FromSeq(slices.Values(part))
		err := s.Add(context.Background(), src)
		src.Close()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Fit(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	m, _ := s.Snapshot()
	r.file, r.rows = string(bigmkltest.Encoded(t, m)), r.rows[len(r.rows)-30:]
}
