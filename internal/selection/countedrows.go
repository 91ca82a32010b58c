package selection

import (
	"math"
	"slices"

	"bigmkl/internal/evaluate"
)

// Figures such as accuracy count rows. Folds of few rows therefore often differ alike by chance: three folds of 134,
// 133 and 133 rows in each of which one row more is right differ by 0.0075 with hardly any spread, and a t test takes
// that for certain. What they are is three rows. Of rows that one of two combinations has right and the other wrong,
// b in favour of the first and c of the second, the difference is b - c, and its variance is b + c if both are as
// good (McNemar 1947). A fold whose difference is D rows has at least |D| of them, and a difference of 0 is taken for
// one of 1: folds which agree are not a proof either. That is a lower bound of the variance, which needs no
// predictions of single rows, and rarely above the corrected one: it takes a spread below that of chance.

// counted lists the figures that are shares of the rows of a fold, or of some of them.
var counted = map[string]bool{"accuracy": true, "subset_accuracy": true, sensitivity: true, specificity: true}

// tests has the numbers of rows that the folds test.
type tests struct {
	tested   []int // the number of rows of each fold; nil if it is not known
	distinct int   // the number of rows that are not the same
	// sides has the numbers of either class, the negative one first; nil if there are not two classes.
	sides []tests
}

// of returns the numbers of the rows that a figure counts. Sensitivity counts the rows of one class: of 1,000 rows
// with 20 positive ones, 20 decide how certain it is.
func (t *tests) of(measure string) *tests {
	side := slices.Index([]string{specificity, sensitivity}, measure)
	if side < 0 || t.sides == nil {
		return t
	}
	return &t.sides[side]
}

// resample describes differences of a figure in some of the folds, or in all if folds is nil. ratio is the ratio of
// tested rows to rows that are trained on. Their error is at least that of counts of rows where the figure is one.
func (t *tests) resample(measure string, ratio float64, differences []float64, folds []int) evaluate.Resampled {
	r := evaluate.Resample(differences, ratio)
	t = t.of(measure)
	if !counted[measure] || t.tested == nil || r.Count < 2 {
		return r
	}
	variance, rows := 0.0, 0.0
	for i, d := range differences {
		k := i
		if folds != nil {
			k = folds[i]
		}
		n := float64(t.tested[k])
		rows += n
		// A difference of D/n in a fold of n rows has at least the variance |D|/n^2.
		variance += max(math.Abs(d)*n, 1) / (n * n)
	}
	// Rows that are tested several times are no further rows.
	often := max(1, rows/float64(t.distinct))
	n := float64(r.Count)
	r.Error = max(r.Error, math.Sqrt(variance*often)/n)
	return r
}

// resample describes differences of the figure that is optimised.
func (s *Selection) resample(differences []float64, folds []int) evaluate.Resampled {
	return s.tests.resample(s.Measure, s.Ratio, differences, folds)
}

// Difference measures how much better the first of two cells is than the second, by the folds in which both have the
// figure that is optimised. It is for a selection that Run has returned, as a file does not hold the number of rows
// of each fold.
func (s *Selection) Difference(first, second int) evaluate.Resampled {
	var differences []float64
	var folds []int
	for k, x := range s.byFold[first] {
		y := s.byFold[second][k]
		if math.IsNaN(x) || math.IsNaN(y) {
			continue
		}
		if s.Smaller {
			x, y = y, x
		}
		differences, folds = append(differences, x-y), append(folds, k)
	}
	return s.resample(differences, folds)
}

// figure describes a figure in some of the folds. The error of one that counts rows is at least the binomial one of as many rows,
// of which one at least is wrong and one is right: folds that agree have no spread, which does not prove that no row
// will be wrong.
func (t *tests) figure(measure string, list []float64, ratio float64) Figure {
	f := figureOf(list, ratio)
	t = t.of(measure)
	if !counted[measure] || t.tested == nil || f.Folds < 2 {
		return f
	}
	// A fold without a row to count has no figure.
	rows, folds := 0.0, 0.0
	for _, n := range t.tested {
		rows, folds = rows+float64(n), folds+min(1, float64(n))
	}
	n := min(rows*float64(f.Folds)/folds, float64(t.distinct))
	wrong := min(max(min(f.Mean, 1-f.Mean), 1/n), 0.5)
	f.Error = max(f.Error, math.Sqrt(wrong*(1-wrong)/n))
	return f
}
