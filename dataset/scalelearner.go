package dataset

import (
	"errors"
	"io"
	"math"
	"slices"

	"bigmkl/internal/fail"
	"bigmkl/internal/float"
)

// learner gathers what a scaling needs to know about the training rows. The zeros that rows leave
// out are taken into account at the end, by their number. Products are converted to float64 before
// they are added, because a compiler may otherwise fuse the two operations, which would give other
// bits and another fingerprint on other processors.
type learner struct {
	kind string
	// count[j] is the number of rows that give feature j.
	count []int32
	// For minmax, a and b are the least and greatest values; for standard, mean and sum of squared
	// deviations.
	a, b []float64
	// most is the greatest absolute value, for global.
	most float64
	// flags is the number of the last features that are flags, which are not scaled; see Missing.
	// The first of them is firstFlag.
	flags     int
	firstFlag int32
	// missing[j] is the number of rows that lack feature j. It is nil if no value may be missing.
	missing []int32
	// index and value are what a row has beside missing values.
	index []int32
	value []float64
}

func newLearner(kind string, d, flags int, missing bool) *learner {
	l := &learner{kind: kind, flags: flags, firstFlag: int32(d - flags)}
	if missing {
		l.missing = make([]int32, d)
	}
	if kind == ScaleMinMax || kind == ScaleStandard {
		l.count, l.a, l.b = make([]int32, d), make([]float64, d), make([]float64, d)
	}
	return l
}

// present is the number of n rows that have a value of feature j, be it zero.
func (l *learner) present(n, j int) int {
	if l.missing == nil {
		return n
	}
	return n - int(l.missing[j])
}

func (l *learner) add(index []int32, value []float64) {
	if l.missing != nil && slices.ContainsFunc(value, math.IsNaN) {
		l.index, l.value = l.index[:0], l.value[:0]
		for i, j := range index {
			if math.IsNaN(value[i]) {
				l.missing[j]++
				continue
			}
			l.index, l.value = append(l.index, j), append(l.value, value[i])
		}
		index, value = l.index, l.value
	}
	l.addPresent(index, value)
}

// addPresent adds a row without missing values.
func (l *learner) addPresent(index []int32, value []float64) {
	if l.flags > 0 && l.kind == ScaleGlobal {
		// Flags share the factor of all features and do not enter it.
		n, _ := slices.BinarySearch(index, l.firstFlag)
		index, value = index[:n], value[:n]
	}
	switch l.kind {
	case ScaleMinMax:
		for i, j := range index {
			v := value[i]
			if l.count[j] == 0 {
				l.a[j], l.b[j] = v, v
			}
			l.count[j]++
			l.a[j], l.b[j] = min(l.a[j], v), max(l.b[j], v)
		}
	case ScaleStandard:
		for i, j := range index {
			l.count[j]++
			delta := value[i] - l.a[j]
			l.a[j] += delta / float64(l.count[j])
			// This is Welford's update. The factor after the update makes the sum correct in exact
			// arithmetic, and exactly 0 for a constant.
			l.b[j] += float64(delta * (value[i] - l.a[j]))
		}
	case ScaleGlobal:
		for _, v := range value {
			l.most = max(l.most, math.Abs(v))
		}
	}
}

// scaleLearner learns a scaling from rows.
type scaleLearner interface {
	add(index []int32, value []float64)
	// another reports, behind a pass over n rows, whether there has to be another one.
	another(n int) bool
	finish(n int) (Scaling, error)
}

// learnerOf returns the learner of a kind for d features, the last of which are flags. Values may be missing if
// that is said.
func learnerOf(kind string, d, flags int, views []View, missing bool) scaleLearner {
	if kind == ScaleAuto {
		return newAutoLearner(d, flags, views, missing)
	}
	return newLearner(kind, d, flags, missing)
}

// LearnScaling returns the scaling of that kind for rows that have d features in these views. Each source
// that open returns has all of them, and is read to its end.
func LearnScaling(open func() Source, kind string, d int, views []View) (*Scaling, error) {
	kind, err := ParseScale(kind)
	if err != nil {
		return nil, err
	}
	l := learnerOf(kind, d, 0, views, false)
	for {
		n, src := 0, open()
		for {
			r, err := src.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, err
			}
			l.add(r.Index, r.Value)
			n++
		}
		if !l.another(n) {
			s, err := l.finish(n)
			return &s, err
		}
	}
}

// another implements scaleLearner.
func (l *learner) another(int) bool { return false }

// finish returns the scaling for n rows. It hands over the arrays of the learner.
func (l *learner) finish(n int) (Scaling, error) {
	s, err := l.scaling(n)
	for j := len(s.Offset) - l.flags; len(s.Offset) > 0 && j < len(s.Offset); j++ {
		s.Offset[j], s.Factor[j] = 0, 1
	}
	return s, err
}

// scaling is finish as if flags were features like any other.
func (l *learner) scaling(n int) (Scaling, error) {
	s := Scaling{Kind: l.kind}
	switch l.kind {
	case ScaleGlobal:
		// One factor without an offset keeps zeros zero and leaves the geometry alone.
		s.Factor = []float64{inverse(l.most)}
		if s.Factor[0] == 0 {
			s.Factor[0] = 1 // All values are zero, so there is nothing to scale.
		}
	case ScaleMinMax:
		s.Offset, s.Factor = l.a, l.b
		for j := range l.a {
			least, greatest := l.a[j], l.b[j]
			if int(l.count[j]) < l.present(n, j) {
				least, greatest = min(least, 0), max(greatest, 0)
			}
			s.Offset[j], s.Factor[j] = least, inverse(greatest-least)
			if !float.Finite(greatest - least) {
				return s, fail.New(fail.Input, "feature %d spans more than a float64 holds", j+1)
			}
		}
	case ScaleStandard:
		s.Offset, s.Factor = l.a, l.b
		for j := range l.a {
			// A feature that no row has is constant.
			c, n := float64(l.count[j]), float64(max(1, l.present(n, j)))
			zeros := n - c
			mean := l.a[j] * (c / n)
			// The zeros form a group of mean 0 without deviations, which is merged by the formula
			// of Chan, Golub and LeVeque.
			squares := l.b[j] + float64(l.a[j]*l.a[j]*(c*zeros/n))
			deviation := math.Sqrt(squares / n)
			if !float.Finite(mean) || !float.Finite(deviation) {
				return s, fail.New(fail.Input,
					"the standard deviation of feature %d is beyond a float64", j+1)
			}
			s.Offset[j], s.Factor[j] = mean, inverse(deviation)
		}
	}
	return s, nil
}

// inverse returns 1/x, or 0 if that is not finite. A spread of zero, or one so small that its
// inverse overflows, is the spread of a constant feature.
func inverse(x float64) float64 {
	if y := 1 / x; float.Finite(y) {
		return y
	}
	return 0
}
