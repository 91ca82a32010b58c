package dataset

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"bigmkl/internal/fail"
	"bigmkl/internal/float"
)

// These are the kinds of scaling.
const (
	// Values stay as they are.
	ScaleNone = "none"
	// Each feature is mapped to [0, 1].
	ScaleMinMax = "minmax"
	// Each feature gets mean 0 and standard deviation 1, with n in the denominator.
	ScaleStandard = "standard"
	// All features share one factor, so the largest absolute value is 1.
	ScaleGlobal = "global"
)

// Scaling maps a raw value of feature j to (value - Offset[j]) * Factor[j], in float64, and then
// rounds to float32. Features that a row leaves out are zeros like any other and are scaled too.
// With minmax and standard, a feature that is constant in the training rows has Factor 0.
//
// Kind none has neither slice. Kind global has one Factor for all features and no Offset. The other
// kinds have one of each for every feature.
//
// A raw value that is NaN is missing. Fill[j] replaces it before it is scaled. What is learned of a feature
// for its scaling is learned from the values that rows have.
type Scaling struct {
	Kind string `json:"kind"`
	// Choice states in words what ScaleAuto chose for each view, and why. It is empty if a kind was asked
	// for.
	Choice string    `json:"choice,omitempty"`
	Factor []float64 `json:"factor,omitempty"`
	Offset []float64 `json:"offset,omitempty"`
	// Impute is the kind of imputation that Fill comes from. It is empty, and Fill is nil, if no value may be missing.
	Impute string    `json:"impute,omitempty"`
	Fill   []float64 `json:"fill,omitempty"`
}

// Imputes reports whether rows may have missing values.
func (s *Scaling) Imputes() bool { return s.Impute != "" }

// Scales lists the names that ParseScale knows.
var Scales = []string{ScaleAuto, ScaleNone, ScaleMinMax, ScaleStandard, ScaleGlobal}

// ParseScale returns the kind of scaling of a name, which may be ScaleAuto; "" represents none. An
// unknown name gives an error of class fail.Usage.
func ParseScale(s string) (string, error) {
	switch {
	case s == "":
		return ScaleNone, nil
	case slices.Contains(Scales, s):
		return s, nil
	}
	return "", fail.New(fail.Usage, "unknown scaling %s", fail.Quote(s)).
		WithHint("auto, none, minmax, standard or global")
}

// mostChoice is the largest number of bytes of the words of a choice.
const mostChoice = 4096

// Validate checks that s is complete and finite for d features. A fault is of class fail.Corrupt,
// because a scaling that is not learned comes from a file.
func (s *Scaling) Validate(d int) error {
	kind, err := ParseScale(s.Kind)
	if err != nil || kind == ScaleAuto {
		return fail.New(fail.Corrupt, "unknown scaling %s", clip(s.Kind))
	}
	if len(s.Choice) > mostChoice || strings.ContainsFunc(s.Choice, unicode.IsControl) {
		return fail.New(fail.Corrupt, "the choice of the scaling is no line of text")
	}
	factors, offsets := d, d
	switch kind {
	case ScaleNone:
		factors, offsets = 0, 0
	case ScaleGlobal:
		factors, offsets = 1, 0
	}
	if len(s.Factor) != factors || len(s.Offset) != offsets {
		return fail.New(fail.Corrupt, "scaling %s of %d features has %d factors and %d offsets",
			kind, d, len(s.Factor), len(s.Offset))
	}
	switch impute, err := ParseImpute(s.Impute); {
	case err != nil || s.Impute == imputeNone:
		return fail.New(fail.Corrupt, "unknown imputation %s", clip(s.Impute))
	case impute == imputeNone && s.Fill != nil || impute != imputeNone && len(s.Fill) != d:
		return fail.New(fail.Corrupt, "imputation %s of %d features has %d values", clip(s.Impute), d, len(s.Fill))
	}
	for _, list := range [...][]float64{s.Factor, s.Offset, s.Fill} {
		for j, x := range list {
			if !float.Finite(x) {
				return fail.New(fail.Corrupt, "scaling %s of feature %d is %v", kind, j+1, x)
			}
		}
	}
	return nil
}

// Dense writes the scaled row to dst, whose length is the number of features. A feature beyond it,
// or a value that is not finite as a float32, gives an error of class fail.Input.
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
		if uint64(j) >= uint64(len(dst)) { // A negative index is a huge one here.
			return r.ExtraFeature(j, len(dst))
		}
		v, ok := s.apply(int(j), r.Value[i])
		if !ok {
			return s.overflow(&r, i)
		}
		dst[j] = v
	}
	return nil
}

// Sparse appends the features of the scaled row that are not zero to index, and their values to
// value. The row has d features in all. The values are the same as from Dense, and so are the
// errors.
func (s *Scaling) Sparse(r Row, d int, index []int32, value []float32) ([]int32, []float32, error) {
	if err := r.check(s.Imputes()); err != nil {
		return index, value, err
	}
	filled := 0 // Features below filled have been written, even those that the row leaves out.
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
			return index, value, r.ExtraFeature(j, d)
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

// apply scales one value. It returns ok = false if the result is not finite. It turns minus zero
// into zero, so a zero in the text and a zero left out have the same bits.
func (s *Scaling) apply(j int, value float64) (v float32, ok bool) {
	if math.IsNaN(value) {
		if s.Fill == nil {
			return 0, false
		}
		value = s.Fill[j]
	}
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
	return v, math.Abs(float64(v)) <= math.MaxFloat32
}

// Raw returns a value of feature j that is scaled to v. It returns ok = false if there is none: v did
// not come of this scaling.
func (s *Scaling) Raw(j int, v float32) (value float64, ok bool) {
	value = float64(v)
	switch {
	case len(s.Offset) != 0 && s.Factor[j] == 0:
		return s.Offset[j], v == 0
	case len(s.Offset) != 0:
		value = value/s.Factor[j] + s.Offset[j]
	case len(s.Factor) != 0:
		value /= s.Factor[0]
	}
	// Where v is small beside the offset, the quotient is off by some units in the last place.
	up, down := value, value
	for range 8 {
		for _, x := range []float64{up, down} {
			if got, fine := s.apply(j, x); fine && got == v {
				return x, true
			}
		}
		up, down = math.Nextafter(up, math.Inf(1)), math.Nextafter(down, math.Inf(-1))
	}
	return 0, false
}

// zero returns the scaled value of feature j in rows that leave it out.
func (s *Scaling) zero(j int) float32 {
	v, _ := s.apply(j, 0)
	return v
}

func (s *Scaling) overflow(r *Row, i int) error {
	if math.IsNaN(r.Value[i]) {
		return r.lacks(i)
	}
	return r.fault("value %g of feature %d is too large for a float32 after scaling", r.Value[i],
		int64(r.Index[i])+1).
		WithHint("scale the features")
}
