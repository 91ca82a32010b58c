package main

import (
	"fmt"
	"math"
)

// The toy experiment of the thesis has two normal classes (Kloft 2011, section 5.2).
const (
	toyFeatures = 50
	// toyDistance is the distance rho of each mean from the origin. The Bayes error is the tail of
	// a normal distribution beyond it.
	toyDistance = 1.75
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
type toyRow struct {
	Sparsity   string     `json:"sparsity" table:"features without information"`
	One        meanOfRuns `json:"p1" table:"p = 1"`
	FourThirds meanOfRuns `json:"p4/3" table:"p = 4/3"`
	Two        meanOfRuns `json:"p2" table:"p = 2"`
	Four       meanOfRuns `json:"p4" table:"p = 4"`
	Inf        meanOfRuns `json:"pinf" table:"p = inf"`
	Bound      string     `json:"bound,omitempty" table:"the bound is least at p"`
}

// newToyRow makes the row of a scenario from the repetitions of each norm.
func newToyRow(informative int, m [][]float64, text string) toyRow {
	var all [5]meanOfRuns
	for i, x := range m {
		all[i] = meanAndError(x, text)
	}
	return toyRow{sparsity(informative), all[0], all[1], all[2], all[3], all[4], ""}
}

// meanOfRuns is a mean of repetitions with its standard error.
type meanOfRuns struct {
	Mean  float64 `json:"mean"`
	Error float64 `json:"standard_error"`
	text  string
}

// String formats the mean and its error.
func (m meanOfRuns) String() string { return fmt.Sprintf(m.text, m.Mean, m.Error) }

// meanAndError computes the mean of x and its standard error.
func meanAndError(x []float64, text string) meanOfRuns {
	n, s, ss := float64(len(x)), 0.0, 0.0
	for _, v := range x {
		s += v / n
	}
	for _, v := range x {
		ss += (v - s) * (v - s)
	}
	return meanOfRuns{s, math.Sqrt(ss / max(n-1, 1) / n), text}
}

// sparsity returns the percentage of features without information.
func sparsity(informative int) string {
	return fmt.Sprintf("%.0f %%", 100*(1-float64(informative)/toyFeatures))
}

// bayesError returns the percentage of points beyond the hyperplane between the two means.
func bayesError() float64 { return 50 * math.Erfc(toyDistance/math.Sqrt2) }
