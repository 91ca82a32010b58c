package evaluate

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Tests of whether two methods differ, by their figures on several sets of data or on the halves of one.
// Figures of splits of one set are correlated, which Resampled corrects for.

// exactRanks is the largest number of differences for which the distribution of signed ranks is
// counted out.
const exactRanks = 50

// Wilcoxon returns the two-sided p-value of the signed-rank test (Wilcoxon 1945) that differences
// are distributed symmetrically around 0. Differences of 0 are left out, and equal ones share their
// ranks. For up to 50 differences without either the p-value is exact; otherwise it comes from the
// normal approximation, with the variance corrected for ties and without a correction for
// continuity. It is NaN if all are 0.
func Wilcoxon(differences []float64) float64 {
	r := rankSigns(differences)
	switch {
	case r.n == 0:
		return math.NaN()
	case r.exact:
		return min(1, 2*exactSignedRanks(r.n, int(math.Round(min(r.plus, r.all-r.plus)))))
	}
	return math.Erfc(math.Abs(r.z()) / math.Sqrt2)
}

// signedRanks is the sum of the ranks of positive differences, that of all, and what the test of it
// depends on.
type signedRanks struct {
	n               int // differences other than 0
	plus, all, ties float64
	exact           bool
}

// z is the sum of positive ranks in standard deviations from its mean.
func (r *signedRanks) z() float64 {
	n := float64(r.n)
	variance := n*(n+1)*(2*n+1)/24 - r.ties/48
	return (r.plus - r.all/2) / math.Sqrt(variance)
}

// rankSigns ranks differences.
func rankSigns(differences []float64) (r signedRanks) {
	var d []float64
	for _, x := range differences {
		if x != 0 {
			d = append(d, x)
		}
	}
	n := len(d)
	r.n, r.all = n, float64(n)*float64(n+1)/2
	slices.SortFunc(d, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	for lo, hi := 0, 0; lo < n; lo = hi {
		for hi = lo; hi < n && math.Abs(d[hi]) == math.Abs(d[lo]); hi++ {
		}
		rank, count := float64(lo+hi+1)/2, float64(hi-lo)
		for _, x := range d[lo:hi] {
			if x > 0 {
				r.plus += rank
			}
		}
		r.ties += count*count*count - count
	}
	r.exact = n == len(differences) && r.ties == 0 && n <= exactRanks
	return r
}

// exactSignedRanks returns the probability that the ranks 1..n with random signs have a positive sum of
// at most so much.
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
	return math.Ldexp(below, -n)
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
