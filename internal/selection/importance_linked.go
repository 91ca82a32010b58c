package selection

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"bigmkl"
)

// All trainings of a fold have the same rows and, except for permuted copies, the same kernels. A training without a
// source starts from the dual variables of the training on all sources. With few rows the source has importance 0,
// and the cached kernel rows of all kernels stay. With more rows little is cached, and the kernels of the source are
// taken from the list: passes are then without them. Tasks of another form share the rows alone; see plain.

// linked does the trainings of a step, each from the dual variables of another one.
type linked struct {
	*measuring
	*chooser
	*dealer
	sampled *subset // what samples are drawn from, once it is open
}

// data returns the data whose rows the trainings have, as far as they are open.
func (l *linked) data() *loaded {
	if l.pool.apart != nil {
		return l.pool.apart.data
	}
	return l.pool.data
}

// chooseIn chooses without the rows of a fold, whose step has the given number.
func (l *linked) chooseIn(ctx context.Context, out []int32, number int) (*chosen, error) {
	// There is nothing to choose, so no inner training is needed.
	if len(l.norms) == 1 && len(l.costs) == 1 {
		n := len(l.chooser.origins)
		return &chosen{Norm(l.norms[0]), l.costs[0], slices.Repeat(l.costs, n), slices.Repeat([]Norm{Norm(l.norms[0])}, n)}, nil
	}
	rng := stream(l.seed, drawChoice, number)
	s, err := l.pool.openSubset(ctx, l.list, l.draw(rest(out, l.pool.data.Store().Len()), choiceRows, rng), max(l.gap, choiceGap))
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return l.choose(ctx, s, rng)
}

// choose chooses the norm and the cost of all sources, and of each alone.
func (l *linked) choose(ctx context.Context, s *subset, rng *rand.Rand) (*chosen, error) {
	// chooseAmong leaves the kernels of the last source in use, so the whole list is prepared again.
	c, err := l.chooseAmong(ctx, &sharedFolds{l.measure, s}, l.deal(s.rows, choiceFolds, 0, rng), s.data.Kernels().Specifications())
	if err == nil {
		s.data.hands = l.list
		err = s.data.UseKernels(ctx, l.list)
	}
	return c, err
}

// measureWhole trains on all sources and permutes each at prediction. Its readings are kept together:
// the permuted predictions need the model, which no file has. With shared preparation there is no model
// of the fold, and nothing is permuted: the reading is then a single one.
func (l *linked) measureWhole(ctx context.Context, s *step, plan []reading) error {
	rows := l.division.rows[s.Fold]
	found := reading{What: whole}
	if l.pool.apart == nil {
		if err := l.pool.data.use(ctx, l.list); err != nil {
			return err
		}
		held, err := l.pool.data.Train(ctx, rows, s.point(), nil)
		if err != nil {
			return err
		}
		l.enter(&found, held)
		found.Figures = l.pool.figures(held, rows, nil)
		if err := l.folder.keepDuals(s, allSources, held.Alpha); err != nil {
			return err
		}
		s.Readings = append(s.Readings, found)
		return l.folder.keep(s, plan)
	}
	if err := l.pool.apart.data.use(ctx, l.list); err != nil {
		return err
	}
	// The model predicts the held-out rows as bigmkl predict does, with and without permutation.
	m, held, err := l.pool.apart.data.TrainModel(ctx, s.point(), nil)
	if err != nil {
		return err
	}
	defer m.Close()
	l.enter(&found, held)
	readings, err := l.readWhole(ctx, m, l.pool.apart.known, s, plan, found)
	if err != nil {
		return err
	}
	if err := l.folder.keepDuals(s, allSources, held.Alpha); err != nil {
		return err
	}
	s.Readings = readings
	return l.folder.keep(s, plan)
}

// train does the training of a reading: without sources, on one source alone, or with a permuted
// source.
func (l *linked) train(ctx context.Context, s *step, found *reading) error {
	if found.What == null {
		return l.trainNull(ctx, s, found)
	}
	p, specs, importance := s.point(), l.list, []float64(nil)
	var start [][]float64
	if found.What == alone {
		specs, p = l.origins[found.Sources[0]].specsOf(l.specs), s.pointAlone(found.Sources[0])
	} else {
		// See the top of the file: importance 0 keeps the cached rows of all kernels, and a shorter
		// list saves passes.
		if l.shortens {
			specs = originWithout(l.origins, found.Sources).specsOf(l.specs)
		} else {
			importance = importanceWithout(l.origins, found.Sources)
		}
		var err error
		if start, err = l.startOf(s, found.Sources); err != nil {
			return err
		}
	}
	rows := l.division.rows[s.Fold]
	var held *bigmkl.Held
	var err error
	if l.pool.apart == nil {
		if err := l.pool.data.use(ctx, specs); err != nil {
			return err
		}
		// Tune is undone at the end, because the next reading has other sources.
		l.pool.data.Tune(importance)
		defer l.pool.data.Tune(nil)
		if held, err = l.pool.data.Train(ctx, rows, p, start); err != nil {
			return err
		}
		found.Figures = l.pool.figures(held, rows, nil)
	} else {
		if err := l.pool.apart.data.use(ctx, specs); err != nil {
			return err
		}
		l.pool.apart.data.Tune(importance)
		defer l.pool.apart.data.Tune(nil)
		var figures []map[string]float64
		if held, figures, err = l.pool.apart.train(ctx, p, specs, start, [][]int32{rows}, nil); err != nil {
			return err
		}
		found.Figures = figures[0]
	}
	found.enter(held)
	// Trainings without pairs, and trainings with noise, start from these dual variables.
	if found.What == without && len(found.Sources) == 1 {
		return l.folder.keepDuals(s, found.Sources[0], held.Alpha)
	}
	return nil
}

// startOf returns the dual variables that a training without sources starts from: the variables of all sources, or
// for two sources the variables without the source of the larger share, as the other one has less to change.
func (l *linked) startOf(s *step, sources []int) ([][]float64, error) {
	from := allSources
	if len(sources) == 2 {
		shares := s.Readings[0].Shares
		if from = sources[0]; shares[sources[1]] > shares[from] {
			from = sources[1]
		}
	}
	return l.folder.recallDuals(s, from, l.data())
}

// trainNull trains with the rows of a source permuted, and predicts rows with the source permuted among them: that is
// noise of the same shape.
func (l *linked) trainNull(ctx context.Context, s *step, found *reading) error {
	source, rows := found.Sources[0], l.division.rows[s.Fold]
	p := l.permutedCopy(s, source)
	start, err := l.folder.recallDuals(s, source, l.data()) // Noise has little weight.
	if err != nil {
		return err
	}
	// Its kernels have the widths of the fold: distances within the source are the same, in another order.
	h, known, err := l.pool.apart.without(ctx, rows, ofSpool(l.pool.apart.training, strings.Join(l.specs, ",")), p)
	if err != nil {
		return err
	}
	// This is a second opening of the fold, with permuted rows. Both are open at once, since the scales
	// come from the first one.
	defer h.Close()
	if err := l.pool.apart.data.use(ctx, l.list); err != nil {
		return err
	}
	// Rows in another order have the same normalisation. A resumed run finds it as the whole run does.
	if err := h.TakeScales(ctx, l.pool.apart.data.HeldOut); err != nil {
		return err
	}
	m, held, err := h.TrainModel(ctx, s.point(), start)
	if err != nil {
		return err
	}
	defer m.Close()
	l.enter(found, held)
	found.Figures, err = l.pool.apart.predict(ctx, m, known, rows, p, nil)
	return err
}

// openSampled opens the rows that samples are drawn from.
func (l *linked) openSampled(ctx context.Context) error {
	rng := stream(l.seed, drawSampleRows)
	s, err := l.pool.openSubset(ctx, l.list, l.draw(rest(nil, l.pool.data.Store().Len()), sampleRows, rng), l.gap)
	if err != nil {
		return err
	}
	l.sampled = s
	return nil
}

// measureSample adds the next reading to the step of samples. Readings 2k and 2k + 1 are on the same
// half of the rows: one with the chosen norm and one at p = 1.
func (l *linked) measureSample(ctx context.Context, s *step, plan []reading) error {
	if l.sampled == nil {
		if err := l.openSampled(ctx); err != nil {
			return err
		}
	}
	if s.Choice == nil {
		var err error
		if s.Choice, err = l.choose(ctx, l.sampled, stream(l.seed, drawChoice, l.numberOf(s))); err != nil {
			return err
		}
	}
	next := plan[len(s.Readings)]
	p := s.point()
	if next.What == sparse {
		p.Norm = sparseSum
	}
	rng := stream(l.seed, drawSample, len(s.Readings)/2)
	half := l.deal(l.sampled.rows, 1, 0.5, rng)[0]
	held, err := l.sampled.data.Train(ctx, l.sampled.without(half), p, nil)
	if err != nil {
		return err
	}
	l.enter(&next, held)
	s.Readings = append(s.Readings, next)
	return l.folder.keep(s, plan)
}

// sharedFolds are folds whose trainings share the kernels of all rows of a subset.
type sharedFolds struct {
	measured string // the key of the figure
	s        *subset
}

// use implements innerFolds.
func (f *sharedFolds) use(ctx context.Context, specs string) error {
	return f.s.data.UseKernels(ctx, specs)
}

// measure implements innerFolds. Kernels are prepared from all rows of the subset, held-out rows
// included. These figures only choose a norm and a cost.
func (f *sharedFolds) measure(ctx context.Context, fold []int32, norm float64, costs []float64) ([]float64, error) {
	figures := slices.Repeat([]float64{math.NaN()}, len(costs))
	var start [][]float64
	for k, c := range costs { // Each starts from the one before it.
		held, err := f.s.data.Train(ctx, f.s.without(fold), bigmkl.PathPoint{Norm: norm, C: c}, start)
		if err != nil {
			return nil, err
		}
		start = held.Alpha
		if x, defined := figuresAt(f.s.data.Shape(), f.s.data.Store(), held, f.s.numbered(fold), nil)[f.measured]; defined {
			figures[k] = x
		}
	}
	return figures, nil
}
