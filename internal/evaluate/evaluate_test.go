package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// byDefinition compares every positive row with every negative one.
func byDefinition(decisions []float64, positive []bool) float64 {
	won, pairs := 0.0, 0.0
	for i, p := range positive {
		for j, q := range positive {
			if !p || q {
				continue
			}
			pairs++
			switch {
			case decisions[i] > decisions[j]:
				won++
			case decisions[i] == decisions[j]:
				won += 0.5
			}
		}
	}
	return won / pairs
}

func TestAUCMatchesDefinition(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 0))
	for trial := range 300 {
		n := 2 + r.IntN(60)
		levels := 1 + r.IntN(12) // few levels make many ties
		decisions, positive := make([]float64, n), make([]bool, n)
		for i := range n {
			decisions[i] = float64(r.IntN(levels)) - 3
			positive[i] = r.IntN(3) == 0
		}
		got, want := AUC(decisions, positive), byDefinition(decisions, positive)
		if math.IsNaN(want) != math.IsNaN(got) || math.Abs(got-want) > 1e-12 {
			t.Fatalf("seed %d, trial %d: %v, by definition %v", seed, trial, got, want)
		}
	}
}

func TestAUCKnown(t *testing.T) {
	for _, c := range []struct {
		name      string
		decisions []float64
		positive  []bool
		want      float64
	}{
		{"separated", []float64{-1, 0.5, 2, 3}, []bool{false, false, true, true}, 1},
		{"upside down", []float64{-1, 0.5, 2, 3}, []bool{true, true, false, false}, 0},
		{"all tied", []float64{4, 4, 4}, []bool{true, false, true}, 0.5},
		{"one tie", []float64{0, 1, 1, 2}, []bool{false, true, false, true}, 0.875},
		{"zeros of either sign", []float64{0, math.Copysign(0, -1)}, []bool{true, false}, 0.5},
		{"infinite", []float64{math.Inf(1), 0}, []bool{true, false}, 1},
		{"one class", []float64{1, 2}, []bool{true, true}, math.NaN()},
		{"none", nil, nil, math.NaN()},
	} {
		if got := AUC(c.decisions, c.positive); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestAUCIgnoresOrderAndMonotoneMaps(t *testing.T) {
	const seed = 8
	r := rand.New(rand.NewPCG(seed, 0))
	decisions, positive := make([]float64, 101), make([]bool, 101)
	for i := range decisions {
		decisions[i], positive[i] = r.NormFloat64(), i%3 == 0
	}
	want := AUC(decisions, positive)
	r.Shuffle(len(decisions), func(i, j int) {
		decisions[i], decisions[j] = decisions[j], decisions[i]
		positive[i], positive[j] = positive[j], positive[i]
	})
	for i := range decisions {
		decisions[i] = math.Exp(decisions[i])
	}
	if got := AUC(decisions, positive); got != want {
		t.Errorf("seed %d: %v, was %v", seed, got, want)
	}
}

func TestAccuracy(t *testing.T) {
	if got := Accuracy([]string{"a", "b", "b", "a"}, []string{"a", "b", "a", "a"}); got != 0.75 {
		t.Errorf("%v, want 0.75", got)
	}
	if got := Accuracy[string](nil, nil); !math.IsNaN(got) {
		t.Errorf("of nothing: %v, want NaN", got)
	}
}

// TestAveragePrecisionMatchesDefinition: sum over thresholds of (recall gained) times precision.
func TestAveragePrecisionMatchesDefinition(t *testing.T) {
	const seed = 9
	r := rand.New(rand.NewPCG(seed, 0))
	for trial := range 300 {
		n := 1 + r.IntN(60)
		levels := 1 + r.IntN(12)
		decisions, positive := make([]float64, n), make([]bool, n)
		all := 0.0
		for i := range n {
			decisions[i], positive[i] = float64(r.IntN(levels)), r.IntN(3) == 0
			if positive[i] {
				all++
			}
		}
		want, recall := 0.0, 0.0
		for level := levels - 1; level >= 0; level-- {
			taken, hits := 0.0, 0.0
			for i, d := range decisions {
				if d >= float64(level) {
					taken++
					if positive[i] {
						hits++
					}
				}
			}
			if taken > 0 {
				want += (hits/all - recall) * hits / taken
				recall = hits / all
			}
		}
		got := AveragePrecision(decisions, positive)
		if math.IsNaN(want) != math.IsNaN(got) || math.Abs(got-want) > 1e-12 {
			t.Fatalf("seed %d, trial %d: %v, by definition %v", seed, trial, got, want)
		}
	}
}

func TestAveragePrecisionKnown(t *testing.T) {
	for _, c := range []struct {
		name      string
		decisions []float64
		positive  []bool
		want      float64
	}{
		{"separated", []float64{-1, 0.5, 2, 3}, []bool{false, false, true, true}, 1},
		{"upside down", []float64{-1, 0.5, 2, 3}, []bool{true, true, false, false}, (1.0/3 + 2.0/4) / 2},
		{"all tied", []float64{4, 4, 4}, []bool{true, false, true}, 2.0 / 3},
		{"none", []float64{1}, []bool{false}, math.NaN()},
	} {
		if got := AveragePrecision(c.decisions, c.positive); math.Abs(got-c.want) > 1e-15 || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
