package selection

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"bigmkl"
)

// A fold chooses its norm and its costs without its rows, by folds of the others. A choice takes many trainings and needs
// no figure that is exact, so that it is made on some of the rows.

const (
	// choiceRows is the largest number of rows that a choice is made on, choiceFolds the number of its folds, and
	// choiceGap the gap of its trainings at least.
	choiceRows  = 1000
	choiceFolds = 3
	choiceGap   = 1e-2
)

// subset is some of the rows, opened for trainings.
type subset struct {
	h    *bigmkl.HeldOut
	rows []int32 // of all rows, ascending
	rest []int32 // rows that h has beside them; nil if it has these alone
	owns bool    // h is of these rows alone
}

// openSubset opens some rows for trainings to a gap, or finds them among the data that are open if preparation is shared.
func (r *importer) openSubset(ctx context.Context, rows []int32, gap float64) (*subset, error) {
	others := rest(rows, r.data.Store().Len())
	if r.own == nil {
		return &subset{h: r.data, rows: rows, rest: others}, r.useKernels(ctx, r.banks[0])
	}
	own := r.trainingOf(r.banks[0])
	own.Gap = gap
	h, _, err := r.openWithout(ctx, others, own, nil)
	return &subset{h: h, rows: rows, owns: true}, err
}

// Close frees the data. A subset that is nil has none.
func (s *subset) Close() {
	if s != nil && s.owns {
		s.h.Close()
	}
}

// numbered returns the numbers that some of the rows have in h.
func (s *subset) numbered(rows []int32) []int32 {
	if !s.owns {
		return rows
	}
	local := make([]int32, len(rows))
	for k, i := range rows {
		at, _ := slices.BinarySearch(s.rows, i)
		local[k] = int32(at)
	}
	return local
}

// without returns the numbers of rows that a training of the others leaves out.
func (s *subset) without(rows []int32) []int32 { return united(s.rest, s.numbered(rows)) }

// draw draws so many rows of a list, of each class the same share, or whole groups. It returns them ascending.
func (r *importer) draw(rows []int32, count int, rng *rand.Rand) []int32 {
	if len(rows) <= count {
		return rows
	}
	return r.deal(rows, 1, float64(count)/float64(len(rows)), rng)[0]
}

// deal deals rows out to folds, or takes a share of them.
func (r *importer) deal(rows []int32, count int, share float64, rng *rand.Rand) [][]int32 {
	folds := make([][]int32, count)
	if groups := r.all.Splits.Groups; groups != nil {
		names := make([]string, len(rows))
		for k, i := range rows {
			names[k] = groups[i]
		}
		dealGroups(folds, names, rng, share)
		for _, f := range folds {
			for k, at := range f {
				f[k] = rows[at]
			}
		}
	} else {
		store := r.data.Store()
		classes := make([][]int32, max(1, len(store.Classes())))
		for _, i := range rows {
			c := int32(0)
			if l := store.Labels(); l != nil {
				c = l[i]
			}
			classes[c] = append(classes[c], i)
		}
		dealLists(folds, classes, rng, share)
	}
	for _, f := range folds {
		slices.Sort(f)
	}
	return folds
}

// chooseIn chooses without the rows of a fold, whose step has the given number.
func (r *importer) chooseIn(ctx context.Context, out []int32, number int) (*chosen, error) {
	o := r.all
	if len(o.Norms) == 1 && len(o.Costs) == 1 {
		return &chosen{Norm: Norm(o.Norms[0]), Cost: o.Costs[0], Alone: slices.Repeat(o.Costs, len(r.origins))}, nil
	}
	rng := stream(o.Training.Seed, drawChoice, number)
	s, err := r.openSubset(ctx, r.draw(rest(out, r.data.Store().Len()), choiceRows, rng), max(o.Training.Gap, choiceGap))
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return r.choose(ctx, s, rng)
}

// choose chooses the norm and the cost of all sources, and the cost of each alone.
func (r *importer) choose(ctx context.Context, s *subset, rng *rand.Rand) (*chosen, error) {
	c, err := r.chooseAmong(ctx, &sharedFolds{r, s}, r.deal(s.rows, choiceFolds, 0, rng), s.h.Specifications())
	if err == nil && len(r.all.Costs) > 1 {
		r.kernels = r.banks[0] // what is in hand where preparation is shared
		err = s.h.UseKernels(ctx, r.banks[0])
	}
	return c, err
}

// innerFolds measure problems by folds within the rows of a training.
type innerFolds interface {
	// use puts kernels in hand.
	use(ctx context.Context, specs string) error
	// measure returns the figure of a fold at each cost, which is NaN where it is not defined.
	measure(ctx context.Context, fold []int32, norm float64, costs []float64) ([]float64, error)
}

// chooseAmong chooses by folds. specs has a specification for each kernel.
func (r *importer) chooseAmong(ctx context.Context, in innerFolds, folds [][]int32, specs []string) (*chosen, error) {
	c := new(chosen)
	best, err := r.bestOfAll(ctx, in, folds)
	if err != nil {
		return nil, err
	}
	c.Norm, c.Cost = Norm(best.Norm), best.C
	for _, o := range r.origins {
		if len(r.all.Costs) == 1 {
			c.Alone = append(c.Alone, r.all.Costs[0])
			continue
		}
		if err := in.use(ctx, o.specsOf(specs)); err != nil {
			return nil, err
		}
		if best, _, err = r.bestPoint(ctx, in, folds, []float64{best.Norm}, r.all.Costs); err != nil {
			return nil, err
		}
		c.Alone = append(c.Alone, best.C)
	}
	return c, nil
}

// bestOfAll chooses the cost at the norm in the middle, and then the norm at that cost.
func (r *importer) bestOfAll(ctx context.Context, in innerFolds, folds [][]int32) (bigmkl.PathPoint, error) {
	norms := slices.Clone(r.all.Norms)
	middle := len(norms) / 2
	best, top, err := r.bestPoint(ctx, in, folds, norms[middle:middle+1], r.all.Costs)
	if err != nil || len(norms) == 1 {
		return best, err
	}
	other, value, err := r.bestPoint(ctx, in, folds, slices.Delete(norms, middle, middle+1), []float64{best.C})
	if r.isBetter(value, top) {
		best = other
	}
	return best, err
}

// isBetter reports whether a figure is better than another one, of which NaN is the worst.
func (r *importer) isBetter(x, y float64) bool {
	return !math.IsNaN(x) && (math.IsNaN(y) || x != y && x < y == measures[r.all.Measure])
}

// bestPoint returns the norm and the cost with the best mean figure, and that figure: of equal ones the first norm, and
// the least cost. It is the first of all, and NaN, where no figure is defined.
func (r *importer) bestPoint(ctx context.Context, in innerFolds, folds [][]int32, norms, costs []float64) (best bigmkl.PathPoint, top float64, err error) {
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
		for k, c := range costs {
			if mean := stat.Mean(figures[k], nil); r.isBetter(mean, top) {
				best, top = bigmkl.PathPoint{Norm: p, C: c}, mean
			}
		}
	}
	return best, top, nil
}

// sharedFolds are folds whose trainings share the kernels of all rows of a subset.
type sharedFolds struct {
	r *importer
	s *subset
}

func (f *sharedFolds) use(ctx context.Context, specs string) error {
	return f.s.h.UseKernels(ctx, specs)
}

func (f *sharedFolds) measure(ctx context.Context, fold []int32, norm float64, costs []float64) ([]float64, error) {
	figures := slices.Repeat([]float64{math.NaN()}, len(costs))
	var start [][]float64
	for k, c := range costs { // Each starts from the one before it.
		held, err := f.s.h.Train(ctx, f.s.without(fold), bigmkl.PathPoint{Norm: norm, C: c}, start)
		if err != nil {
			return nil, err
		}
		start = held.Alpha
		if x, defined := figuresAt(f.s.h.Shape(), f.s.h.Store(), held, f.s.numbered(fold), nil)[f.r.all.Measure]; defined {
			figures[k] = x
		}
	}
	return figures, nil
}
