package selection

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
)

// sines are rows of one feature with targets around a sine, times a factor.
func sines(n int, factor float64) []dataset.Row {
	rng := rand.New(rand.NewPCG(48, 1))
	rows := make([]dataset.Row, n)
	for i := range rows {
		x := 6 * rng.Float64()
		rows[i] = dataset.Row{Index: []int32{0}, Value: []float64{x}, Target: factor * (math.Sin(x) + 0.3*rng.NormFloat64()), Weight: 1}
	}
	return rows
}

// TestCostsCountDeviations: the default costs of svr, and the one beyond an end, grow with the targets, and so do the
// figures; given costs, and the costs of the squared loss, do not.
func TestCostsCountDeviations(t *testing.T) {
	t.Parallel()
	o := small()
	o.Training.Kernels, o.Training.Task, o.Training.Scale, o.Costs, o.Norms, o.NoBaselines = "gauss:1", "svr", "none", nil, nil, true
	run := func(factor float64, change func(o *Options)) *Selection {
		o := o
		o.Folder = t.TempDir()
		if change != nil {
			change(&o)
		}
		s, _, err := selectRows(t, t.Context(), sines(70, factor), o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	costs := func(s *Selection) (list []float64) {
		for _, c := range s.Cells {
			list = append(list, c.Cost)
		}
		return list
	}
	plain := run(1, nil)
	t.Logf("unit %g, costs %v", plain.CostUnit, costs(plain))
	for _, c := range plain.Cells {
		if shown := short(c.Cost / plain.CostUnit); math.Abs(math.Log10(shown)-math.Round(math.Log10(shown))) > 1e-9 || c.Cost != short(c.Cost) {
			t.Errorf("cost %v of unit %v", c.Cost, plain.CostUnit)
		}
	}
	for _, factor := range []float64{1e-3, 1e4} {
		s := run(factor, nil)
		if math.Abs(s.CostUnit/factor/plain.CostUnit-1) > 1e-12 || s.Best != plain.Best || len(s.Cells) != len(plain.Cells) {
			t.Fatalf("times %g: unit %g, best %d of %d; plainly %g, %d of %d", factor, s.CostUnit, s.Best, len(s.Cells), plain.CostUnit, plain.Best, len(plain.Cells))
		}
		for k := range s.Cells {
			a, b := s.Cells[k].Figures["rmse"].Mean, plain.Cells[k].Figures["rmse"].Mean
			if math.Abs(s.Cells[k].Cost/factor/plain.Cells[k].Cost-1) > 1e-12 || math.Abs(a/factor-b) > 0.01*b {
				t.Errorf("times %g, cell %d: C %g, rmse %g; plainly %g, %g", factor, k, s.Cells[k].Cost, a, plain.Cells[k].Cost, b)
			}
		}
	}
	shared := run(1e4, func(o *Options) { o.SharedPreparation = true })
	if shared.CostUnit != short(1e4*plain.CostUnit) {
		t.Errorf("shared preparation has the unit %g", shared.CostUnit)
	}
	given := []float64{0.1, 1, 10, 100}
	if s := run(1e4, func(o *Options) { o.Costs = given }); s.CostUnit != 0 || !slices.Equal(costs(s), given) {
		t.Errorf("given costs became %v, unit %g", costs(s), s.CostUnit)
	}
	if s := run(100, func(o *Options) { o.Training.Task = "square" }); s.CostUnit != 0 || !slices.Contains(costs(s), 1) {
		t.Errorf("the squared loss has the costs %v, unit %g", costs(s), s.CostUnit)
	}
	trials := run(1e4, func(o *Options) { o.Trials.Size = 60 })
	if trials.CostUnit != shared.CostUnit || trials.Cells[0].Cost != short(0.01*shared.CostUnit) {
		t.Errorf("trials have the costs %v, unit %g", costs(trials), trials.CostUnit)
	}
}

// TestWideCost: a cost beyond the end of counted costs is one that a user would write.
func TestWideCost(t *testing.T) {
	t.Parallel()
	o := &Options{Costs: []float64{0.1, 1}, inDeviations: true}
	o.takeUnit([]float64{0, 96.2}, nil)
	if o.costUnit != 48.1 || !slices.Equal(o.Costs, []float64{4.81, 48.1}) {
		t.Errorf("unit %v, costs %v", o.costUnit, o.Costs)
	}
}

// TestCostsOfRankedTimes: default costs of ranked times are small, and a regression of times counts deviations.
func TestCostsOfRankedTimes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		survival string
		want     []float64
		counts   bool
	}{{bigmkl.SurvivalRanking, []float64{0.001, 0.01, 0.1, 1}, false}, {"", []float64{0.1, 1, 10, 100}, true}} {
		o := &Options{Training: bigmkl.Options{Task: bigmkl.TaskSurvival, Survival: c.survival}}
		o.setDefaults()
		if !slices.Equal(o.Costs, c.want) || o.inDeviations != c.counts || !o.widens {
			t.Errorf("kind %q: costs %v, counted %v", c.survival, o.Costs, o.inDeviations)
		}
	}
}
