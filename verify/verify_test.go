package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/probability"
	"bigmkl/internal/testlevel"
)

func run(t *testing.T, m *model.Model, src dataset.Source, o Options) *Report {
	t.Helper()
	r, err := Run(context.Background(), m, src, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

// Two points at -1 and 1 with a linear kernel: the optimum is w = 1, b = 0, both alphas 1/2, objective 1/2.
func twoPoints(t testing.TB) (*model.Model, *rows) {
	t.Helper()
	m := bare(2, 1)
	m.Kernels, m.Theta, m.WNorms = []string{"linear"}, []float64{1}, []float64{1}
	m.Support, m.Alpha, m.Vectors = []int32{0, 1}, []float64{-0.5, 0.5}, []float32{-1, 1}
	src := source([]string{"-1", "+1"}, []float64{-1}, []float64{1})
	honest(t, m, src)
	return m, src
}

func TestTwoPoints(t *testing.T) {
	t.Parallel()
	m, src := twoPoints(t)
	r := run(t, m, src, Options{})
	if want := (&Report{Primal: 0.5, Dual: 0.5, Rows: 2}); !reflect.DeepEqual(r, want) {
		t.Errorf("got %+v, want %+v", r, want)
	}
	// Half the alphas: w = 1/2, each loss 1/2, primal 1/8 + 1, dual 1/2 - 1/8.
	m.Alpha = []float64{-0.25, 0.25}
	r = run(t, m, source([]string{"-1", "1"}, []float64{-1}, []float64{1}), Options{})
	near(t, "primal", r.Primal, 1.125, 1e-15)
	near(t, "dual", r.Dual, 0.375, 1e-15)
	near(t, "gap", r.RelativeGap, 0.75/1.125, 1e-15)
}

// A file with such sigmoids is rejected as it is read; a model need not come from a file.
func TestSigmoids(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		folds int
		list  []probability.Sigmoid
		want  string
	}{
		"right":       {5, []probability.Sigmoid{{A: -1, B: 0.2}}, ""},
		"flat":        {2, []probability.Sigmoid{{}}, ""},
		"falling":     {5, []probability.Sigmoid{{A: 0.1}}, "does not grow"},
		"NaN":         {5, []probability.Sigmoid{{A: math.NaN()}}, "does not grow"},
		"without end": {5, []probability.Sigmoid{{A: -1, B: math.Inf(1)}}, "does not grow"},
		"no folds":    {0, []probability.Sigmoid{{A: -1}}, "from 0 folds"},
		"no sigmoids": {5, nil, "0 sigmoids"},
	} {
		m, src := twoPoints(t)
		m.Folds, m.Sigmoids = c.folds, c.list
		list := run(t, m, src, Options{}).Faults
		if c.want == "" && len(list) > 0 || c.want != "" && (len(list) != 1 || !strings.Contains(list[0], c.want)) {
			t.Errorf("%s: %q, want %q", name, list, c.want)
		}
	}
	// Decision values of task logistic are the logarithms of odds. This model has other faults, too.
	for _, c := range []struct {
		folds int
		list  []probability.Sigmoid
		right bool
	}{{0, []probability.Sigmoid{{A: -1}}, true}, {0, []probability.Sigmoid{{A: -1, B: 0.1}}, false}, {5, []probability.Sigmoid{{A: -1}}, false}, {0, nil, false}} {
		m, src := twoPoints(t)
		m.Task, m.Folds, m.Sigmoids = model.TaskLogistic, c.folds, c.list
		list := run(t, m, src, Options{}).Faults
		if found := slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, "the logarithm of the odds") }); found == c.right {
			t.Errorf("sigmoids %v from %d folds: %q", c.list, c.folds, list)
		}
	}
	m, src := twoPoints(t)
	m.Folds, m.Sigmoids = 5, make([]probability.Sigmoid, 2)
	if _, err := Run(context.Background(), m, src, Options{}); !errors.Is(err, fail.Corrupt) {
		t.Errorf("two sigmoids of one classifier: %v", err)
	}
}

func TestAgainstPlainLoops(t *testing.T) {
	t.Parallel()
	for i, norm := range []float64{1, 1.0667, 2, 8, math.Inf(1)} {
		for j, normalize := range []string{"none", "multiplicative", "spherical", "each its own"} {
			if !testlevel.Diagonal(t, i, j, 2, 1) {
				continue
			}
			m, src, x, y, c := random(90, 40, norm, normalize)
			honest(t, m, src)
			r := run(t, m, src, Options{})
			primal, dual := naive(m, x, y, c, plain)
			what := fmt.Sprintf("p %g, %s: ", norm, normalize)
			near(t, what+"primal", r.Primal, primal, 1e-11)
			near(t, what+"dual", r.Dual, dual, 1e-11)
			if len(r.Faults) != 0 || r.Rows != 90 || r.Sampled {
				t.Errorf("%s%+v", what, r)
			}
		}
	}
}

// More support vectors than a tile, and more features than a block; the same bits for any number of threads.
func TestTilesAndThreads(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ rows, features int }{{700, 20}, {60, featureBlock + 5}} {
		m, src, x, y, c := random(size.rows, size.features, 4.0/3, "none")
		var some []func(a, b []float64) float64
		m.Kernels = nil
		for _, k := range []int{0, 5, 6, 11} {
			some, m.Kernels = append(some, plain[k]), append(m.Kernels, specs[k])
		}
		m.Theta, m.WNorms = []float64{0.4, 0.9, 0.01, 0}, m.WNorms[:len(some)]
		one := run(t, m, src, Options{Threads: 1})
		primal, dual := naive(m, x, y, c, some)
		near(t, "primal", one.Primal, primal, 1e-10)
		near(t, "dual", one.Dual, dual, 1e-10)
		for _, threads := range []int{2, 5} {
			if r := run(t, m, &rows{list: src.list}, Options{Threads: threads}); !reflect.DeepEqual(r, one) {
				t.Errorf("%d threads: %+v, one: %+v", threads, r, one)
			}
		}
	}
}

func TestSample(t *testing.T) {
	t.Parallel()
	n, some := 300, 120
	if testlevel.Reached(testlevel.EveryKind) {
		n, some = 500, 150
	}
	m, src, _, _, _ := random(n, 30, 4.0/3, "spherical")
	honest(t, m, src)
	exact := run(t, m, src, Options{})
	primal, dual := 0.0, 0.0
	const runs = 20
	for seed := range uint64(runs) {
		r := run(t, m, &rows{list: src.list}, Options{Sample: some, Seed: seed})
		if !r.Sampled || r.Rows != some || len(r.Faults) != len(exact.Faults) {
			t.Fatalf("seed %d: %+v", seed, r)
		}
		if g := r.GapRange; g[0] < 0 || g[0] > exact.RelativeGap || g[1] < exact.RelativeGap {
			t.Errorf("seed %d: a gap from %g to %g, and it is %g", seed, g[0], g[1], exact.RelativeGap)
		}
		primal += r.Primal / runs
		dual += r.Dual / runs
	}
	near(t, "mean primal", primal, exact.Primal, 0.03)
	near(t, "mean dual", dual, exact.Dual, 0.03)
	all := run(t, m, &rows{list: src.list}, Options{Sample: n})
	if !reflect.DeepEqual(all, exact) {
		t.Errorf("a sample of all: %+v, exact: %+v", all, exact)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for want, spoil := range map[string]func(m *model.Model, r *rows){
		"alpha is 0.5 for label -1":       func(m *model.Model, r *rows) { m.Alpha[0] = 0.5; m.Alpha[1] = -0.5 },
		"above its bound 0.25":            func(m *model.Model, r *rows) { m.C = 0.25 },
		"above its bound 0.125":           func(m *model.Model, r *rows) { m.C = 0.25; m.NegativeWeight = 0.5 },
		"the sum of alpha is 0.125":       func(m *model.Model, r *rows) { m.Alpha[1] = 0.625 },
		"theta[0] is -1":                  func(m *model.Model, r *rows) { m.Theta[0] = -1 },
		"sum theta^1 is 2, not 1":         func(m *model.Model, r *rows) { m.Norm = 1; m.Theta[0] = 2 },
		"support vector 2 has 1.0000001 ": func(m *model.Model, r *rows) { m.Vectors[1] = math.Nextafter32(1, 2) },
		"the data goes on":                func(m *model.Model, r *rows) { r.list = append(r.list, r.list[0]) },
		"not finite":                      func(m *model.Model, r *rows) { m.Bias = math.NaN() },
	} {
		m, src := twoPoints(t)
		spoil(m, src)
		r := run(t, m, src, Options{})
		if !strings.Contains(strings.Join(r.Faults, "\n"), want) {
			t.Errorf("%q is missing in %q", want, r.Faults)
		}
		if want == "not finite" && !math.IsNaN(r.RelativeGap) {
			t.Errorf("the gap of nonsense is %v", r.RelativeGap)
		}
	}
	m, src := twoPoints(t)
	m.Limit = 2
	src.list = append(src.list, src.list...)
	if r := run(t, m, src, Options{}); len(r.Faults) != 0 {
		t.Errorf("rows beyond the limit: %q", r.Faults)
	}
	m, src = twoPoints(t)
	m.PositiveLabels, m.Positive, m.Negative = []string{"+3", "8"}, "1", "-1"
	src.list[0].Label, src.list[1].Label = "5", "3"
	src.list = append(src.list, src.list[1])
	src.list[2].Label, m.Points = "8", 3
	honest(t, m, src)
	if r := run(t, m, src, Options{}); len(r.Faults) != 0 || r.Primal != 0.5 {
		t.Errorf("a list of positive labels: %+v", r)
	}
}

func TestUnusableData(t *testing.T) {
	t.Parallel()
	for what, spoil := range map[string]func(m *model.Model, r *rows){
		"too short": func(m *model.Model, r *rows) { r.list = r.list[:1] },
		"label":     func(m *model.Model, r *rows) { r.list[1].Label = "2" },
		"no label":  func(m *model.Model, r *rows) { r.list[1].Label = "" },
		"feature":   func(m *model.Model, r *rows) { r.list[1].Index = []int32{1} },
		"matrix":    func(m *model.Model, r *rows) { m.Kernels = []string{"precomputed:nowhere.npy"} },
	} {
		m, src := twoPoints(t)
		spoil(m, src)
		if _, err := Run(context.Background(), m, src, Options{Threads: 2}); !errors.Is(err, fail.Input) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, spoil := range map[string]func(m *model.Model){
		"lengths": func(m *model.Model) { m.Alpha = m.Alpha[:1] },
		"vectors": func(m *model.Model) { m.Vectors = nil },
		"kernels": func(m *model.Model) { m.Kernels = []string{"gauss:1..8"} },
		"rows":    func(m *model.Model) { m.Support[1] = 2 },
	} {
		m, src := twoPoints(t)
		spoil(m)
		if _, err := Run(context.Background(), m, src, Options{}); !errors.Is(err, fail.Corrupt) {
			t.Errorf("%s: %v", what, err)
		}
	}
	m, src := twoPoints(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, m, src, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := Run(context.Background(), m, src, Options{Sample: -1}); !errors.Is(err, fail.Usage) {
		t.Errorf("a negative sample: %v", err)
	}
}

// TestNoSupportVectors: a run that was cut before it began leaves a constant, of any kernels.
func TestNoSupportVectors(t *testing.T) {
	t.Parallel()
	for _, normalize := range []string{"none", "multiplicative", "spherical"} {
		m, src, _, _, _ := random(30, 24, 2, normalize)
		m.Support, m.Alpha, m.Vectors = nil, nil, nil
		clear(m.Theta)
		if r := run(t, m, src, Options{}); !(r.Primal >= 0) || r.Dual != 0 {
			t.Errorf("%s: primal %v, dual %v", normalize, r.Primal, r.Dual)
		}
	}
}
