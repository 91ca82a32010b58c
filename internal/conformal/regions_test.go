package conformal

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl/internal/model"
	"bigmkl/predict"
)

// TestNonconformity holds the nonconformity of classes to its definition, ties among them.
func TestNonconformity(t *testing.T) {
	t.Parallel()
	t.Log("seed 8")
	rng := rand.New(rand.NewPCG(8, 1))
	for range 300 {
		classes := 2 + rng.IntN(6)
		m := &model.Model{Task: model.TaskClass, Decomposition: model.Decomposition{Multiclass: model.OneVsRest}}
		p := &predict.Prediction{}
		for c := range classes {
			m.Classes = append(m.Classes, string(rune('a'+c)))
			m.Classifiers = append(m.Classifiers, model.Classifier{Positive: int32(c), Negative: model.Rest})
			p.Decisions = append(p.Decisions, float64(rng.IntN(4)))
		}
		var want []float64
		for c, own := range p.Decisions {
			others := slices.Delete(slices.Clone(p.Decisions), c, c+1)
			want = append(want, slices.Max(others)-own)
		}
		if got := nonconformity(m, p); !slices.Equal(got, want) {
			t.Fatalf("of %v: %v, want %v", p.Decisions, got, want)
		}
		score, class := Score(m, &predict.Prediction{Decisions: p.Decisions, Known: "b"}, m.Classes)
		if score != want[1] || class != 1 {
			t.Errorf("%g of class %d", score, class)
		}
		if score, class := Score(m, &predict.Prediction{Decisions: p.Decisions, Known: "z"}, m.Classes); !math.IsInf(score, 1) || class != -1 {
			t.Errorf("a class that the model lacks has %g, %d", score, class)
		}
	}
}

// TestExpected holds mean and deviation of the share of held rows to their simulation.
func TestExpected(t *testing.T) {
	t.Parallel()
	t.Log("seed 5")
	rng := rand.New(rand.NewPCG(5, 1))
	for _, of := range []struct{ scores, tests int }{{25, 54}, {140, 300}, {30, 5}} {
		const draws = 3000
		sum, squares := 0.0, 0.0
		for range draws {
			scores := make([]float64, of.scores)
			for i := range scores {
				scores[i] = rng.Float64()
			}
			slices.Sort(scores)
			threshold, held := Threshold(scores, 0, .8), 0.0
			for range of.tests {
				if rng.Float64() <= threshold {
					held += 1 / float64(of.tests)
				}
			}
			sum += held / draws
			squares += held * held / draws
		}
		mean, deviation := Expected(of.scores, of.tests, .8)
		found := math.Sqrt(squares - sum*sum)
		if math.Abs(sum-mean) > 4*deviation/math.Sqrt(draws) || math.Abs(found/deviation-1) > .08 {
			t.Errorf("%+v: %g and %g, expected %g and %g", of, sum, found, mean, deviation)
		}
	}
	if mean, deviation := Expected(8, 10, .9); mean != 1 || deviation != 0 {
		t.Errorf("too few scores hold %g", mean)
	}
}
