package selection

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"bigmkl"
	"bigmkl/internal/evaluate"
)

// A fold chooses its norm and its costs without its rows, by folds of the others. A choice takes many trainings and
// does not need exact figures. It is therefore made on some of the rows.

const (
	// choiceRows is the largest number of rows that a choice is made on, choiceFolds the number of its folds, and
	// choiceGap the gap of its trainings at least.
	//
	// Trainings on 1,000 rows mostly take less than a second. The figures of the choice are not
	// reported.
	choiceRows  = 1000
	choiceFolds = 3
	choiceGap   = 1e-2
)

// innerFolds measure problems by folds within the rows of a training.
type innerFolds interface {
	// use makes the kernels of the following measurements.
	use(ctx context.Context, specs string) error
	// measure returns the figure of a fold at each cost, which is NaN where it is not defined.
	measure(ctx context.Context, fold []int32, norm float64, costs []float64) ([]float64, error)
}

// chooser chooses the norm and the cost for all sources, and for each source alone. A source
// alone has another best cost than all of them, and a gain at a foreign cost would be too small.
type chooser struct {
	norms, costs []float64
	measure      string
	origins      []origin
}

// chooseAmong chooses by inner folds. specs has a specification for each kernel. A source of one
// kernel has the same problem at each norm, so only its cost is chosen.
func (c *chooser) chooseAmong(ctx context.Context, in innerFolds, folds [][]int32, specs []string) (*chosen, error) {
	found := new(chosen)
	best, err := c.bestOfAll(ctx, in, folds)
	if err != nil {
		return nil, err
	}
	found.Norm, found.Cost = Norm(best.Norm), best.C
	for _, o := range c.origins {
		own := *c
		if len(o.kernels) == 1 { // It has the same problem at each norm.
			own.norms = []float64{best.Norm}
		}
		if len(own.norms) == 1 && len(own.costs) == 1 {
			found.addAlone(bigmkl.PathPoint{Norm: own.norms[0], C: own.costs[0]})
			continue
		}
		if err := in.use(ctx, o.specsOf(specs)); err != nil {
			return nil, err
		}
		at, err := own.bestOfAll(ctx, in, folds)
		if err != nil {
			return nil, err
		}
		found.addAlone(at)
	}
	return found, nil
}

// bestOfAll chooses the cost at the norm in the middle, and then the norm at that cost. The norm in the middle stays
// unless another one is better by more than the corrected error of their difference: few rows show little of a norm,
// and at p = 1 a training of many rows takes three times as long as at 4/3.
func (c *chooser) bestOfAll(ctx context.Context, in innerFolds, folds [][]int32) (bigmkl.PathPoint, error) {
	norms := slices.Clone(c.norms)
	middle := len(norms) / 2
	best, err := c.bestPoint(ctx, in, folds, norms[middle:middle+1], c.costs)
	if err != nil || len(norms) == 1 {
		return best.at, err
	}
	other, err := c.bestPoint(ctx, in, folds, slices.Delete(norms, middle, middle+1), []float64{best.at.C})
	if c.isBetter(other.mean, best.mean) && (math.IsNaN(best.mean) || exceedError(other.figures, best.figures)) {
		best = other
	}
	return best.at, err
}

// exceedError reports whether the figures of the same folds differ by more than the corrected error of their
// difference.
func exceedError(x, y []float64) bool {
	var differences []float64
	for k := range x {
		if d := x[k] - y[k]; !math.IsNaN(d) {
			differences = append(differences, d)
		}
	}
	// Each of the three folds tests half as many rows as it trains on.
	r := evaluate.Resample(differences, 1/float64(choiceFolds-1))
	return math.Abs(r.Mean) > r.Error
}

// isBetter reports whether a figure is better than another one, of which NaN is the worst.
func (c *chooser) isBetter(x, y float64) bool {
	return !math.IsNaN(x) && (math.IsNaN(y) || x != y && x < y == measures[c.measure])
}

// candidate is a norm and a cost with the figures of all folds, which are NaN where they are not defined, and the mean
// of those that are.
type candidate struct {
	at      bigmkl.PathPoint
	figures []float64
	mean    float64
}

// bestPoint returns the candidate with the best mean figure: of equal ones the first norm, and the least cost. It is
// the first of all where no figure is defined.
func (c *chooser) bestPoint(ctx context.Context, in innerFolds, folds [][]int32, norms, costs []float64) (best candidate, err error) {
	for _, p := range norms {
		figures := make([][]float64, len(costs))
		for _, f := range folds {
			found, err := in.measure(ctx, f, p, costs)
			if err != nil {
				return best, err
			}
			for k, x := range found {
				figures[k] = append(figures[k], x)
			}
		}
		for k, cost := range costs {
			next := candidate{bigmkl.PathPoint{Norm: p, C: cost}, figures[k], meanDefined(figures[k])}
			if best.figures == nil || c.isBetter(next.mean, best.mean) {
				best = next
			}
		}
	}
	return best, nil
}

// meanDefined returns the mean of the figures that are defined, NaN if none is.
func meanDefined(figures []float64) float64 {
	defined := slices.DeleteFunc(slices.Clone(figures), math.IsNaN)
	return stat.Mean(defined, nil)
}
