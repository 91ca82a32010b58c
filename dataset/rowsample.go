package dataset

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// comparedRows is the number of rows that decide about a scaling. sampledValues bounds the values of a sample,
	// which bounds its memory by 12 MiB: rows of many features are fewer.
	comparedRows  = 1000
	sampledValues = 1 << 20
	leastSampled  = 20
	// cutShare is the share of the values of a feature at each end that winsorising replaces.
	cutShare = 0.01
	// sampleSeed makes the sample one of the data alone.
	sampleSeed = 35
)

// rowSample are rows drawn from n in one pass, each set of rows with the same probability (algorithm S of
// Knuth, The Art of Computer Programming, 3.4.2). It depends on n and the order of the rows alone.
type rowSample struct {
	left, wanted int
	rng          *rand.Rand
	rows         int
	// index and value are the values other than zero of the rows, one row after the other. NaN is a missing one.
	index []int32
	value []float64
}

// newRowSample returns the sample of n rows of d features, before its pass. It has no more rows than most, and fewer
// of so many features that their values are too many.
func newRowSample(n, d, most int) *rowSample {
	rows := min(n, most, max(sampledValues/max(d, 1), leastSampled))
	return &rowSample{left: n, wanted: rows, rng: rand.New(rand.NewPCG(sampleSeed, uint64(n)))}
}

func (s *rowSample) add(index []int32, value []float64) {
	if s.left <= 0 {
		return
	}
	taken := s.rng.IntN(s.left) < s.wanted-s.rows
	if s.left--; !taken {
		return
	}
	s.rows++
	for i, j := range index {
		if value[i] != 0 {
			s.index, s.value = append(s.index, j), append(s.value, value[i])
		}
	}
}

// eachColumn calls f for some features, which ascend, with the values of the sample that are neither zero nor missing and
// the number of its zeros. f may change the values.
func (s *rowSample) eachColumn(features []int32, f func(k int, values []float64, zeros int)) {
	columns, missing := make([][]float64, len(features)), make([]int, len(features))
	for i, j := range s.index {
		k, ok := slices.BinarySearch(features, j)
		switch {
		case !ok:
		case math.IsNaN(s.value[i]):
			missing[k]++
		default:
			columns[k] = append(columns[k], s.value[i])
		}
	}
	for k, values := range columns {
		f(k, values, s.rows-len(values)-missing[k])
	}
}

// winsorised returns the variances of some features, which ascend. Values below the first hundredth and above the
// last one count like those there.
func (s *rowSample) winsorised(features []int32) []float64 {
	variances := make([]float64, len(features))
	s.eachColumn(features, func(k int, values []float64, zeros int) { variances[k] = winsorisedVariance(values, zeros) })
	return variances
}

// sorted sorts values other than zero, and returns the i-th of them and of as many zeros.
func sorted(values []float64, zeros int) func(i int) float64 {
	slices.Sort(values)
	negative, _ := slices.BinarySearch(values, 0)
	return func(i int) float64 {
		switch {
		case i < negative:
			return values[i]
		case i < negative+zeros:
			return 0
		default:
			return values[i-zeros]
		}
	}
}

// winsorisedVariance is the winsorised variance of values, which it sorts, and of as many zeros.
func winsorisedVariance(values []float64, zeros int) float64 {
	n := len(values) + zeros
	if n == 0 {
		return 0
	}
	at := sorted(values, zeros)
	cut := min(int(math.Ceil(cutShare*float64(n))), (n-1)/2)
	low, high := at(cut), at(n-1-cut)
	clipped := func(x float64) float64 { return min(max(x, low), high) }
	mean := float64(float64(zeros) * clipped(0))
	for _, x := range values {
		mean += clipped(x)
	}
	mean /= float64(n)
	ofZero := clipped(0) - mean
	sum := float64(float64(zeros) * float64(ofZero*ofZero))
	for _, x := range values {
		d := clipped(x) - mean
		sum += float64(d * d)
	}
	return sum / float64(n)
}
