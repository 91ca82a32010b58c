package selection

import (
	"fmt"
	"math"
	"slices"

	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/surface"
)

// A tuning follows the choice among the cells: it keeps the kernels, the norm and the cost of the
// best cell and looks for the importance of its kernels with the best figure over the folds. It
// measures few points, because it looks where a response surface through those before is best (package
// surface; Goenen 2010, section 2.7).
//
// With TuneCosts factor f has a regularisation parameter d_f, which enters the norm of d_f ||w_m||
// like a cost of its kernels (RMKL). With TuneWeights it is the fixed weight of the kernels of the
// factor (RWKL). The coordinate of the surface is its log10, and the first factor stays at 1, since a
// common factor does not choose among kernels.

// TuneKind is the quantity that a tuning changes.
type TuneKind string

// These are the kinds. The zero value tunes nothing.
const (
	TuneCosts   TuneKind = "cost"
	TuneWeights TuneKind = "weights"
)

// TuneKinds lists the kinds.
var TuneKinds = []TuneKind{TuneCosts, TuneWeights}

// MostFactors is the largest number of factors. Twelve take a design of 78 points.
const MostFactors = 12

// Tuning is the result of a tuning.
type Tuning struct {
	Kind TuneKind `json:"kind"`
	// Rows is the number of rows that trainings choose from before the rows of a fold are left
	// out.
	Rows int `json:"rows"`
	// Factors names the factors: groups of kernels, and kernels that are in none.
	Factors []string `json:"factors"`
	// Points are in the order in which they were measured. The first Design of them belong to the
	// design; the first one has ones alone.
	Points []TunedPoint `json:"points"`
	Design int          `json:"design"`
	// Settled is set if the surface has asked for a point that was measured before. Else the
	// tuning has ended after its last step.
	Settled bool `json:"settled"`
	// Best is the number of the point that is trained on all rows, the best one measured, of several
	// the last.
	Best int `json:"best"`
	// Surface is the fit through all points, of the figure where less is better, and of its negative
	// where more is.
	Surface *surface.Quadratic `json:"surface"`
	// Difference is by how much the best point is better than the first, in the direction of the
	// measure, fold by fold.
	Difference Figure `json:"difference"`
	// Kernels has a specification for each kernel of the model that is trained on all rows, and
	// Weights their weights where these are fixed.
	Kernels string    `json:"kernels"`
	Weights []float64 `json:"weights,omitempty"`
}

// TunedPoint is a point that was measured.
type TunedPoint struct {
	// Factors holds the regularisation parameter or the weight of each factor.
	Factors []float64 `json:"factors"`
	// Figure is the figure that is optimised, and Values has it for each fold.
	Figure Figure    `json:"figure"`
	Values []float64 `json:"values"`
	// Unconverged counts the trainings that ended above the gap, Iterations are the iterations of
	// all trainings.
	Unconverged int `json:"unconverged"`
	Iterations  int `json:"iterations"`
}

// tuneSettings has the settings that the figures of a tuning depend on, in addition to the settings of
// the selection.
type tuneSettings struct {
	Kind TuneKind `json:"kind"`
	Rows int      `json:"rows"`
}

// String names the tuning for people.
func (t *tuneSettings) String() string {
	switch {
	case t == nil:
		return "none"
	case t.Rows == 0:
		return string(t.Kind)
	}
	return fmt.Sprintf("%s on %d rows", t.Kind, t.Rows)
}

// validateTuning lists the faults of the options of a tuning.
func (o *Options) validateTuning(check func(ok bool, hint, format string, args ...any)) {
	check(o.TuneRows >= 0, "", "a tuning on %d rows", o.TuneRows)
	if o.Tune == "" {
		check(o.TuneRows == 0, "--tune cost", "rows of a tuning, and nothing is tuned")
		return
	}
	check(slices.Contains(TuneKinds, o.Tune), "cost or weights", "%s cannot be tuned",
		fail.Quote(string(o.Tune)))
	t := &o.Training
	check(t.Regularizer.Weights == nil && t.Regularizer.Rule == "", "leave one of them out",
		"fixed weights leave nothing to tune")
	check(t.Gating == "", "", "kernels with gates are not tuned")
	check(!o.Nested, "leave one of them out",
		"a nested selection estimates what a choice of cells achieves, and not what a tuning does")
	check(t.CostPower == 0, "leave the power out",
		"the tuning finds the costs of kernels, which leaves no power to them")
	for _, specs := range o.Banks {
		list, err := kernelspec.Split(specs)
		check(err != nil || !kernelspec.NamesCost(list), "leave cost= out, or the tuning",
			"cost= beside a tuning, which finds the costs of kernels")
	}
	if o.Tune == TuneWeights {
		check(len(o.Norms) == 1 && o.Norms[0] == plainSum && isBlockNorm(&t.Regularizer), "norm 2",
			"tuned weights are those of a weighted sum of kernels, with p = 2 and no other norm")
	}
}

// errorAt returns the value that the surface is fitted to for a mean figure. A smaller value is better.
func (s *Selection) errorAt(mean float64) float64 {
	if s.Smaller {
		return mean
	}
	return -mean
}

// importance returns the importance of each kernel at coordinates of the factors but the first, and
// the regularisation parameters or weights of the factors. The norm takes d ||w_m||, which is ||w_m||
// of the kernel divided by d^2. The importance is therefore 1/d^2.
func (k TuneKind) importance(of []int32, x []float64) (importance, factors []float64) {
	factors = []float64{1}
	for _, v := range x {
		factors = append(factors, math.Pow(10, v))
	}
	for _, f := range of {
		e := factors[f]
		if k == TuneCosts {
			e = 1 / (e * e)
		}
		importance = append(importance, e)
	}
	return importance, factors
}

// Sound reports whether a tuning that was read from a file has numbers that fit each other.
func (t *Tuning) Sound() bool {
	if len(t.Points) == 0 || t.Best < 0 || t.Best >= len(t.Points) || t.Surface == nil ||
		t.Design < 1 || t.Design > len(t.Points) || len(t.Factors) < 2 {
		return false
	}
	for _, p := range t.Points {
		if len(p.Factors) != len(t.Factors) {
			return false
		}
	}
	return true
}
