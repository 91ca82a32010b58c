package selection

import (
	"context"
	"math"
	"slices"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// learner does the trainings of the steps. Its implementations are linked and plain. The lane decides
// the order of the readings, and the learner knows how a training starts.
type learner interface {
	// chooseIn chooses norm and costs without some rows, for the step with the given number.
	chooseIn(ctx context.Context, out []int32, number int) (*chosen, error)
	// measureWhole trains on all sources, permutes each at prediction, and adds these readings to the step.
	measureWhole(ctx context.Context, s *step, plan []reading) error
	// train trains what a reading is of, and enters the figures.
	train(ctx context.Context, s *step, found *reading) error
	// measureSample adds the next reading to the step of samples.
	measureSample(ctx context.Context, s *step, plan []reading) error
}

// mostPermutations is the largest number of permutations of a source at prediction. There are fewer
// once they predict permutedRows rows together.
const (
	mostPermutations = 5
	permutedRows     = 2000
)

// measuring has the data, the folds and the folder that all steps share.
type measuring struct {
	sources
	pool     *pool
	division *division
	steps    []*step
	folder   *stepFolder
	seed     uint64
	gap      float64 // of trainings
	list     string  // of kernels, as it was asked for
	// specs has a specification for each kernel, as the rows in hand have them: those without the fold opened, or
	// all rows. A training without a source has a shorter list of kernels there if shortens is set.
	specs    []string
	opened   string
	shortens bool
}

// numberOf returns the number of a step.
func (q *measuring) numberOf(s *step) int { return slices.Index(q.steps, s) }

// useFold opens the data without the rows of a fold.
func (q *measuring) useFold(ctx context.Context, s *step) error {
	if q.pool.apart == nil {
		return nil
	}
	if _, err := q.pool.apart.openFold(ctx, s.Fold, q.division.rows[s.Fold], 0); err != nil {
		return err
	}
	if q.opened == s.Fold {
		return nil
	}
	q.opened, q.specs = s.Fold, q.pool.apart.data.Kernels().Specifications()
	q.shortens = q.pool.apart.data.LeavesPointsOut()
	// A specification of several kernels may depend on the rows, and give another number of kernels
	// without a fold. Sources would then have other kernels in each fold.
	if n, all := len(q.specs), len(q.pool.data.Kernels().Bank.Kernels); n != all {
		return fail.New(fail.Input, "without fold %s there are %d kernels, and of all rows %d", fail.Word(s.Fold), n, all)
	}
	return nil
}

// readWhole completes the reading of the model of all sources, and adds those with a source permuted at prediction.
func (q *measuring) readWhole(ctx context.Context, m *bigmkl.Model, known *dataset.Known, s *step, plan []reading, found reading) ([]reading, error) {
	var err error
	if found.Figures, err = q.pool.apart.predict(ctx, m, known, q.division.rows[s.Fold], nil, nil); err != nil {
		return nil, err
	}
	readings := []reading{found}
	// Permuted readings follow the first one in the plan, which is why this loop may end at another
	// kind.
	for _, next := range plan[1:] {
		if next.What != permuted {
			break
		}
		if next.Figures, err = q.predictPermuted(ctx, m, known, s, next.Sources[0]); err != nil {
			return nil, err
		}
		readings = append(readings, next)
	}
	return readings, nil
}

// predictPermuted returns the mean figures of some permutations of the rows of a source at prediction.
// One permutation of few rows may by chance leave many rows nearly as they were, so figures of several
// are averaged.
func (q *measuring) predictPermuted(ctx context.Context, m *bigmkl.Model, known *dataset.Known, s *step, source int) (map[string]float64, error) {
	rows := q.division.rows[s.Fold]
	times := min(max(permutedRows/len(rows), 1), mostPermutations)
	var all []map[string]float64
	for k := range times {
		p := newSwap(q.pool.apart.spool, q.origins[source].own).mix(rows, stream(q.seed, drawPermuted, q.numberOf(s), source, k))
		figures, err := q.pool.apart.predict(ctx, m, known, rows, p, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, figures)
	}
	return meanOf(all), nil
}

// permutedCopy returns the swap that permutes a source among the rows of the training, and among the rows of the
// fold. A permutation over both kinds of rows would put features of training rows into the test.
func (q *measuring) permutedCopy(s *step, source int) *swap {
	rows, rng := q.division.rows[s.Fold], stream(q.seed, drawNull, q.numberOf(s), source)
	return newSwap(q.pool.apart.spool, q.origins[source].own).mix(rest(rows, q.pool.data.Store().Len()), rng).mix(rows, rng)
}

// meanOf returns the means of the figures that all have.
func meanOf(all []map[string]float64) map[string]float64 {
	mean := map[string]float64{}
	for key := range all[0] {
		sum := 0.0
		for _, figures := range all {
			x, defined := figures[key]
			if !defined {
				x = math.NaN()
			}
			sum += x
		}
		if !math.IsNaN(sum) {
			mean[key] = sum / float64(len(all))
		}
	}
	return mean
}

// rest lists the rows of so many that are not in a list, both ascending.
func rest(rows []int32, n int) []int32 {
	list := make([]int32, 0, n-len(rows))
	for i := range int32(n) {
		if len(rows) > 0 && rows[0] == i {
			rows = rows[1:]
			continue
		}
		list = append(list, i)
	}
	return list
}
