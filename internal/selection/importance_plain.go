package selection

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/train"
)

// Discriminants, mixtures, and one problem of all classes or classifiers have no training that starts from another
// one. Each of their trainings reads its rows again and starts from nothing. The rows themselves are opened as in a
// classification, which has their labels and the kernels of the list.

// plain does the trainings of tasks whose trainings start from nothing, one by one. It costs more than
// linked: M sources take at least 2M + 1 whole trainings for each fold.
type plain struct {
	*measuring
	*chooser
	*dealer
	trained bigmkl.Options
}

// trainsAlone reports whether the trainings of some options share nothing but rows.
func trainsAlone(t *bigmkl.Options) bool {
	return model.TrainsAlone(t.Task, t.Multiclass) || t.OneTheta
}

// hasCost reports whether the options have a cost C to choose. Discriminants and mixtures of maximum
// likelihood have none.
func hasCost(t *bigmkl.Options) bool {
	return !slices.Contains(model.Costless, t.Task)
}

// opening returns the options that rows are opened with.
func opening(t bigmkl.Options) bigmkl.Options {
	if !trainsAlone(&t) {
		return t
	}
	// Fields of the task would be rejected by a classification, so they go back to their zero values.
	t.Multiclass = model.PlainDecomposition(t.Task, t.Multiclass)
	t.Task, t.OneTheta = model.TaskClass, false
	t.Lambda, t.JointCost, t.DiscriminantRule = 0, false, ""
	t.Entropy, t.Restarts, t.Rounds = "", 0, 0
	t.Posteriors = bigmkl.Posteriors{}
	return t
}

// ownFacts lists what figures depend on beside the facts of the opening. A folder must not be resumed
// under other values of them, as its figures would mix two problems.
func ownFacts(t bigmkl.Options) []train.Fact {
	if !trainsAlone(&t) {
		return nil
	}
	lambda := fmt.Sprint(t.Lambda)
	if t.JointCost {
		lambda = "joint"
	}
	return []train.Fact{
		{Name: "trained task", Value: strings.TrimSpace(t.Task + " " + t.Multiclass)},
		{Name: "one set of weights", Value: fmt.Sprint(t.OneTheta)},
		{Name: "lambda", Value: lambda}, {Name: "rule", Value: t.DiscriminantRule},
		{Name: "entropy", Value: t.Entropy}, {Name: "restarts", Value: fmt.Sprint(t.Restarts)}, {Name: "rounds", Value: fmt.Sprint(t.Rounds)},
		{Name: "neighbours of posteriors", Value: fmt.Sprint(t.Posteriors.Neighbours)},
	}
}

// checkAlone rejects a training that reads its rows again each time where preparation is shared because of files of
// all rows.
func checkAlone(trained *bigmkl.Options, because string) error {
	if because == "" || !trainsAlone(trained) {
		return nil
	}
	return fail.New(fail.Usage, "each training of %s reads its rows anew, and %s", strings.TrimSpace("task "+trained.Task+" "+trained.Multiclass), because)
}

// trainOn is one training without some rows, with the features of a source permuted unless s is nil.
func (p *plain) trainOn(ctx context.Context, out []int32, specs string, at bigmkl.PathPoint, gap float64, s *swap) (*bigmkl.Model, *dataset.Known, *bigmkl.Held, error) {
	// Each training reads the spool from the beginning.
	if err := p.pool.apart.spool.Rewind(); err != nil {
		return nil, nil, nil, err
	}
	o := ofSpool(p.trained, specs)
	o.Norm, o.Gap = at.Norm, gap
	// The option C of a task without a cost would be rejected.
	if hasCost(&o) {
		o.C = at.C
	}
	src := p.pool.apart.others(out, o.Sequences, s)
	m, found, err := bigmkl.Train(ctx, src, o)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := ctx.Err(); err != nil { // Its model may not have reached the gap.
		m.Close()
		return nil, nil, nil, err
	}
	// The largest gap of several classifiers is the gap of the training, because it decides how exact
	// the figures are.
	held := &bigmkl.Held{Point: at, Status: found.Status, Iterations: found.Iterations, Gap: m.Certificate.RelativeGap}
	if m.Several() {
		for k := range m.Classifiers {
			a := m.Classifier(k)
			held.Norms, held.Gap = append(held.Norms, a.WNorms), max(held.Gap, a.Certificate.RelativeGap)
		}
	} else {
		held.Norms = [][]float64{m.WNorms}
	}
	return m, src.known, held, nil
}

// chooseIn implements learner.
func (p *plain) chooseIn(ctx context.Context, out []int32, number int) (*chosen, error) {
	// The stream has the number of the fold, so the choice of a fold is the same in any order of folds.
	rng := stream(p.seed, drawChoice, number)
	rows := p.draw(rest(out, p.pool.data.Store().Len()), choiceRows, rng)
	return p.chooseAmong(ctx, &plainFolds{plain: p, rows: rows, specs: p.list}, p.deal(rows, choiceFolds, 0, rng), p.specs)
}

// measureWhole implements learner.
func (p *plain) measureWhole(ctx context.Context, s *step, plan []reading) error {
	m, known, held, err := p.trainOn(ctx, p.division.rows[s.Fold], p.list, s.point(), p.gap, nil)
	if err != nil {
		return err
	}
	defer m.Close()
	found := reading{What: whole}
	p.enter(&found, held)
	readings, err := p.readWhole(ctx, m, known, s, plan, found)
	if err != nil {
		return err
	}
	s.Readings = readings
	return p.folder.keep(s, plan)
}

// train implements learner. Shares of ||w|| are read from the whole and the null trainings alone.
func (p *plain) train(ctx context.Context, s *step, found *reading) error {
	at, specs := s.point(), p.list
	var mixed *swap
	switch source := found.Sources[0]; found.What {
	case null:
		mixed = p.permutedCopy(s, source)
	case alone:
		specs, at = p.origins[source].specsOf(p.specs), s.pointAlone(source)
	// A training without sources is a training on the kernels of all others.
	default:
		var left []string
		for k := range p.origins {
			if !slices.Contains(found.Sources, k) {
				left = append(left, p.origins[k].specsOf(p.specs))
			}
		}
		specs = strings.Join(left, ",")
	}
	m, known, held, err := p.trainOn(ctx, p.division.rows[s.Fold], specs, at, p.gap, mixed)
	if err != nil {
		return err
	}
	defer m.Close()
	if found.What == null {
		p.enter(found, held)
	} else {
		found.enter(held)
	}
	found.Figures, err = p.pool.apart.predict(ctx, m, known, p.division.rows[s.Fold], mixed, nil)
	return err
}

// measureSample implements learner.
func (p *plain) measureSample(ctx context.Context, s *step, plan []reading) error {
	n := p.pool.data.Store().Len()
	rows := p.draw(rest(nil, n), sampleRows, stream(p.seed, drawSampleRows))
	if s.Choice == nil {
		rng := stream(p.seed, drawChoice, p.numberOf(s))
		in := &plainFolds{plain: p, rows: rows, specs: p.list}
		var err error
		if s.Choice, err = p.chooseAmong(ctx, in, p.deal(rows, choiceFolds, 0, rng), p.specs); err != nil {
			return err
		}
	}
	next, at := plan[len(s.Readings)], s.point()
	if next.What == sparse && !model.Weightless(p.trained.Task) {
		at.Norm = sparseSum
	}
	// Two readings follow each other on the same half: at the chosen norm and at p = 1. Their number
	// divided by 2 is therefore the number of the half.
	half := p.deal(rows, 1, 0.5, stream(p.seed, drawSample, len(s.Readings)/2))[0]
	m, _, held, err := p.trainOn(ctx, rest(half, n), p.list, at, p.gap, nil)
	if err != nil {
		return err
	}
	m.Close()
	p.enter(&next, held)
	s.Readings = append(s.Readings, next)
	return p.folder.keep(s, plan)
}

// plainFolds are folds of some rows, each training of which starts from nothing.
//
// plainFolds implements innerFolds. NaN is the figure of a training that is not possible or whose
// measure is not defined.
type plainFolds struct {
	plain *plain
	rows  []int32
	specs string
}

func (f *plainFolds) use(_ context.Context, specs string) error {
	f.specs = specs
	return nil
}

func (f *plainFolds) measure(ctx context.Context, fold []int32, norm float64, costs []float64) ([]float64, error) {
	p := f.plain
	out := united(rest(f.rows, p.pool.data.Store().Len()), fold)
	figures := slices.Repeat([]float64{math.NaN()}, len(costs))
	if isOneClass(p.pool.data.Store(), p.pool.apart.training.Multiclass, out) {
		return figures, nil
	}
	// The choice needs less accuracy than the figures, so its gap is at least choiceGap.
	for k, c := range costs {
		m, known, _, err := p.trainOn(ctx, out, f.specs, bigmkl.PathPoint{Norm: norm, C: c}, max(p.gap, choiceGap), nil)
		if err != nil {
			return nil, err
		}
		found, err := p.pool.apart.predict(ctx, m, known, fold, nil, nil)
		m.Close()
		if err != nil {
			return nil, err
		}
		if x, defined := found[p.measure]; defined {
			figures[k] = x
		}
	}
	return figures, nil
}
