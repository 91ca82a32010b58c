package dataset

import (
	"math"
	"slices"

	"bigmkl/internal/fail"
	"bigmkl/internal/float"
)

// These are the kinds of imputation: which value replaces one that a row lacks, which is NaN
// there.
const (
	// Rows with missing values are rejected.
	imputeNone = "none"
	// The median of the values of the training rows, in a sample of them if they are many.
	ImputeMedian = "median"
	// Their mean.
	imputeMean = "mean"
	// Zero.
	ImputeZero = "zero"
	// The median, and a feature of its own that is 1 in rows without the value. Tables have such features.
	ImputeIndicator = "indicator"
)

// Imputations lists the kinds of imputation.
var Imputations = []string{imputeNone, ImputeMedian, imputeMean, ImputeZero, ImputeIndicator}

// ParseImpute returns the kind of imputation of a name; "" represents none. An unknown name gives an error of class
// fail.Usage.
func ParseImpute(s string) (string, error) {
	if s == "" {
		return imputeNone, nil
	}
	if !slices.Contains(Imputations, s) {
		return "", fail.New(fail.Usage, "unknown imputation %s", fail.Quote(s)).
			WithHint("none, median, mean, zero or indicator")
	}
	return s, nil
}

// Imputes reports whether values may be missing under a kind of imputation.
func Imputes(kind string) bool { return kind != "" && kind != imputeNone }

// ImputeHint states what to do about a missing value in a training.
const ImputeHint = "--impute median, mean, zero or indicator fills it in; --missing is for views that rows lack"

// imputedRows bounds the rows whose median replaces a missing value, as far as their values fit into the
// sample. All rows count if they are fewer.
const imputedRows = 1 << 20

// imputer learns the replacement of the missing values of each feature, in one pass over n rows of d features.
// Only values that rows have count, zeros that they leave out among them.
type imputer struct {
	kind string
	n, d int
	// count and mean are of the values that are neither missing nor zero, and missing counts the others.
	count, missing []int32
	mean           []float64
	sample         *rowSample
}

func newImputer(kind string, n, d int) *imputer {
	m := &imputer{kind: kind, n: n, d: d}
	switch kind {
	case imputeMean:
		m.count, m.missing, m.mean = make([]int32, d), make([]int32, d), make([]float64, d)
	case ImputeMedian, ImputeIndicator:
		m.sample = newRowSample(n, d, imputedRows)
	}
	return m
}

func (m *imputer) add(index []int32, value []float64) {
	if m.sample != nil {
		m.sample.add(index, value)
	}
	if m.mean == nil {
		return
	}
	for i, j := range index {
		switch v := value[i]; {
		case math.IsNaN(v):
			m.missing[j]++
		case v != 0:
			m.count[j]++
			m.mean[j] += (v - m.mean[j]) / float64(m.count[j])
		}
	}
}

// finish returns the replacement of a missing value of each feature. It is 0 for one that no row
// has.
func (m *imputer) finish() ([]float64, error) {
	fill := make([]float64, m.d)
	switch {
	case m.sample != nil:
		features := make([]int32, m.d)
		for j := range features {
			features[j] = int32(j)
		}
		m.sample.eachColumn(features, func(k int, values []float64, zeros int) { fill[k] = median(values, zeros) })
	case m.mean != nil:
		for j := range fill {
			if present := m.n - int(m.missing[j]); present > 0 {
				fill[j] = m.mean[j] * (float64(m.count[j]) / float64(present))
			}
			if !float.Finite(fill[j]) {
				return nil, fail.New(fail.Input, "the mean of feature %d is beyond a float64", j+1)
			}
		}
	}
	return fill, nil
}

// median is the median of values and of as many zeros, 0 if there are none. It sorts the values.
func median(values []float64, zeros int) float64 {
	n := len(values) + zeros
	if n == 0 {
		return 0
	}
	at := sorted(values, zeros)
	return at((n-1)/2)/2 + at(n/2)/2
}
