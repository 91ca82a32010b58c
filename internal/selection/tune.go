package selection

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"bigmkl"
	"bigmkl/internal/fail"
	"bigmkl/internal/surface"
)

// This file measures the points of a tuning (see Tuning). A point of F factors has F-1
// coordinates, and costs one training for each fold. Package surface proposes the points.

// tuner runs a tuning. Its state follows from the files of its trainings alone, so a killed tuning
// continues with the same points.
type tuner struct {
	options  *Options
	pool     *pool
	division *division
	folder   *chainFolder
	found    *Selection
	number   int // of the arm
	arm      Arm
	members  []int // as in a grid
	// cost is C of the cell, which stays: only the proportions of the factors are tuned.
	cost float64
	of   []int32 // the factor of each kernel
	left []int32 // rows that no training of the tuning has, ascending
	// points has the measured points, as log10 of all factors except for the first one. values has
	// their figures in the direction in which less is better.
	points [][]float64
	values []float64
}

// checkFactors rejects lists of kernels that cannot be tuned, which depends on the data where a
// specification makes several kernels.
func checkFactors(data *loaded) error {
	_, names := data.Kernels().Factors()
	// The design of F factors has F(F+1)/2 points, each a full cross-validation.
	if n := len(names); n < 2 || n > MostFactors {
		return fail.New(fail.Usage, "a tuning of %d factors: at least 2 and at most %d", n, MostFactors).
			WithHint("write group=NAME behind kernels, after a blank: the kernels of a group are one factor")
	}
	return nil
}

// tune tunes the best cell of a selection.
func (r *runner) tune(ctx context.Context, s *Selection) error {
	cell := &s.Cells[s.Best]
	t := &tuner{options: r.options, pool: r.pool, division: &r.division, folder: r.folder, found: s,
		number: cell.Arm, arm: s.Arms[cell.Arm], members: r.grid.members[cell.Arm], cost: cell.Cost}
	return t.run(ctx)
}

// run measures points until the surface asks for no other one.
func (t *tuner) run(ctx context.Context) error {
	s, data := t.found, t.pool.data
	if err := data.use(ctx, t.arm.Kernels); err != nil {
		return err
	}
	defer data.Tune(nil)
	of, names := data.Kernels().Factors()
	t.of = of
	rows := t.leaveRows()
	// The design has as many points as a quadratic surface of F-1 coordinates has coefficients.
	search := surface.Default
	tuning := &Tuning{Kind: t.options.Tune, Rows: rows, Factors: names,
		Design: len(search.Design(len(names) - 1))}
	// The figure of a point has the noise of the folds. The minimum of a smooth surface through all points
	// has less noise than the best point, so the surface chooses the next point.
	for {
		x := search.Next(len(names)-1, t.points, t.values)
		if x == nil {
			break
		}
		p, err := t.measure(ctx, x, tuning.Design+search.MostSteps)
		if err != nil {
			return err
		}
		tuning.Points = append(tuning.Points, *p)
		t.points, t.values = append(t.points, x), append(t.values, s.errorAt(p.Figure.Mean))
	}
	// A search that ends before its last step has returned to a measured point.
	tuning.Settled = len(t.points) < tuning.Design+search.MostSteps
	// The result is a point that was measured. The least point of the surface itself was never
	// trained.
	tuning.Best = surface.Best(t.values)
	tuning.Surface = surface.Fit(t.points, t.values)
	// Point 0 has equal factors: it is the cell that the selection chose. The difference of the
	// two is what the tuning gains, fold by fold.
	first, best := &tuning.Points[0], &tuning.Points[tuning.Best]
	differences := make([]float64, len(best.Values))
	// A positive difference is a gain, whether the measure is large or small for a good model.
	for k, v := range best.Values {
		differences[k] = s.errorAt(first.Values[k]) - s.errorAt(v)
	}
	tuning.Difference = figureOf(differences, t.division.ratio(t.left))
	// The best of many points is chosen by the same figures, so its error is at least the error that
	// the numbers of tested rows imply.
	if tuning.Best > 0 {
		tuning.Difference.Error = max(tuning.Difference.Error, s.resample(differences, nil).Error)
	}
	t.describe(tuning)
	s.Tuning = tuning
	return nil
}

// describe adds the kernels and weights with which the best point is trained on all rows.
func (t *tuner) describe(tuning *Tuning) {
	factors := tuning.Points[tuning.Best].Factors
	values := make([]float64, len(t.of))
	for m, f := range t.of {
		values[m] = factors[f]
	}
	// Costs go into the specifications, and the training finds the weights. Fixed weights
	// replace the product of importance and prior, so priors are multiplied here.
	if tuning.Kind == TuneCosts {
		tuning.Kernels = t.pool.data.Kernels().WithCosts(values)
		return
	}
	for m, prior := range t.pool.data.Kernels().Priors() {
		values[m] *= prior
	}
	tuning.Kernels, tuning.Weights = t.pool.data.Kernels().WithCosts(nil), values
}

// leaveRows draws the rows that no training of the tuning uses, and returns the number of rows
// that are left. Each class loses the same share of its rows.
func (t *tuner) leaveRows() int {
	store, o := t.pool.data.Store(), t.options
	n := store.Len()
	// A tuning may use fewer rows than the selection, because it trains many points. All points
	// leave out the same rows, else their figures would differ by the rows.
	if o.TuneRows == 0 || o.TuneRows >= n {
		return n
	}
	rng := rand.New(rand.NewPCG(o.Training.Seed, 0x74756e65)) // the letters of "tune"
	t.left = new(Splits).deal(store, rng, 1-float64(o.TuneRows)/float64(n))[0]
	return n - len(t.left)
}

// measure measures a point: it trains without each fold in turn, and takes the mean of the figures.
// most is the largest number of points.
func (t *tuner) measure(ctx context.Context, x []float64, most int) (*TunedPoint, error) {
	importance, factors := t.options.Tune.importance(t.of, x)
	t.pool.data.Tune(importance)
	p := &TunedPoint{Factors: factors}
	folds := slices.Concat(t.division.folds...)
	for k, f := range folds {
		// A point is a chain of one cell, with a file of its own for each fold.
		c := &chain{Arm: t.number, Fold: f.Name, Point: len(t.points) + 1,
			Factors: factors}
		if err := t.folder.recall(c, []float64{t.cost}); err != nil {
			return nil, err
		}
		if len(c.Cells) == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := t.train(ctx, c, x, importance); err != nil {
				return nil, err
			}
		}
		found := &c.Cells[0]
		value, ok := found.Figures[0][t.options.Measure]
		if !ok {
			// The mean over the folds left would be of other rows than the means of other
			// points. The surface would fit this difference.
			return nil, fail.New(fail.Input, "%s is not defined on fold %s, and a surface takes all folds",
				t.options.Measure, fail.Word(f.Name)).WithHint("use fewer folds, or another figure")
		}
		p.Values, p.Iterations = append(p.Values, value), p.Iterations+found.Iterations
		if found.Status != "converged" {
			p.Unconverged++
		}
		if t.options.Report != nil {
			t.options.Report(Progress{Done: len(t.points)*len(folds) + k + 1,
				Total: most * len(folds), Arm: t.arm, Cost: t.cost, Fold: f.Name, Value: value,
				Point: len(t.points) + 1})
		}
	}
	p.Figure = t.found.tests.figure(t.options.Measure, p.Values, t.division.ratio(t.left))
	return p, nil
}

// train trains a point without a fold and writes the file. It starts from the dual variables of
// the nearest point without the same fold: problems of near factors have near solutions.
func (t *tuner) train(ctx context.Context, c *chain, x, importance []float64) error {
	began := time.Now()
	rows, held := t.division.rows[c.Fold], t.pool.apart
	out := t.division.out[c.Fold]
	if t.left != nil {
		out = united(out, t.left)
	}
	apart := held != nil
	var err error
	if apart {
		if apart, err = held.openFold(ctx, c.Fold, out, t.arm.Bank); err != nil {
			return err
		}
	}
	data := t.pool.data
	if apart {
		data = held.data
		// The importances belong to the kernels of the open fold.
		if err := data.use(ctx, held.specsOf(&t.arm, t.members)); err != nil {
			return err
		}
		data.Tune(importance)
	}
	start, err := t.nearest(c, x, data)
	if err != nil {
		return err
	}
	point := bigmkl.PathPoint{Norm: float64(t.arm.Norm), C: t.cost}
	var found *bigmkl.Held
	var figures []map[string]float64
	if apart {
		found, figures, err = held.train(ctx, point, held.specsOf(&t.arm, t.members), start, [][]int32{rows}, nil)
	} else if found, err = data.Train(ctx, out, point, start); err == nil {
		figures = []map[string]float64{t.pool.figures(found, rows, nil)}
	}
	if err != nil {
		return err
	}
	c.Cells = []cell{{
		Cost: t.cost, Status: string(found.Status), Gap: found.Gap, Iterations: found.Iterations,
		Figures: figures, Seconds: time.Since(began).Seconds(),
	}}
	// Later points start from these dual variables, so they stay in the file.
	c.Alpha = encodeAlpha(found.Alpha)
	return t.folder.write(c)
}

// nearest returns the dual variables of the nearest point before this one, of several the first.
// It reads them from the folder even where they were found a moment ago: a tuning that is resumed
// then has the same start to the bit. The first point has none.
func (t *tuner) nearest(c *chain, x []float64, data *loaded) ([][]float64, error) {
	// Distances are between logarithms of factors.
	near, least := -1, math.Inf(1)
	for k, y := range t.points {
		d := 0.0
		for m := range x {
			d += (x[m] - y[m]) * (x[m] - y[m])
		}
		if d < least {
			near, least = k, d
		}
	}
	if near < 0 {
		return nil, nil
	}
	_, factors := t.options.Tune.importance(t.of, t.points[near])
	there := &chain{Arm: c.Arm, Fold: c.Fold, Point: near + 1, Factors: factors}
	path := there.pathOf(t.folder.path)
	if err := t.folder.recall(there, []float64{t.cost}); err != nil {
		return nil, err
	}
	alpha, ok := decodeAlpha(there.Alpha, data.Classifiers(), data.Store().Len())
	if !ok {
		return nil, damaged(path, "the dual variables are damaged")
	}
	return alpha, nil
}
