package selection

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"bigmkl"
)

// A fold chooses its norm and its costs without its rows, by folds of the others. A choice takes many trainings and
// does not need exact figures. It is therefore made on some of the rows.

const (
	// choiceRows is the largest number of rows that a choice is made on, choiceFolds the number of its folds, and
	// choiceGap the gap of its trainings at least.
	choiceRows  = 1000
	choiceFolds = 3
	choiceGap   = 1e-2
)

// innerFolds measure problems by folds within the rows of a training.
type innerFolds interface {
	// use puts kernels in hand.
	use(ctx context.Context, specs string) error
	// measure returns the figure of a fold at each cost, which is NaN where it is not defined.
	measure(ctx context.Context, fold []int32, norm float64, costs []float64) ([]float64, error)
}

// chooser chooses norm and costs.
type chooser struct {
	norms, costs []float64
	measure      string
	origins      []origin
}

// chooseAmong chooses by folds. specs has a specification for each kernel.
func (c *chooser) chooseAmong(ctx context.Context, in innerFolds, folds [][]int32, specs []string) (*chosen, error) {
	found := new(chosen)
	best, err := c.bestOfAll(ctx, in, folds)
	if err != nil {
		return nil, err
	}
	found.Norm, found.Cost = Norm(best.Norm), best.C
	for _, o := range c.origins {
		if len(c.costs) == 1 {
			found.Alone = append(found.Alone, c.costs[0])
			continue
		}
		if err := in.use(ctx, o.specsOf(specs)); err != nil {
			return nil, err
		}
		if best, _, err = c.bestPoint(ctx, in, folds, []float64{best.Norm}, c.costs); err != nil {
			return nil, err
		}
		found.Alone = append(found.Alone, best.C)
	}
	return found, nil
}

// bestOfAll chooses the cost at the norm in the middle, and then the norm at that cost.
func (c *chooser) bestOfAll(ctx context.Context, in innerFolds, folds [][]int32) (bigmkl.PathPoint, error) {
	norms := slices.Clone(c.norms)
	middle := len(norms) / 2
	best, top, err := c.bestPoint(ctx, in, folds, norms[middle:middle+1], c.costs)
	if err != nil || len(norms) == 1 {
		return best, err
	}
	other, value, err := c.bestPoint(ctx, in, folds, slices.Delete(norms, middle, middle+1), []float64{best.C})
	if c.isBetter(value, top) {
		best = other
	}
	return best, err
}

// isBetter reports whether a figure is better than another one, of which NaN is the worst.
func (c *chooser) isBetter(x, y float64) bool {
	return !math.IsNaN(x) && (math.IsNaN(y) || x != y && x < y == measures[c.measure])
}

// bestPoint returns the norm and the cost with the best mean figure, and that figure: of equal ones the first norm, and
// the least cost. It is the first of all, and NaN, where no figure is defined.
func (c *chooser) bestPoint(ctx context.Context, in innerFolds, folds [][]int32, norms, costs []float64) (best bigmkl.PathPoint, top float64, err error) {
	best, top = bigmkl.PathPoint{Norm: norms[0], C: costs[0]}, math.NaN()
	for _, p := range norms {
		figures := make([][]float64, len(costs))
		for _, f := range folds {
			found, err := in.measure(ctx, f, p, costs)
			if err != nil {
				return best, top, err
			}
			for k, x := range found {
				if !math.IsNaN(x) {
					figures[k] = append(figures[k], x)
				}
			}
		}
		for k, cost := range costs {
			if mean := stat.Mean(figures[k], nil); c.isBetter(mean, top) {
				best, top = bigmkl.PathPoint{Norm: p, C: cost}, mean
			}
		}
	}
	return best, top, nil
}
