package dataset

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// sampledRows is the number of rows of a sample, and sampledValues bounds its values, which bounds its memory
	// by 12 MiB: rows of many features are fewer.
	sampledRows   = 1000
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
	// index and value are the values other than zero of the rows, one row after the other.
	index []int32
	value []float64
}

// newRowSample returns the sample of n rows of d features, before its pass.
func newRowSample(n, d int) *rowSample {
	rows := min(n, sampledRows, max(sampledValues/max(d, 1), leastSampled))
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

// winsorised returns the variances of some features, which ascend. Values below the first hundredth and above the last one count
// like those there.
func (s *rowSample) winsorised(features []int32) []float64 {
	columns := make([][]float64, len(features))
	for i, j := range s.index {
		if k, ok := slices.BinarySearch(features, j); ok {
			columns[k] = append(columns[k], s.value[i])
		}
	}
	variances := make([]float64, len(features))
	for k, column := range columns {
		variances[k] = winsorisedVariance(column, s.rows-len(column))
	}
	return variances
}

// winsorisedVariance is that of values, which it sorts and changes, and of as many zeros.
func winsorisedVariance(values []float64, zeros int) float64 {
	n := len(values) + zeros
	if n == 0 {
		return 0
	}
	slices.Sort(values)
	// at returns the i-th of all values, with the zeros in their place.
	negative, _ := slices.BinarySearch(values, 0)
	at := func(i int) float64 {
		switch {
		case i < negative:
			return values[i]
		case i < negative+zeros:
			return 0
		default:
			return values[i-zeros]
		}
	}
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
