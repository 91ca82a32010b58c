package evaluate

import (
	"cmp"
	"math"
	"slices"
)

// RankingFigures are means over groups of rows, each over the groups for which it is defined, or NaN.
type RankingFigures struct {
	// NDCG is the normalised discounted cumulative gain, of the gains 2^relevance - 1 (Järvelin and Kekäläinen 2002; Burges et al.
	// 2005), over all rows of a group, and NDCG10 over the first ten. Both are undefined for groups of relevance 0 alone. Rows with equal
	// scores have the mean of their gains, which is what a random order gives on average (McSherry and Najork 2008).
	NDCG, NDCG10 float64
	// MAP is the mean average precision, where rows of a relevance above 0 are relevant. It is undefined for groups without both kinds.
	MAP float64
	// Kendall is tau-b of scores and relevances (Kendall 1945). It is undefined for groups of one relevance.
	Kendall float64
}

// tenth is the number of rows that NDCG10 looks at.
const tenth = 10

// Ranking returns the figures of scores, within groups that are given by numbers from 0.
func Ranking(scores, relevance []float64, group []int32) RankingFigures {
	rows := map[int32][]int32{}
	var order []int32
	for i, g := range group {
		if rows[g] == nil {
			order = append(order, g)
		}
		rows[g] = append(rows[g], int32(i))
	}
	var sums [4]mean
	for _, g := range order {
		s, y, relevant := make([]float64, len(rows[g])), make([]float64, len(rows[g])), make([]bool, len(rows[g]))
		for k, i := range rows[g] {
			s[k], y[k], relevant[k] = scores[i], relevance[i], relevance[i] > 0
		}
		sums[0].add(NDCG(s, y, len(s)))
		sums[1].add(NDCG(s, y, tenth))
		if slices.Contains(relevant, false) {
			sums[2].add(AveragePrecision(s, relevant))
		}
		sums[3].add(Kendall(s, y))
	}
	return RankingFigures{sums[0].value(), sums[1].value(), sums[2].value(), sums[3].value()}
}

// mean is the mean of numbers without those that are NaN.
type mean struct {
	sum   float64
	count int
}

func (m *mean) add(x float64) {
	if !math.IsNaN(x) {
		m.sum, m.count = m.sum+x, m.count+1
	}
}

func (m *mean) value() float64 { return m.sum / float64(m.count) }

// NDCG returns the normalised discounted cumulative gain over the first so many rows by their scores; see RankingFigures. It is NaN if no
// relevance is above 0.
func NDCG(scores, relevance []float64, first int) float64 {
	top := 0.0
	for _, y := range relevance {
		top = max(top, y)
	}
	// The ratio does not depend on a factor of the gains, which could be larger than any number.
	gain := func(i int32) float64 { return math.Exp2(relevance[i]-top) - math.Exp2(-top) }
	ideal := gained(relevance, gain, first)
	return min(gained(scores, gain, first), ideal) / ideal // which rounding may exceed
}

// gained returns the discounted cumulative gain of rows in the order of descending scores.
func gained(scores []float64, gain func(i int32) float64, first int) (sum float64) {
	order := make([]int32, len(scores))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) })
	for from := 0; from < min(first, len(order)); {
		to, gains, discounts := from, 0.0, 0.0
		for ; to < len(order) && scores[order[to]] == scores[order[from]]; to++ {
			gains += gain(order[to])
			if to < first {
				discounts += 1 / math.Log2(float64(to)+2)
			}
		}
		sum += gains / float64(to-from) * discounts
		from = to
	}
	return sum
}

// Kendall returns tau-b: the number of pairs in the same order less that in the opposite order, over the geometric mean of the numbers of
// pairs that differ in x and in y. It is 0 if all x are equal, and NaN if all y are.
func Kendall(x, y []float64) float64 {
	shift := 1 - slices.Min(append(slices.Clone(y), 0)) // Concordance takes numbers above 0.
	times := make([]float64, len(y))
	for i, v := range y {
		times[i] = v + shift
	}
	byX, byY := differing(x), differing(y)
	if byY == 0 {
		return math.NaN()
	}
	if byX == 0 {
		return 0
	}
	return (2*Concordance(x, times, nil, nil) - 1) * math.Sqrt(byY/byX)
}

// differing returns the number of pairs of different numbers.
func differing(x []float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	n := float64(len(sorted))
	pairs := n * (n - 1) / 2
	for from := 0; from < len(sorted); {
		to := from
		for to < len(sorted) && sorted[to] == sorted[from] {
			to++
		}
		pairs -= float64(to-from) * float64(to-from-1) / 2
		from = to
	}
	return pairs
}
