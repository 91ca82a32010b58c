package command

import (
	"fmt"
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/model"
)

const (
	// farDeviations is the number of standard deviations from the mean of the training from which on a
	// value is far. A hundredth of the training's values at most are that far (Chebyshev).
	farDeviations = 10
	// farTimes is by how much a value exceeds the largest of the training if there are no deviations.
	farTimes = 2
	// farShare is the share of far values from which on rows are warned of. Real data have single
	// values that are far out.
	farShare = 0.05
	// fewestTested is the number of rows below which nothing is said: single rows may be odd.
	fewestTested = 10
	// vectorsSeen is the number of support vectors that show the range of features without scaling.
	// More vectors hardly move the largest value, and cost time before the first prediction.
	vectorsSeen = 1000
)

// rangedSource counts the values of rows to predict that are far from all that the training had. Zeros
// that rows leave out do not count. The warning exists because a forgotten scaling (grams for
// kilograms, pixels of 0 to 255 for 0 to 1) gives predictions without any error: Gaussian kernels of
// far rows are 0, and every row gets the same class.
type rangedSource struct {
	dataset.Source
	scaling *dataset.Scaling
	most    float64 // largest absolute value of the training, scaled; 0 with deviations or ranges
	rows    int
	values  int64
	far     int64
}

// compareRanges returns a source that compares the rows of src with the figures that a model has of its
// training: means and deviations, or ranges, from the scaling, and else the largest value of its support
// vectors. For letters, and where the vectors are not the features of the rows, it returns src and nil.
func compareRanges(m *model.Model, src dataset.Source) (dataset.Source, *rangedSource) {
	// Letters have no size, and vectors of a projection are not in the features of the rows.
	if m.Sequences != dataset.Numbers || m.Occurring != nil || m.Family.Projection() != nil {
		return src, nil
	}
	s := &rangedSource{Source: src, scaling: &m.Scaling}
	switch m.Scaling.Kind {
	case dataset.ScaleGlobal:
		// The largest absolute value is 1 after this scaling.
		s.most = 1
	case dataset.ScaleNone, "":
		err := m.Guard(func() error {
			for k := range min(len(m.Support), vectorsSeen) {
				m.Each(k, func(_ int, x float32) { s.most = max(s.most, math.Abs(float64(x))) })
			}
			return nil
		})
		if err != nil || s.most == 0 { // The prediction meets a file that was cut short, too, and reports it.
			return src, nil
		}
	}
	return s, s
}

// Next returns the next row.
func (s *rangedSource) Next() (dataset.Row, error) {
	r, err := s.Source.Next()
	if err != nil || len(r.Index) != len(r.Value) {
		return r, err // Others reject a row of odd lengths.
	}
	s.rows++
	for i, j := range r.Index {
		if far, known := s.isFar(int(j), r.Value[i]); known {
			s.values++
			if far {
				s.far++
			}
		}
	}
	return r, nil
}

// isFar reports whether a value is far, and whether the training has a range of its feature.
// Constant features have no range, and features that ScaleAuto leaves as they are have no
// deviation.
func (s *rangedSource) isFar(j int, x float64) (far, known bool) {
	c := s.scaling
	if s.most > 0 {
		if len(c.Factor) > 0 {
			x *= c.Factor[0]
		}
		return math.Abs(x) > farTimes*s.most, true
	}
	if j < 0 || j >= len(c.Offset) || c.Factor[j] == 0 || c.Offset[j] == 0 && c.Factor[j] == 1 {
		return false, false
	}
	// z counts deviations from the mean, or lies in [0, 1] for a range.
	z := (x - c.Offset[j]) * c.Factor[j]
	if c.Kind == dataset.ScaleMinMax {
		return z < 1-farTimes || z > farTimes, true // Farther out than the range is wide.
	}
	return math.Abs(z) > farDeviations, true
}

// warning reports if many values were far. The source may be nil.
func (s *rangedSource) warning() string {
	if s == nil || s.rows < fewestTested || float64(s.far) < farShare*float64(s.values) || s.far == 0 {
		return ""
	}
	// self reminds that the rows must not be scaled beforehand.
	what, self := fmt.Sprintf("more than %d deviations from the mean", farDeviations), ", which the model scales itself"
	switch {
	case s.most > 0:
		if s.scaling.Kind != dataset.ScaleGlobal {
			self = ""
		}
		what = fmt.Sprintf("more than %d times the largest", farTimes)
	case s.scaling.Kind == dataset.ScaleMinMax:
		what = "outside of the range by more than its width"
	}
	return fmt.Sprintf("%.0f %% of the values of these rows are far from those of the training (%s): give them in the "+
		"units of the training rows%s", 100*float64(s.far)/float64(s.values), what, self)
}
