package families

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/evaluate"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// rankedRows are 30 rows in three groups, or with times if timed, by a formula that another program can follow to the bit.
func rankedRows(timed bool) []dataset.Row {
	round := func(x float64) float64 { return math.Floor(1024*x+0.5) / 1024 }
	rows := make([]dataset.Row, 30)
	for i := range rows {
		x := float64(i)
		v := []float64{round(math.Sin(3 * x)), round(math.Cos(5 * x)), round(math.Sin(7*x + 1))}
		rows[i] = dataset.Row{Index: []int32{0, 1, 2}, Value: v, Label: strconv.Itoa(i % 3), Target: float64(i * i % 4)}
		if timed {
			rows[i].Label, rows[i].Target = "", round(math.Exp(2*v[0]+v[1]))
			if i%3 == 1 {
				rows[i].Target *= -1
			}
		}
	}
	return rows
}

// TestRankingOptima compares with optima of cvxopt, to ten digits: a quadratic program at p = 2, and a second-order cone program at p = 1, over
// all pairs.
func TestRankingOptima(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		timed          bool
		cost, p, value float64
	}{} {
		rows := rankedRows(c.timed)
		o := bigmkl.Options{Task: bigmkl.TaskRank, Kernels: "gauss:0.5,linear", Normalize: "none", Scale: "none", C: c.cost, Norm: c.p, Gap: 1e-9, Threads: 1}
		if c.timed {
			o.Task, o.Survival = bigmkl.TaskSurvival, bigmkl.SurvivalRanking
		}
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		if math.Abs(m.Certificate.Dual-c.value) > 1e-7*c.value {
			t.Errorf("timed %v, C = %g, p = %g: dual value %.10f, want %.10f", c.timed, c.cost, c.p, m.Certificate.Dual, c.value)
		}
	}
}

// TestRankingOrder: rows of an order that a function of them gives are ordered by it, in groups whose levels differ and are never compared.
func TestRankingOrder(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 61)
	rows := make([]dataset.Row, 240)
	for i := range rows {
		x := []float64{rng.NormFloat64(), rng.NormFloat64()}
		group := i % 12
		rows[i] = dataset.Row{Index: []int32{0, 1}, Value: x, Label: strconv.Itoa(group), Target: math.Floor(3*math.Exp(x[0])) + float64(100*group)}
	}
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskRank, Kernels: "gauss:auto,linear", C: 100})
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	var scores, relevance []float64
	var groups []int32
	for i, p := range bigmkltest.Predictions(t, m, rows) {
		scores, relevance, groups = append(scores, p.Decision), append(relevance, rows[i].Target), append(groups, int32(i%12))
	}
	if f := evaluate.Ranking(scores, relevance, groups); f.NDCG != 1 || f.MAP != 1 || f.Kendall < 0.9 {
		t.Errorf("figures %+v", f)
	}
	// Other names and another order of the groups change nothing but the order of sums.
	other := slices.Clone(rows)
	for i := range other {
		other[i].Label = "q" + strconv.Itoa(50-i%12)
	}
	n, _ := bigmkltest.Converge(t, datasettest.Stream(other), bigmkl.Options{Task: bigmkl.TaskRank, Kernels: "gauss:auto,linear", C: 100})
	if math.Abs(n.Certificate.Dual-m.Certificate.Dual) > 2e-3*m.Certificate.Dual {
		t.Errorf("dual values %g and %g", n.Certificate.Dual, m.Certificate.Dual)
	}
}
