package selection

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawnFolds has figures for each norm and fold.
type drawnFolds func(fold int32, norm float64) float64

func (d drawnFolds) use(context.Context, string) error { return nil }

func (d drawnFolds) measure(_ context.Context, fold []int32, norm float64, costs []float64) ([]float64, error) {
	figures := make([]float64, len(costs))
	for k := range figures {
		figures[k] = d(fold[0], norm)
	}
	return figures, nil
}

// chosenNorm is the norm that is chosen of 1, 4/3 and 2 by the figures of three folds.
func chosenNorm(t *testing.T, measure string, d drawnFolds) float64 {
	t.Helper()
	c := chooser{norms: []float64{1, 4. / 3, 2}, costs: []float64{1}, measure: measure}
	at, err := c.bestOfAll(t.Context(), d, [][]int32{{0}, {1}, {2}})
	if err != nil {
		t.Fatal(err)
	}
	return at.Norm
}

// TestNormByFolds: a norm takes the place of the middle one if all folds show it, whatever the direction of the
// measure, and if the middle one has no figure.
func TestNormByFolds(t *testing.T) {
	better := func(by float64) drawnFolds {
		return func(fold int32, norm float64) float64 {
			if norm == 1 {
				return 0.8 + 0.01*float64(fold) + by
			}
			return 0.8 + 0.011*float64(fold)
		}
	}
	for _, x := range []struct {
		measure    string
		by, chosen float64
	}{
		{"accuracy", 0.05, 1}, {"accuracy", -0.05, 4. / 3}, {"accuracy", 0.0015, 4. / 3},
		{"rmse", -0.05, 1}, {"rmse", 0.05, 4. / 3},
	} {
		if got := chosenNorm(t, x.measure, better(x.by)); got != x.chosen {
			t.Errorf("%s, difference %g: p = %g, want %g", x.measure, x.by, got, x.chosen)
		}
	}
	undefined := func(_ int32, norm float64) float64 {
		if norm == 2 {
			return 0.7
		}
		return math.NaN()
	}
	if got := chosenNorm(t, "accuracy", undefined); got != 2 {
		t.Errorf("the other norms have no figure: p = %g", got)
	}
	if got := chosenNorm(t, "accuracy", func(int32, float64) float64 { return math.NaN() }); got != 4./3 {
		t.Errorf("no norm has a figure: p = %g", got)
	}
}

// TestNormOfSourceAlone: a source alone chooses its norm by figures of its own. With one kernel it has none to choose.
func TestNormOfSourceAlone(t *testing.T) {
	in := &sourceFolds{figures: map[string]drawnFolds{
		"a,b,c": func(fold int32, norm float64) float64 { return 0.9 - 0.1*norm + 0.01*float64(fold) },
		"a,b":   func(fold int32, norm float64) float64 { return 0.5 + 0.1*norm + 0.01*float64(fold) },
		"c":     func(fold int32, norm float64) float64 { return 0.6 },
	}, specs: "a,b,c"}
	c := chooser{norms: []float64{1, 4. / 3, 2}, costs: []float64{1, 10}, measure: "auc", origins: []origin{{kernels: []int{0, 1}}, {kernels: []int{2}}}}
	got, err := c.chooseAmong(t.Context(), in, [][]int32{{0}, {1}, {2}}, []string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Norm != 1 || !slices.Equal(got.AloneNorms, []Norm{2, 1}) || !slices.Equal(got.Alone, []float64{1, 1}) {
		t.Errorf("%+v", got)
	}
	if in.norms["c"] != 1 {
		t.Errorf("one kernel was trained at %d norms", in.norms["c"])
	}
}

// sourceFolds has figures for each list of kernels, and counts the norms that each was trained at.
type sourceFolds struct {
	specs   string
	figures map[string]drawnFolds
	norms   map[string]int
	seen    map[string]bool
}

func (f *sourceFolds) use(_ context.Context, specs string) error {
	f.specs = specs
	return nil
}

func (f *sourceFolds) measure(ctx context.Context, fold []int32, norm float64, costs []float64) ([]float64, error) {
	if f.seen == nil {
		f.seen, f.norms = map[string]bool{}, map[string]int{}
	}
	if key := fmt.Sprint(f.specs, norm); !f.seen[key] {
		f.seen[key] = true
		f.norms[f.specs]++
	}
	return f.figures[f.specs].measure(ctx, fold, norm, costs)
}

// TestNormOfNoise: where norms differ by noise alone the middle one stays in most cases. The largest of three
// figures would be another one in two cases of three.
func TestNormOfNoise(t *testing.T) {
	const seed, draws = 17, 2000
	rng := rand.New(rand.NewPCG(seed, 0))
	others := 0
	for range draws {
		if chosenNorm(t, "accuracy", func(int32, float64) float64 { return 0.9 + 0.02*rng.NormFloat64() }) != 4./3 {
			others++
		}
	}
	// Of two alternatives each exceeds a corrected error with a probability of 0.13.
	if share := float64(others) / draws; share > 0.3 {
		t.Errorf("seed %d: another norm in %.0f %% of the draws", seed, 100*share)
	}
}
