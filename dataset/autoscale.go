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
// is 1 if all count alike in the distance, and 1/m if one decides it alone. Below mostUnequal the
// features are of different kinds and are standardised. Features of one kind, such as pixels, have a
// ratio above it: their variances say how much each tells, and stay. On 26 public sets that bound gains
// 25 points of accuracy at best and loses 1.2 at worst; see docs/BENCHMARKS.md, defaults.
//
// A feature of two values that are at most 2 apart, a flag, stays as it is also among features that are
// standardised: a rare flag would otherwise decide the distances of the rows that have it.
const ScaleAuto = "auto"

const (
	// mostUnequal is the participation ratio below which features are standardised.
	mostUnequal = 0.42
	// mostOfTwo is the number of features alike below which two are standardised, whose participation ratio
	// is never below 1/2: their deviations differ by a factor of three.
	mostOfTwo = 1.2
	// sparseFeatures is the share of the values other than zero below which features stay as they are:
	// counts of words and their like, which standardising would fill up.
	sparseFeatures = 0.1
	sparseChoice   = "none (sparse)"
	// flagSpan is the largest distance between the two values of a flag: 0 and 1, 1 and 2, -1 and +1.
	flagSpan = 2
	// namedViews is the number of views whose scaling is said in words.
	namedViews = 4
)

// autoLearner learns a standard scaling and what decides whether a view takes it. Zeros that a row
// gives count as zeros that it leaves out, so that a choice does not depend on the way a file is
// written.
type autoLearner struct {
	learner
	views     []View
	low, high []float64
	index     []int32
	value     []float64
}

func newAutoLearner(d, flags int, views []View) *autoLearner {
	return &autoLearner{learner: *newLearner(ScaleStandard, d, flags), views: views,
		low: make([]float64, d), high: make([]float64, d)}
}

func (l *autoLearner) add(index []int32, value []float64) {
	l.index, l.value = l.index[:0], l.value[:0]
	for i, j := range index {
		v := value[i]
		if v == 0 {
			continue
		}
		if l.count[j] == 0 {
			l.low[j], l.high[j] = v, v
		}
		l.low[j], l.high[j] = min(l.low[j], v), max(l.high[j], v)
		l.index, l.value = append(l.index, j), append(l.value, v)
	}
	l.learner.add(l.index, l.value)
}

// finish returns the scaling of n rows. It is of kind none if no feature is to be scaled.
func (l *autoLearner) finish(n int) (Scaling, error) {
	s, err := l.learner.finish(n)
	if err != nil {
		return s, err
	}
	none := Scaling{Kind: ScaleNone}
	var words []string
	scaled, count := false, 0
	free := newUnseen(len(s.Factor) - l.flags)
	each := func(name string, features []int32) {
		if len(features) == 0 {
			return
		}
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
	}
	for _, v := range l.views {
		name := ""
		if len(l.views) > 1 {
			name = fail.Label(v.Name) + " "
		}
		each(name, free.take(v.First-1, v.Last))
	}
	name := ""
	if count > 0 {
		name = "others "
	}
	each(name, free.take(0, len(s.Factor)))
	if count > namedViews {
		words = append(words, fmt.Sprintf("and %d more views", count-namedViews))
	}
	s.Choice = strings.Join(words, ", ")
	if none.Choice = s.Choice; !scaled {
		return none, nil
	}
	return s, nil
}

// choose decides about some features, and says why in words.
func (l *autoLearner) choose(s *Scaling, n int, features []int32) (standard bool, why string) {
	values, sum, squares, varying, numbers := 0.0, 0.0, 0.0, 0, 0
	most := 0.0 // Variances are divided by the largest, whose square may be beyond a float64.
	for _, j := range features {
		most = max(most, variance(s.Factor[j]))
	}
	for _, j := range features {
		values += float64(l.count[j])
		if v := variance(s.Factor[j]) / most; v > 0 {
			sum, squares = sum+v, squares+float64(v*v)
			varying++
			if !l.isFlag(s, n, j) {
				numbers++
			}
		}
	}
	alike := sum * sum / squares // NaN if nothing varies.
	switch {
	case values < sparseFeatures*float64(n)*float64(len(features)):
		return false, sparseChoice
	case varying == 0:
		return false, "none (constant)"
	case numbers == 0:
		return false, "none (two values each)"
	case varying == 1 || alike >= max(mostUnequal*float64(varying), mostOfTwo):
		return false, "none (" + describeAlike(varying, alike) + ")"
	}
	return true, "standard (" + describeAlike(varying, alike) + ")"
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
	return fmt.Sprintf("%d features that count like %s alike", varying, number)
}

// variance is the one of a feature with a factor of standard scaling.
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
	if int(l.count[j]) < n {
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
