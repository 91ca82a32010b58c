package selection

import (
	"context"
	"math"
	"slices"
	"strings"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// All trainings of a fold have the same rows and, but for permuted copies, the same kernels. A training without a source
// starts from the dual variables of the training on all sources. Of few rows the source has importance 0, so that the
// cached kernel rows of all kernels stay. Of more rows little is cached, and the kernels of the source are taken from the
// list: passes are then without them. Tasks of another form share the rows alone; see plain.

// learner trains what a step reads.
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

// mostPermutations is the number of permutations at prediction of few rows, and permutedRows the number of rows that they
// predict together where there are more.
const (
	mostPermutations = 5
	permutedRows     = 2000
)

// measureNext adds the next reading to a step, or the next few that belong together.
func (r *importer) measureNext(ctx context.Context, s *step, plan []reading) error {
	if s.Fold == "" {
		return r.learner.measureSample(ctx, s, plan)
	}
	next := plan[len(s.Readings)]
	if err := r.useFold(ctx, s); err != nil {
		return err
	}
	if s.Choice == nil {
		var err error
		if s.Choice, err = r.learner.chooseIn(ctx, r.rows[s.Fold], r.numberOf(s)); err != nil {
			return err
		}
	}
	if next.What == whole {
		return r.learner.measureWhole(ctx, s, plan)
	}
	if err := r.learner.train(ctx, s, &next); err != nil {
		return err
	}
	s.Readings = append(s.Readings, next)
	return r.keep(s, plan)
}

// numberOf returns the number of a step.
func (r *importer) numberOf(s *step) int { return slices.Index(r.steps, s) }

// useFold opens the data without the rows of a fold.
func (r *importer) useFold(ctx context.Context, s *step) error {
	if r.own == nil {
		return nil
	}
	if _, err := r.openFold(ctx, s.Fold, r.rows[s.Fold], 0); err != nil {
		return err
	}
	if r.opened == s.Fold {
		return nil
	}
	r.opened, r.specs = s.Fold, r.own.data.Specifications()
	r.shortens = r.own.data.LeavesPointsOut()
	if n, all := len(r.specs), len(r.data.Bank().Kernels); n != all {
		return fail.New(fail.Input, "without fold %s there are %d kernels, and of all rows %d", fail.Word(s.Fold), n, all)
	}
	return nil
}

// point returns the problem of a step.
func (s *step) point() bigmkl.PathPoint {
	return bigmkl.PathPoint{Norm: float64(s.Choice.Norm), C: s.Choice.Cost}
}

// measureWhole trains on all sources and permutes each at prediction.
func (r *importer) measureWhole(ctx context.Context, s *step, plan []reading) error {
	rows := r.rows[s.Fold]
	found := reading{What: whole}
	if r.own == nil {
		if err := r.useKernels(ctx, r.banks[0]); err != nil {
			return err
		}
		held, err := r.data.Train(ctx, rows, s.point(), nil)
		if err != nil {
			return err
		}
		r.enter(&found, held)
		found.Figures = r.figures(held, rows, nil)
		if err := r.keepDuals(s, allSources, held.Alpha); err != nil {
			return err
		}
		s.Readings = append(s.Readings, found)
		return r.keep(s, plan)
	}
	if err := r.own.use(ctx, r.banks[0]); err != nil {
		return err
	}
	m, held, err := r.own.data.TrainModel(ctx, s.point(), nil)
	if err != nil {
		return err
	}
	defer m.Close()
	r.enter(&found, held)
	readings, err := r.readWhole(ctx, m, r.own.known, s, plan, found)
	if err != nil {
		return err
	}
	if err := r.keepDuals(s, allSources, held.Alpha); err != nil {
		return err
	}
	s.Readings = readings
	return r.keep(s, plan)
}

// readWhole completes the reading of the model of all sources, and adds those with a source permuted at prediction.
func (r *importer) readWhole(ctx context.Context, m *bigmkl.Model, known *dataset.Known, s *step, plan []reading, found reading) ([]reading, error) {
	var err error
	if found.Figures, err = r.predict(ctx, m, known, r.rows[s.Fold], nil, nil); err != nil {
		return nil, err
	}
	readings := []reading{found}
	for _, next := range plan[1:] {
		if next.What != permuted {
			break
		}
		if next.Figures, err = r.predictPermuted(ctx, m, known, s, next.Sources[0]); err != nil {
			return nil, err
		}
		readings = append(readings, next)
	}
	return readings, nil
}

// enter takes the course of a training and the shares of the sources.
func (r *importer) enter(found *reading, held *bigmkl.Held) {
	found.Shares = r.sharesOf(held.Norms)
	found.enter(held)
}

// enter takes the course of a training.
func (found *reading) enter(held *bigmkl.Held) {
	found.Status, found.Gap, found.Iterations = string(held.Status), held.Gap, held.Iterations
}

// sharesOf returns the share of each source of the norms ||w_m|| of all classifiers.
func (r *importer) sharesOf(norms [][]float64) []float64 {
	shares, sum := make([]float64, len(r.origins)), 0.0
	for _, w := range norms {
		for k, o := range r.origins {
			for _, m := range o.kernels {
				shares[k] += w[m]
				sum += w[m]
			}
		}
	}
	for k := range shares {
		if sum > 0 {
			shares[k] /= sum
		}
	}
	return shares
}

// predictPermuted returns the mean figures of some permutations of the rows of a source at prediction.
func (r *importer) predictPermuted(ctx context.Context, m *bigmkl.Model, known *dataset.Known, s *step, source int) (map[string]float64, error) {
	rows := r.rows[s.Fold]
	times := min(max(permutedRows/len(rows), 1), mostPermutations)
	var all []map[string]float64
	for k := range times {
		p := newSwap(r.own.spool, r.origins[source].own).mix(rows, stream(r.all.Training.Seed, drawPermuted, r.numberOf(s), source, k))
		figures, err := r.predict(ctx, m, known, rows, p, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, figures)
	}
	return meanOf(all), nil
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

// train trains what a reading is of.
func (r *importer) train(ctx context.Context, s *step, found *reading) error {
	if found.What == null {
		return r.trainNull(ctx, s, found)
	}
	p, specs, importance := s.point(), r.banks[0], []float64(nil)
	var start [][]float64
	if found.What == alone {
		specs, p.C = r.origins[found.Sources[0]].specsOf(r.specs), s.Choice.Alone[found.Sources[0]]
	} else {
		if r.shortens {
			specs = originWithout(r.origins, found.Sources).specsOf(r.specs)
		} else {
			importance = importanceWithout(r.origins, found.Sources)
		}
		var err error
		if start, err = r.startOf(s, found.Sources); err != nil {
			return err
		}
	}
	rows := r.rows[s.Fold]
	var held *bigmkl.Held
	var err error
	if r.own == nil {
		if err := r.useKernels(ctx, specs); err != nil {
			return err
		}
		r.data.Tune(importance)
		defer r.data.Tune(nil)
		if held, err = r.data.Train(ctx, rows, p, start); err != nil {
			return err
		}
		found.Figures = r.figures(held, rows, nil)
	} else {
		if err := r.own.use(ctx, specs); err != nil {
			return err
		}
		r.own.data.Tune(importance)
		defer r.own.data.Tune(nil)
		var figures []map[string]float64
		if held, figures, err = r.trainHeldOut(ctx, p, specs, start, []string{s.Fold}, nil); err != nil {
			return err
		}
		found.Figures = figures[0]
	}
	found.enter(held)
	if found.What == without && len(found.Sources) == 1 {
		return r.keepDuals(s, found.Sources[0], held.Alpha)
	}
	return nil
}

// startOf returns the dual variables that a training without sources starts from: those of all sources, or of two sources
// those without the one whose share is larger, as the other one has less to change.
func (r *importer) startOf(s *step, sources []int) ([][]float64, error) {
	from := allSources
	if len(sources) == 2 {
		shares := s.Readings[0].Shares
		if from = sources[0]; shares[sources[1]] > shares[from] {
			from = sources[1]
		}
	}
	return r.recallDuals(s, from)
}

// trainNull trains with the rows of a source permuted, and predicts rows with the source permuted among them: that is
// noise of the same shape.
func (r *importer) trainNull(ctx context.Context, s *step, found *reading) error {
	source, rows := found.Sources[0], r.rows[s.Fold]
	p := r.permutedCopy(s, source)
	start, err := r.recallDuals(s, source) // Noise has little weight.
	if err != nil {
		return err
	}
	// Its kernels have the widths of the fold: distances within the source are the same, in another order.
	h, known, err := r.openWithout(ctx, rows, r.trainingOf(strings.Join(r.specs, ",")), p)
	if err != nil {
		return err
	}
	defer h.Close()
	m, held, err := h.TrainModel(ctx, s.point(), start)
	if err != nil {
		return err
	}
	defer m.Close()
	r.enter(found, held)
	found.Figures, err = r.predict(ctx, m, known, rows, p, nil)
	return err
}

// permutedCopy returns the swap that permutes a source among the rows of the training, and among those of the fold.
func (r *importer) permutedCopy(s *step, source int) *swap {
	rows, rng := r.rows[s.Fold], stream(r.all.Training.Seed, drawNull, r.numberOf(s), source)
	return newSwap(r.own.spool, r.origins[source].own).mix(rest(rows, r.data.Store().Len()), rng).mix(rows, rng)
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
