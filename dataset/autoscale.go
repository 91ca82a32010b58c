package dataset

import (
	"fmt"
	"math"
	"strings"

	"bigmkl/internal/fail"
)

// ScaleAuto chooses between standard and none, for each view, by the data alone. It is a kind for
// options: a Scaling has the kind that was chosen.
//
// A distance between rows sums the squared differences of features, whose expectations are twice the
// variances. The participation ratio of the variances v_j of m features that vary,
//
//	(sum v_j)^2 / (m sum v_j^2),
//
// is 1 if all count alike in the distance, and 1/m if one decides it alone. Below a bound the features are of
// different kinds and are standardised. Features of one kind, such as pixels, have a ratio above it: their variances
// are a measure of their information, and stay. The bound is mostUnequal, or mostUnequalSigns where some features
// have values of both signs and others do not, which no one kind has.
//
// The ratio has to be below the bound in most rows, too: artefacts of a sensor decide variances, but not most
// distances. That ratio is of variances of values that are cut at their first and last hundredth (winsorised). See
// docs/BENCHMARKS.md, Defaults, for what the bounds gain.
//
// A feature of two values that are at most 2 apart, a flag, stays as it is also among features that are
// standardised: a rare flag would otherwise decide the distances of the rows that have it.
const ScaleAuto = "auto"

const (
	// mostUnequal is the participation ratio below which features are standardised.
	mostUnequal = 0.42
	// mostUnequalSigns is the one where mixedSigns or more of the features have values of both signs, and as many
	// have not.
	mostUnequalSigns = 0.75
	mixedSigns       = 0.1
	// mostOfTwo is the number of features alike below which two are standardised, whose participation ratio
	// is never below 1/2: their deviations differ by a factor of three.
	mostOfTwo = 1.2
	// sparseFeatures is the share of the values other than zero below which features stay as they are:
	// counts of words and their like, which standardising would fill up. Flags, such as the words of a column of
	// a table, make no other features sparse.
	sparseFeatures = 0.1
	// manyFeatures is the number of features beyond which few values are told without a look at each feature.
	manyFeatures = 1 << 16
	sparseChoice = "none (sparse)"
	// flagSpan is the largest distance between the two values of a flag: 0 and 1, 1 and 2, -1 and +1.
	flagSpan = 2
	// namedViews is the number of views whose scaling is said in words.
	namedViews = 4
)

// autoLearner learns a standard scaling and what decides whether a view takes it. Zeros that a row
// gives count as zeros that it leaves out, so a choice does not depend on the way a file is
// written.
type autoLearner struct {
	learner
	views     []View
	low, high []float64

	// scaling is the scaling of the first pass over n rows.
	scaling Scaling
	err     error
	// sample is nil in the first pass. The second one draws it.
	sample *rowSample
}

func newAutoLearner(d, flags int, views []View, missing bool) *autoLearner {
	return &autoLearner{learner: *newLearner(ScaleStandard, d, flags, missing), views: views,
		low: make([]float64, d), high: make([]float64, d)}
}

func (l *autoLearner) add(index []int32, value []float64) {
	if l.sample != nil {
		l.sample.add(index, value)
		return
	}
	l.index, l.value = l.index[:0], l.value[:0]
	for i, j := range index {
		v := value[i]
		if v == 0 {
			continue
		}
		if math.IsNaN(v) {
			l.missing[j]++
			continue
		}
		if l.count[j] == 0 {
			l.low[j], l.high[j] = v, v
		}
		l.low[j], l.high[j] = min(l.low[j], v), max(l.high[j], v)
		l.index, l.value = append(l.index, j), append(l.value, v)
	}
	l.learner.addPresent(l.index, l.value)
}

// another asks for the second pass where variances alone would have a view standardised.
func (l *autoLearner) another(n int) bool {
	if l.sample != nil {
		return false
	}
	if l.scaling, l.err = l.learner.finish(n); l.err != nil {
		return false
	}
	wanted := false
	l.eachView(func(_ string, features []int32) {
		standard, _ := l.choose(&l.scaling, n, features)
		wanted = wanted || standard
	})
	if wanted {
		l.sample = newRowSample(n, len(l.scaling.Offset), comparedRows)
	}
	return wanted
}

// finish returns the scaling of n rows after the passes. It is of kind none if no feature is to be scaled.
func (l *autoLearner) finish(n int) (Scaling, error) {
	s := l.scaling
	if l.err != nil {
		return s, l.err
	}
	none := Scaling{Kind: ScaleNone}
	var words []string
	scaled, count := false, 0
	l.eachView(func(name string, features []int32) {
		standard, why := l.choose(&s, n, features)
		for _, j := range features {
			if !standard || l.isFlag(&s, n, j) {
				s.Offset[j], s.Factor[j] = 0, 1
			}
		}
		scaled = scaled || standard
		if count++; count <= namedViews {
			words = append(words, name+why)
		}
	})
	if count > namedViews {
		words = append(words, fmt.Sprintf("and %d more views", count-namedViews))
	}
	s.Choice = strings.Join(words, ", ")
	if none.Choice = s.Choice; !scaled {
		return none, nil
	}
	return s, nil
}

// eachView calls f for the features of each view that no view before has, and for the others.
func (l *autoLearner) eachView(f func(name string, features []int32)) {
	free, any := newUnseen(len(l.scaling.Factor)-l.flags), false
	for _, v := range l.views {
		name := ""
		if len(l.views) > 1 {
			name = fail.Label(v.Name) + " "
		}
		if features := free.take(v.First-1, v.Last); len(features) > 0 {
			any = true
			f(name, features)
		}
	}
	name := ""
	if any {
		name = "others "
	}
	if features := free.take(0, len(free)); len(features) > 0 {
		f(name, features)
	}
}

// choose decides about some features, and states why in words.
func (l *autoLearner) choose(s *Scaling, n int, features []int32) (standard bool, why string) {
	values, ofNumbers, numbers, signed := 0.0, 0.0, 0, 0
	variances := make([]float64, len(features))
	for k, j := range features {
		values += float64(l.count[j])
		if variances[k] = variance(s.Factor[j]); variances[k] > 0 && !l.isFlag(s, n, j) {
			numbers, ofNumbers = numbers+1, ofNumbers+float64(l.count[j])
			if l.low[j] < 0 && l.high[j] > 0 {
				signed++
			}
		}
	}
	varying, alike := CountAlike(variances)
	unequal := mostUnequal
	if rarer := min(signed, numbers-signed); float64(rarer) >= mixedSigns*float64(numbers) {
		unequal = mostUnequalSigns
	}
	bound := max(unequal*float64(varying), mostOfTwo)
	switch {
	case values < sparseFeatures*float64(n)*float64(len(features)) && ofNumbers <= sparseFeatures*float64(n)*float64(numbers):
		return false, sparseChoice
	case varying == 0:
		return false, "none (constant)"
	case numbers == 0:
		return false, "none (two values each)"
	case varying == 1 || alike >= bound:
		return false, "none (" + describeAlike(varying, alike) + ")"
	}
	if l.sample != nil {
		// A feature whose few other values the sample has not seen does not vary there, but is one of the features.
		if _, inMost := CountAlike(l.sample.winsorised(features)); inMost >= bound {
			return false, "none (" + describeAlike(varying, inMost) + " in most rows)"
		}
	}
	return true, "standard (" + describeAlike(varying, alike) + ")"
}

// CountAlike returns how many variances are not 0, and how many equal ones would share their sum as they do:
// (sum v)^2 / sum v^2, or 0 if all are 0.
func CountAlike(variances []float64) (varying int, alike float64) {
	most := 0.0 // Variances are divided by the largest, whose square may be beyond a float64.
	for _, v := range variances {
		most = max(most, v)
	}
	sum, squares := 0.0, 0.0
	for _, v := range variances {
		if v /= most; v > 0 {
			sum, squares = sum+v, squares+float64(v*v)
			varying++
		}
	}
	if varying == 0 {
		return 0, 0
	}
	return varying, sum * sum / squares
}

// describeAlike compares the number of features with that of features of equal variances.
func describeAlike(varying int, alike float64) string {
	if varying == 1 {
		return "1 feature"
	}
	number := fmt.Sprintf("%.2g", alike)
	if alike >= 10 {
		number = fmt.Sprintf("%.0f", alike)
	}
	return fmt.Sprintf("%d features, effective number %s", varying, number)
}

// variance is the variance of a feature with a factor of standard scaling.
func variance(factor float64) float64 {
	if factor == 0 {
		return 0
	}
	return 1 / float64(factor*factor)
}

// isFlag reports whether a feature has two values that are at most flagSpan apart. A variance is
// (mean - low) (high - mean) if low and high are all values, and less otherwise (Bhatia and Davis 2000).
func (l *autoLearner) isFlag(s *Scaling, n int, j int32) bool {
	low, high := l.low[j], l.high[j]
	if int(l.count[j]) < l.present(n, int(j)) {
		low, high = min(low, 0), max(high, 0)
	}
	if s.Factor[j] == 0 || high-low > flagSpan {
		return false
	}
	mean := s.Offset[j]
	bound := float64((mean - low) * (high - mean))
	return math.Abs(variance(s.Factor[j])-bound) <= 1e-9*bound
}

// unseen are the features that no view before has had, as views may overlap.
type unseen []bool

func newUnseen(d int) unseen { return make(unseen, d) }

// take returns the features from first to before last that were not taken yet.
func (u unseen) take(first, last int) (features []int32) {
	for j := first; j < min(last, len(u)); j++ {
		if !u[j] {
			u[j] = true
			features = append(features, int32(j))
		}
	}
	return features
}
