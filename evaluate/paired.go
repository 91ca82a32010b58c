package evaluate

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Tests of whether two methods differ, by their figures on the same rows.

// exactRanks is the largest number of differences for which the distribution of signed ranks is
// counted out.
const exactRanks = 50

// Wilcoxon returns the two-sided p-value of the signed-rank test (Wilcoxon 1945) that differences
// are distributed symmetrically around 0. Differences of 0 are left out, and equal ones share their
// ranks. For up to 50 differences without either the p-value is exact; otherwise it is that of the
// normal approximation, with the variance corrected for ties and without a correction for
// continuity. It is NaN if all are 0.
func Wilcoxon(differences []float64) float64 {
	var d []float64
	for _, x := range differences {
		if x != 0 {
			d = append(d, x)
		}
	}
	n := len(d)
	if n == 0 {
		return math.NaN()
	}
	slices.SortFunc(d, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	plus, ties := 0.0, 0.0
	for lo, hi := 0, 0; lo < n; lo = hi {
		for hi = lo; hi < n && math.Abs(d[hi]) == math.Abs(d[lo]); hi++ {
		}
		rank, count := float64(lo+hi+1)/2, float64(hi-lo)
		for _, x := range d[lo:hi] {
			if x > 0 {
				plus += rank
			}
		}
		ties += count*count*count - count
	}
	all := float64(n) * float64(n+1) / 2
	if n == len(differences) && ties == 0 && n <= exactRanks {
		return exactSignedRanks(n, int(math.Round(min(plus, all-plus))))
	}
	variance := float64(n)*float64(n+1)*float64(2*n+1)/24 - ties/48
	z := (plus - all/2) / math.Sqrt(variance)
	return math.Erfc(math.Abs(z) / math.Sqrt2)
}

// exactSignedRanks returns twice the probability, at most 1, that the ranks 1..n with random signs
// have a positive sum of at most so much.
func exactSignedRanks(n, most int) float64 {
	// count[s] is the number of sets of ranks with sum s. Up to 50 ranks it is exact in a float64.
	count := make([]float64, n*(n+1)/2+1)
	count[0] = 1
	for rank := 1; rank <= n; rank++ {
		for s := len(count) - 1; s >= rank; s-- {
			count[s] += count[s-rank]
		}
	}
	below := 0.0
	for _, c := range count[:most+1] {
		below += c
	}
	return min(1, math.Ldexp(2*below, -n))
}

// FiveByTwo returns the p-value of the combined 5x2cv F test (Alpaydin 1999) that two methods do as
// well as each other: differences holds those of their figures on both folds of each of five
// repetitions, one repetition after the other. It is NaN if both folds of each repetition have the
// same difference.
func FiveByTwo(differences [10]float64) float64 {
	squares, variance := 0.0, 0.0
	for k := 0; k < len(differences); k += 2 {
		a, b := differences[k], differences[k+1]
		mean := (a + b) / 2
		squares += a*a + b*b
		variance += (a-mean)*(a-mean) + (b-mean)*(b-mean)
	}
	if variance == 0 {
		return math.NaN()
	}
	f := squares / (2 * variance)
	return distuv.F{D1: 10, D2: 5}.Survival(f)
}
