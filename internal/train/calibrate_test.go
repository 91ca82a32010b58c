package train

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"testing"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/predict"
)

// Folds have as many rows of each class as any other, or one more; the seed decides which.
func TestFolds(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 1)
	for range 50 {
		n, classes := 1+rng.IntN(200), 1+rng.IntN(5)
		o := &Options{Folds: 2 + rng.IntN(12), Seed: rng.Uint64()}
		labels := make([]int32, n)
		for i := range labels {
			labels[i] = int32(rng.IntN(classes))
		}
		f := &calibration{}
		f.assignFolds(labels, classes, o)
		size, count := make([]int, f.count), map[[2]int32]int{}
		total := make([]int, classes)
		for i, k := range f.of {
			size[k]++
			count[[2]int32{labels[i], k}]++
			total[labels[i]]++
		}
		for k := range f.count {
			if d := size[k] - n/f.count; d < 0 || d > 1 {
				t.Fatalf("fold %d of %d has %d of %d rows", k, f.count, size[k], n)
			}
			for c := range classes {
				if d := count[[2]int32{int32(c), int32(k)}] - total[c]/f.count; d < 0 || d > 1 {
					t.Fatalf("fold %d of %d has %d of %d rows of a class", k, f.count, d+total[c]/f.count, total[c])
				}
			}
		}
		again := &calibration{}
		if again.assignFolds(labels, classes, o); !slices.Equal(again.of, f.of) {
			t.Fatal("other folds by the same seed")
		}
		o.Seed++
		if again.assignFolds(labels, classes, o); n > 50 && slices.Equal(again.of, f.of) {
			t.Fatal("the same folds by another seed")
		}
	}
}

// folded trains and gives the held-out decision values, of trainings to the same gap.
func folded(t *testing.T, rows []dataset.Row, o Options) (decisions []float64, f *calibration) {
	t.Helper()
	ctx := context.Background()
	r := readRun(t, rows, o)
	loss, err := r.labelled().loss()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.prepareKernels(ctx), r.planAndNormalize(ctx)); err != nil {
		t.Fatal(err)
	}
	norm, err := r.norms().regularizer()
	if err != nil {
		t.Fatal(err)
	}
	g, err := r.makeGradients(r.Store, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	tr := newClassifierTrainer(r, nil)
	s, err := tr.trainOne(ctx, g, problem{loss: loss, norm: norm, start: tr.makeStart(g, problem{loss: loss}, nil)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Folds = 4
	f = &calibration{}
	f.assignFolds(r.Store.Labels(), 2, &o)
	f.gap = o.Solver.Gap
	if decisions, err = f.heldOut(ctx, r, g, s); err != nil {
		t.Fatal(err)
	}
	if f.unsettled > 0 || f.stopped {
		t.Errorf("%d trainings ended above their gap", f.unsettled)
	}
	return decisions, f
}

// What a fold is given by the gradients of the others is what a model of those alone predicts.
func TestHeldOutValuesAreThoseOfOtherModels(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 2)
	rows := datasettest.Clouds(rng, 300, 6)
	weighted := slices.Clone(rows)
	for i := range weighted {
		weighted[i].Weight = 0.2 + rng.Float64()
	}
	const kernels = "gauss:0.05,gauss:0.3,linear@1-3,poly:2:0.1:1"
	cases := map[string]struct {
		o    func(o *Options)
		rows []dataset.Row
		off  float64
	}{
		"p = 1":       {func(o *Options) { o.Norm.P = 1; o.Solver.Gap = 1e-6 }, rows, 1e-2},
		"p = 4/3":     {func(o *Options) { o.Solver.Gap = 1e-7; o.Problem.C = 3 }, rows, 2e-3},
		"p = 2":       {func(o *Options) { o.Norm.P = 2; o.Solver.Gap = 1e-7 }, rows, 2e-3},
		"p = 8":       {func(o *Options) { o.Norm.P = 8; o.Solver.Gap = 1e-7 }, rows, 2e-3},
		"p = inf":     {func(o *Options) { o.Norm.P = math.Inf(1); o.Solver.Gap = 1e-6 }, rows, 5e-3},
		"single":      {func(o *Options) { o.Norm.P = 2; o.Solver.Gap = 2e-4; o.Solver.Precision = "32" }, rows, 5e-2},
		"double":      {func(o *Options) { o.Norm.P = 2; o.Solver.Gap = 1e-7; o.Solver.Precision = "64" }, rows, 2e-3},
		"elastic net": {func(o *Options) { o.Norm.P = 1; o.Norm.ElasticNet = 0.5; o.Solver.Gap = 1e-6 }, rows, 1e-2},
		"squared":     {func(o *Options) { o.Norm.SquaredNorm = 1; o.Solver.Gap = 1e-6 }, rows, 1e-2},
		"fixed":       {func(o *Options) { o.Norm.P = 2; o.Norm.Weights = []float64{1, 0, 0.5, 0.1}; o.Solver.Gap = 1e-7 }, rows, 2e-3},
		"wrapper":     {func(o *Options) { o.Norm.P = 1.5; o.Solver.Method = MethodWrapper; o.Solver.Gap = 1e-5 }, rows, 2e-2},
		"sparse":      {func(o *Options) { o.Norm.P = 1.5; o.Data.Layout = dataset.LayoutSparse; o.Solver.Gap = 1e-7 }, rows, 2e-3},
		"spherical":   {func(o *Options) { o.Norm.P = 1.5; o.Kernels.Normalize = "spherical"; o.Solver.Gap = 1e-7 }, rows, 2e-3},
		"row weights": {func(o *Options) { o.Norm.P = 1.5; o.Solver.Gap = 1e-7 }, weighted, 2e-3},
		"class weights": {func(o *Options) {
			o.Norm.P = 1.5
			o.Solver.Gap = 1e-7
			o.Problem.ClassWeight = map[string]float64{"-1": 4}
		}, rows, 2e-3},
	}
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		for j, tuning := range []chunking.Tuning{{}, {WorkingSet: 16, Shrink: 0.9}} {
			if !testlevel.Diagonal(t, i, j, 4, 1) {
				continue
			}
			o := given(t, func(o *Options) {
				o.Kernels, o.Solver.Tuning = Kernels{Specs: kernels, Normalize: "none"}, tuning
				c.o(o)
			})
			got, f := folded(t, c.rows, o)
			for k := range f.count {
				var rest, held []dataset.Row
				var at []int
				for i, fold := range f.of {
					if int(fold) == k {
						held, at = append(held, c.rows[i]), append(at, i)
					} else {
						rest = append(rest, c.rows[i])
					}
				}
				m := mustTrain(t, rest, o)
				verifytest.MustVerify(t, &m.Model, datasettest.Stream(rest))
				for j, want := range decisionsOf(t, m, held) {
					if d := math.Abs(got[at[j]] - want); !(d <= c.off*(1+math.Abs(want))) {
						t.Errorf("%s, working set %d, fold %d, row %d: %v, by a model of the others %v", name, tuning.WorkingSet, k, at[j], got[at[j]], want)
						break
					}
				}
			}
		}
	}
}

// decisionsOf are the decision values of a model of two classes.
func decisionsOf(t testing.TB, m *predict.Model, rows []dataset.Row) (all []float64) {
	t.Helper()
	err := m.Predict(context.Background(), datasettest.Stream(rows), predict.Options{}, func(p predict.Prediction) error {
		all = append(all, p.Decision)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
