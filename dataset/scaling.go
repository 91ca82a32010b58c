package dataset

import (
	"math"

	"bigmkl/internal/fail"
)

// The kinds of scaling.
const (
	ScaleNone     = "none"     // values as they are
	ScaleMinMax   = "minmax"   // each feature to [0, 1]
	ScaleStandard = "standard" // each feature to mean 0 and standard deviation 1, with n in the denominator
	ScaleGlobal   = "global"   // all features by one factor, so that the largest absolute value is 1
)

// Scaling maps a raw value of feature j to (value - Offset[j]) * Factor[j], in float64 and then rounded to float32.
// Features that a row leaves out are zeros like any other and are scaled too. A feature that is constant in the training
// rows has Factor 0 (minmax, standard).
//
// Kind none has neither slice, global one Factor for all features and no Offset, the others one of each per feature.
type Scaling struct {
	Kind   string    `json:"kind"`
	Factor []float64 `json:"factor,omitempty"`
	Offset []float64 `json:"offset,omitempty"`
}

// ParseScale returns the kind that s names; "" is none.
func ParseScale(s string) (string, error) {
	switch s {
	case "":
		return ScaleNone, nil
	case ScaleNone, ScaleMinMax, ScaleStandard, ScaleGlobal:
		return s, nil
	}
	return "", fail.New(fail.Usage, "unknown scaling %s", fail.Quote(s)).WithHint("none, minmax, standard or global")
}

// Validate checks that s is complete and finite for d features; a fault is fail.Corrupt, since it came from a file.
func (s *Scaling) Validate(d int) error {
	kind, err := ParseScale(s.Kind)
	if err != nil {
		return fail.New(fail.Corrupt, "unknown scaling %s", clip(s.Kind))
	}
	factors, offsets := d, d
	switch kind {
	case ScaleNone:
		factors, offsets = 0, 0
	case ScaleGlobal:
		factors, offsets = 1, 0
	}
	if len(s.Factor) != factors || len(s.Offset) != offsets {
		return fail.New(fail.Corrupt, "scaling %s of %d features has %d factors and %d offsets", kind, d, len(s.Factor), len(s.Offset))
	}
	for _, list := range [...][]float64{s.Factor, s.Offset} {
		for j, x := range list {
			if !finite(x) {
				return fail.New(fail.Corrupt, "scaling %s of feature %d is %v", kind, j+1, x)
			}
		}
	}
	return nil
}

// Dense writes the scaled row to dst, whose length is the number of features. A feature beyond it, or a value that is not
// finite as a float32, is fail.Input.
func (s *Scaling) Dense(r Row, dst []float32) error {
	if len(r.Index) != len(r.Value) {
		return r.fault("%d indices but %d values", len(r.Index), len(r.Value))
	}
	if len(s.Offset) == 0 {
		clear(dst)
	} else {
		for j := range dst {
			dst[j] = s.zero(j)
		}
	}
	for i, j := range r.Index {
		if uint64(j) >= uint64(len(dst)) { // a negative index is a huge one here
			return r.fault("feature %d, but there are only %d", int64(j)+1, len(dst))
		}
		v, ok := s.apply(int(j), r.Value[i])
		if !ok {
			return s.overflow(&r, i)
		}
		dst[j] = v
	}
	return nil
}

// Sparse appends the features of the scaled row that are not zero, of d in all, to index and value; they are those of Dense.
func (s *Scaling) Sparse(r Row, d int, index []int32, value []float32) ([]int32, []float32, error) {
	if err := r.check(); err != nil {
		return index, value, err
	}
	filled := 0 // where features that the row leaves out may not be zero
	fill := func(to int) {
		for ; len(s.Offset) > 0 && filled < to; filled++ {
			if z := s.zero(filled); z != 0 {
				index, value = append(index, int32(filled)), append(value, z)
			}
		}
		filled = to + 1
	}
	for i, j := range r.Index {
		if int(j) >= d {
			return index, value, r.fault("feature %d, but there are only %d", int64(j)+1, d)
		}
		v, ok := s.apply(int(j), r.Value[i])
		if !ok {
			return index, value, s.overflow(&r, i)
		}
		if fill(int(j)); v != 0 {
			index, value = append(index, j), append(value, v)
		}
	}
	fill(d)
	return index, value, nil
}

// apply scales one value; ok is false if the result is not finite. Minus zero becomes zero, so that a zero that was
// written and one that was left out have the same bits.
func (s *Scaling) apply(j int, value float64) (v float32, ok bool) {
	switch {
	case len(s.Offset) != 0:
		value = (value - s.Offset[j]) * s.Factor[j]
	case len(s.Factor) != 0:
		value *= s.Factor[0]
	}
	v = float32(value)
	if v == 0 {
		v = 0
	}
	return v, v-v == 0
}

// zero is the scaled value of feature j where a row leaves it out.
func (s *Scaling) zero(j int) float32 {
	v, _ := s.apply(j, 0)
	return v
}

func (s *Scaling) overflow(r *Row, i int) error {
	return r.fault("value %g of feature %d is too large for a float32 after scaling", r.Value[i], int64(r.Index[i])+1).
		WithHint("scale the features")
}

// learner gathers what a scaling needs to know about the training rows. The zeros that rows leave out are counted in at
// the end, by their number. Conversions of products to float64 keep compilers from fusing them with a sum, which would
// give other bits, and so another fingerprint, on other processors.
type learner struct {
	kind  string
	count []int32   // non-zeros (and written zeros) of each feature
	a, b  []float64 // minmax: least and greatest value; standard: mean and sum of squared deviations
	most  float64   // global: greatest absolute value
}

func newLearner(kind string, d int) *learner {
	l := &learner{kind: kind}
	if kind == ScaleMinMax || kind == ScaleStandard {
		l.count, l.a, l.b = make([]int32, d), make([]float64, d), make([]float64, d)
	}
	return l
}

func (l *learner) add(index []int32, value []float64) {
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
			// Welford: the factor after the update makes the sum exact in exact arithmetic, and exactly 0 for a constant.
			l.b[j] += float64(delta * (value[i] - l.a[j]))
		}
	case ScaleGlobal:
		for _, v := range value {
			l.most = max(l.most, math.Abs(v))
		}
	}
}

// finish returns the scaling for n rows. The learner's arrays become the scaling's.
func (l *learner) finish(n int) (Scaling, error) {
	s := Scaling{Kind: l.kind}
	switch l.kind {
	case ScaleGlobal:
		// One factor and no offset keep zeros zero and leave the geometry alone.
		s.Factor = []float64{inverse(l.most)}
		if s.Factor[0] == 0 {
			s.Factor[0] = 1 // nothing but zeros: nothing to scale
		}
	case ScaleMinMax:
		s.Offset, s.Factor = l.a, l.b
		for j := range l.a {
			least, greatest := l.a[j], l.b[j]
			if int(l.count[j]) < n {
				least, greatest = min(least, 0), max(greatest, 0)
			}
			s.Offset[j], s.Factor[j] = least, inverse(greatest-least)
			if !finite(greatest - least) {
				return s, fail.New(fail.Input, "feature %d spans more than a float64 holds", j+1)
			}
		}
	case ScaleStandard:
		s.Offset, s.Factor = l.a, l.b
		for j := range l.a {
			c := float64(l.count[j])
			zeros := float64(n) - c
			mean := l.a[j] * (c / float64(n))
			// The zeros are a group of their own, of mean 0 and without deviations: Chan, Golub and LeVeque's merge.
			squares := l.b[j] + float64(l.a[j]*l.a[j]*(c*zeros/float64(n)))
			deviation := math.Sqrt(squares / float64(n))
			if !finite(mean) || !finite(deviation) {
				return s, fail.New(fail.Input, "the standard deviation of feature %d is beyond a float64", j+1)
			}
			s.Offset[j], s.Factor[j] = mean, inverse(deviation)
		}
	}
	return s, nil
}

// inverse is 1/x, and 0 where that is no number: a spread of zero, or one so small that its inverse overflows, is that of
// a constant feature.
func inverse(x float64) float64 {
	if y := 1 / x; finite(y) {
		return y
	}
	return 0
}
