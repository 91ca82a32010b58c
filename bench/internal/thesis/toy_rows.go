package thesis

import (
	"fmt"
	"math"

	"bigmkl/bench/internal/harness"
)

// The toy experiment of the thesis has two normal classes (Kloft 2011, section 5.2).
const (
	toyFeatures = 50
	// toyDistance is the distance rho of each mean from the origin. The Bayes error is the tail of
	// a normal distribution beyond it.
	toyDistance = 1.75
	// Fifty points in 50 dimensions are few, so the norm matters as a regulariser.
	toyTraining = 50
	// toyTesting is the number of test points, and also of the points that choose C.
	toyTesting = 1000
	toySeed    = 2011
)

// toyInformative lists the number of features with information in each scenario. The sparsest comes
// last, as in the thesis, whose minima of the bound at p = 1.14 and 1.25 belong to 1 and 4
// features.
var (
	toyInformative = []int{50, 28, 18, 9, 4, 1}
	toyNorms       = []string{"1", "4/3", "2", "4", "inf"}
)

// toyCosts returns 10^-4, 10^-3.5, .., 1, or every fourth of them in a quick form.
// The grid has nine values in steps of half a decade.
func toyCosts(quick bool) []float64 {
	step := 1
	if quick {
		step = 4
	}
	var c []float64
	for k := 0; k < 9; k += step {
		c = append(c, math.Pow(10, -4+float64(k)/2))
	}
	return c
}

// toyRow is a scenario, with the mean over the repetitions and its standard error for each norm.
// Each field is the mean of one norm, in the order of toyNorms.
type toyRow struct {
	Sparsity   string             `json:"sparsity" table:"features without information"`
	One        harness.MeanOfRuns `json:"p1" table:"p = 1"`
	FourThirds harness.MeanOfRuns `json:"p4/3" table:"p = 4/3"`
	Two        harness.MeanOfRuns `json:"p2" table:"p = 2"`
	Four       harness.MeanOfRuns `json:"p4" table:"p = 4"`
	Inf        harness.MeanOfRuns `json:"pinf" table:"p = inf"`
	Bound      string             `json:"bound,omitempty" table:"the bound is least at p"`
}

// newToyRow makes the row of a scenario from the repetitions of each norm.
func newToyRow(informative int, m [][]float64, text string) toyRow {
	var all [5]harness.MeanOfRuns
	for i, x := range m {
		all[i] = harness.MeanAndError(x, text)
	}
	return toyRow{sparsity(informative), all[0], all[1], all[2], all[3], all[4], ""}
}

// sparsity returns the percentage of features without information.
// 0 % means that every feature has information.
func sparsity(informative int) string {
	return fmt.Sprintf("%.0f %%", 100*(1-float64(informative)/toyFeatures))
}

// bayesError returns the percentage of points beyond the hyperplane between the two means. It is 100
// P(Z > rho) = 50 erfc(rho/sqrt 2) for a standard normal Z.
func bayesError() float64 { return 50 * math.Erfc(toyDistance/math.Sqrt2) }
