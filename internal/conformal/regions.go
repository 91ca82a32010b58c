package conformal

import (
	"math"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// Regions makes the intervals or sets of a model at one coverage.
type Regions struct {
	model      *model.Model
	coverage   float64
	classes    []string
	thresholds []float64 // one of all, or one of each class
}

// New returns the regions of a model at a coverage in (0, 1). It is of class fail.Usage if the model has no scores, or if the
// coverage is none.
func New(m *model.Model, coverage float64) (*Regions, error) {
	if !(coverage > 0 && coverage < 1) {
		return nil, fail.New(fail.Usage, "a coverage of %g is not in (0, 1)", coverage)
	}
	if m.Labeling() == dataset.Times {
		return nil, fail.New(fail.Usage, "task %s has no intervals: the times of censored rows are not known", m.Task).WithHint("--survival-at T,.. has survival curves")
	}
	c := m.Conformal
	if c == nil {
		return nil, fail.New(fail.Usage, "the model has no calibration scores").WithHint("train --conformal")
	}
	if c.Len() == 0 {
		return nil, fail.New(fail.Usage, "the model has no calibration scores, as its training was interrupted").WithHint("train it again")
	}
	r := &Regions{model: m, coverage: coverage, classes: m.ClassNames()}
	for scores, unbounded := range c.Lists() {
		r.thresholds = append(r.thresholds, Threshold(scores, unbounded, coverage))
	}
	return r, nil
}

// Threshold returns the ceil((n+1) coverage)-th smallest of n scores: the scores of a list, which ascend, and some above every number. It is
// infinite if there are too few.
func Threshold(scores []float64, unbounded int, coverage float64) float64 {
	k := rank(len(scores)+unbounded, coverage)
	if k > len(scores) {
		return math.Inf(1)
	}
	return scores[k-1]
}

// LeastScores returns the number of scores from which on a threshold is finite.
func LeastScores(coverage float64) int { return int(math.Ceil(coverage/(1-coverage) - 1e-9)) }

// Expected returns the mean and the standard deviation of the share of m rows that the regions of n scores hold, over the draws of both. Scores
// and rows are in random order, so without ties the number of rows held is beta-binomial (Vovk 2012), whatever the data and the model are:
//
//	Beta(k, n+1-k) mixed with Binomial(m),   mean mu = k/(n+1),   variance of the share  mu (1-mu) (n+1+m) / (m (n+2)).
func Expected(n, m int, coverage float64) (mean, deviation float64) {
	k := rank(n, coverage)
	if k > n {
		return 1, 0
	}
	mean = float64(k) / float64(n+1)
	return mean, math.Sqrt(mean * (1 - mean) * float64(n+1+m) / (float64(m) * float64(n+2)))
}

// rank returns which of n scores is the threshold, from 1 on; above n there are too few.
func rank(n int, coverage float64) int {
	// (n+1) times a coverage such as .9 may be above a whole number by rounding alone.
	return max(int(math.Ceil(float64(n+1)*coverage-1e-9)), 1)
}

// Bounded reports whether all regions are bounded: there are enough scores, of each class if each has its own.
func (r *Regions) Bounded() bool {
	return !slices.ContainsFunc(r.thresholds, func(t float64) bool { return math.IsInf(t, 1) })
}

// Largest returns the largest coverage of which the threshold of some scores, and of others above every number, is finite.
func Largest(scores, unbounded int) float64 { return float64(scores) / float64(scores+unbounded+1) }

// Coverage returns the coverage that was asked for.
func (r *Regions) Coverage() float64 { return r.coverage }

// Thresholds returns the largest nonconformity of a region: one number, or one for each class in the order of Classes.
func (r *Regions) Thresholds() []float64 { return slices.Clone(r.thresholds) }

// Classes lists the classes, nil for regression.
func (r *Regions) Classes() []string { return r.classes }

// Interval returns the interval of a prediction of regression. The interval of a quantile above the median has no lower end, and the
// interval of a quantile below it has no upper end. The interval of several quantiles is from the lowest to the highest one, moved outwards
// by the threshold, which may be below 0. It is empty if low is then above high.
func (r *Regions) Interval(p *predict.Prediction) (low, high float64) {
	low, high = ends(r.model, p)
	low, high = low-r.thresholds[0], high+r.thresholds[0]
	switch bound := side(r.model); {
	case bound > 0:
		low = math.Inf(-1)
	case bound < 0:
		high = math.Inf(1)
	}
	return low, high
}

// ends returns the lowest and the highest of several quantiles of a row, which are the outermost ones unless they cross, and otherwise the
// prediction twice. They are the same for sorted quantiles, so a coverage does not depend on the order in which quantiles are written.
func ends(m *model.Model, p *predict.Prediction) (low, high float64) {
	if m.Multiclass != model.Quantiles {
		return p.Decision, p.Decision
	}
	return slices.Min(p.Decisions), slices.Max(p.Decisions)
}

// TwoSided reports whether intervals have two ends. Intervals of a quantile have one, but of the median.
func (r *Regions) TwoSided() bool { return side(r.model) == 0 }

// side returns 1 for a quantile above the median, whose region is bounded above, -1 for one below it, and 0 for regions of two ends.
// An expectile has no share of the targets on either side.
func side(m *model.Model) float64 {
	switch {
	case !model.EstimatesQuantile(m.Task) || m.Multiclass == model.Quantiles:
	case m.Tau > 0.5:
		return 1
	case m.Tau < 0.5:
		return -1
	}
	return 0
}

// Set appends the numbers of the classes of a prediction's set to a list. It may be empty: then the row is like no class.
func (r *Regions) Set(p *predict.Prediction, list []int) []int {
	for c, score := range nonconformity(r.model, p) {
		t := r.thresholds[0]
		if len(r.thresholds) > 1 {
			t = r.thresholds[c]
		}
		if score <= t {
			list = append(list, c)
		}
	}
	return list
}

// nonconformity returns the nonconformity of each class.
func nonconformity(m *model.Model, p *predict.Prediction) []float64 {
	if !m.Several() || p.Decisions == nil {
		return []float64{orInfinity(p.Decision), orInfinity(-p.Decision)}
	}
	g := make([]float64, len(m.Classes))
	for k, f := range p.Decisions {
		a := &m.Classifiers[k]
		if a.Negative == model.Rest {
			g[a.Positive] = f
			continue
		}
		// Of pairs a class has the votes of its classifiers for it, each within [-1, 1] as one
		// vote.
		f = min(max(f, -1), 1)
		g[a.Positive] += f
		g[a.Negative] -= f
	}
	// The largest decision value of the others is the largest of all, or of its own class the second largest.
	top, second := math.Inf(-1), math.Inf(-1)
	for _, x := range g {
		top, second = max(top, x), max(second, min(top, x))
	}
	scores := make([]float64, len(g))
	for c, own := range g {
		other := top
		if own == top {
			other = second
		}
		scores[c] = orInfinity(other - own)
	}
	return scores
}

// orInfinity returns a nonconformity, and infinity in place of NaN, such as the difference of infinite decision values.
func orInfinity(x float64) float64 {
	if math.IsNaN(x) {
		return math.Inf(1)
	}
	return x
}

// Score returns the nonconformity of what is known of a row, and the number of its class among names, -1 if it is none of them. It is infinite
// for a class that the model lacks.
func Score(m *model.Model, p *predict.Prediction, names []string) (score float64, class int) {
	own := m.ClassNames()
	if own == nil {
		// Of several quantiles it is how far the target is outside of them, below 0 where it is between them (Romano, Patterson and
		// Candès 2019, section 3).
		low, high := ends(m, p)
		score = max(low-p.Target, p.Target-high)
		if bound := side(m); bound != 0 {
			// How far the target is beyond the quantile, below 0 where it is not (Romano, Patterson and Candès 2019, theorem 2).
			score = bound * (p.Target - p.Decision)
		}
		return orInfinity(score), 0
	}
	class = slices.Index(names, p.Known)
	at := slices.Index(own, p.Known)
	if at < 0 {
		return math.Inf(1), class
	}
	return nonconformity(m, p)[at], class
}
