package evaluate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNDCG compares with sums by hand, and with the mean over all orders of equal scores.
func TestNDCG(t *testing.T) {
	near := func(what string, got, want float64) {
		if !(math.Abs(got-want) < 1e-14) {
			t.Errorf("%s: %.17g, want %.17g", what, got, want)
		}
	}
	// Gains 3, 7 and 0 in this order.
	got := NDCG([]float64{3, 2, 1}, []float64{2, 3, 0}, 3)
	near("two in the wrong order", got, (3+7/math.Log2(3))/(7+3/math.Log2(3)))
	near("the first alone", NDCG([]float64{3, 2, 1}, []float64{2, 3, 0}, 1), 3./7)
	near("a tie", NDCG([]float64{1, 1, 0}, []float64{2, 3, 0}, 3), (5+5/math.Log2(3))/(7+3/math.Log2(3)))
	near("in order", NDCG([]float64{5, 4, 1}, []float64{900, 700, 0}, 3), 1)
	if !math.IsNaN(NDCG([]float64{1, 2}, []float64{0, 0}, 2)) {
		t.Error("NDCG without a relevance above 0")
	}
}

// TestKendall compares with the definition over all pairs.
func TestKendall(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 2 + rng.IntN(20)
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(rng.IntN(6)), float64(rng.IntN(4)-1)
		}
		sum, byX, byY := 0.0, 0.0, 0.0
		sign := func(v float64) float64 {
			if v == 0 {
				return 0
			}
			return math.Copysign(1, v)
		}
		for i := range x {
			for j := range i {
				a, b := sign(x[i]-x[j]), sign(y[i]-y[j])
				sum, byX, byY = sum+a*b, byX+a*a, byY+b*b
			}
		}
		got := Kendall(x, y)
		switch {
		case byY == 0:
			if !math.IsNaN(got) {
				t.Errorf("seed %d: %g of equal numbers", seed, got)
			}
		case byX == 0 && got != 0, byX > 0 && math.Abs(got-sum/math.Sqrt(byX*byY)) > 1e-12:
			t.Errorf("seed %d: %g, want %g", seed, got, sum/math.Sqrt(byX*byY))
		}
	}
}

// TestRankingGroups: figures are means over groups, whatever the order of the rows, and groups without a figure do not count.
func TestRankingGroups(t *testing.T) {
	scores, relevance := []float64{2, 1, 1, 2, 5, 6}, []float64{1, 0, 1, 0, 0, 0}
	group := []int32{4, 4, 0, 0, 2, 2}
	got := Ranking(scores, relevance, group)
	want := RankingFigures{NDCG: (1 + 1/math.Log2(3)) / 2, NDCG10: (1 + 1/math.Log2(3)) / 2, MAP: 0.75, Kendall: 0}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	order := []int{5, 2, 0, 3, 4, 1}
	var s, r []float64
	var g []int32
	for _, i := range order {
		s, r, g = append(s, scores[i]), append(r, relevance[i]), append(g, group[i])
	}
	if other := Ranking(s, r, g); other != got {
		t.Errorf("%+v in another order", other)
	}
	if f := Ranking(nil, nil, nil); !math.IsNaN(f.NDCG) || !math.IsNaN(f.Kendall) {
		t.Errorf("%+v of no rows", f)
	}
	if !slices.Equal(group, []int32{4, 4, 0, 0, 2, 2}) {
		t.Error("the groups have changed")
	}
}
