package selection

import (
	"context"
	"math"
	"sync"
)

// importanceLane measures steps, one after the other. One goroutine owns it.
type importanceLane struct {
	*measuring
	// learner does the trainings: plain or linked, by the task.
	learner learner
	close   func() // frees what the lane has opened
}

// newLane returns a lane on a pool of its own. A task whose trainings start from 0 gets a plain
// learner, and all others a linked one.
func (r *importer) newLane(p *pool) *importanceLane {
	// The copy has a pool of its own, and shares the folder and the sources with all lanes.
	own := r.measuring
	own.pool = p
	store := p.data.Store()
	choose := &chooser{r.options.Norms, r.options.Costs, r.options.Measure, r.origins}
	deal := &dealer{store, groupsOf(r.options.Splits.Groups, store)}
	if trainsAlone(&r.trained) {
		trained, part := r.trained, &p.apart.training
		// A plain training gets the part of the lane, as openLanes has divided it.
		trained.Threads, trained.Memory, trained.Disk, trained.Heap = part.Threads, part.Memory, part.Disk, part.Heap
		return &importanceLane{&own, &plain{&own, choose, deal, trained}, p.closeFold}
	}
	l := &linked{measuring: &own, chooser: choose, dealer: deal}
	return &importanceLane{&own, l, func() {
		l.sampled.Close()
		p.closeFold()
	}}
}

// measureIn measures what is missing of steps, in so many lanes. A step is the unit of work: its
// readings start from each other.
func (r *importer) measureIn(ctx context.Context, count int, mine []*step, p *importanceProgress) error {
	var lanes []*importanceLane
	pools, err := r.pool.openLanes(count)
	if err != nil {
		return err
	}
	for _, own := range pools {
		l := r.newLane(own)
		defer l.close()
		lanes = append(lanes, l)
	}
	return inLanes(ctx, count, mine, func(ctx context.Context, lane int, s *step) error {
		return lanes[lane].measure(ctx, s, p)
	})
}

// measure measures what is missing of a step.
func (l *importanceLane) measure(ctx context.Context, s *step, p *importanceProgress) error {
	plan := l.planOf(s)
	// The plan is a list in a fixed order, and the readings are its beginning. Their number is thus the
	// whole state of a step.
	for len(s.Readings) < len(plan) {
		if err := ctx.Err(); err != nil {
			return err
		}
		found := len(s.Readings)
		if err := l.measureNext(ctx, s, plan); err != nil {
			return err
		}
		p.add(s, len(s.Readings)-found)
	}
	return nil
}

// measureNext adds the next reading to a step, or the next few that belong together. The file of the
// step is written after each reading, so a killed run loses one training.
func (l *importanceLane) measureNext(ctx context.Context, s *step, plan []reading) error {
	// The step of samples has a choice and rows of its own.
	if s.Fold == "" {
		return l.learner.measureSample(ctx, s, plan)
	}
	next := plan[len(s.Readings)]
	if err := l.useFold(ctx, s); err != nil {
		return err
	}
	// The norm and the cost are chosen without the rows of the fold, so figures on the fold are not
	// optimistic by the choice.
	if s.Choice == nil {
		var err error
		if s.Choice, err = l.learner.chooseIn(ctx, l.division.rows[s.Fold], l.numberOf(s)); err != nil {
			return err
		}
	}
	// The first reading trains on all sources. Predictions with permuted sources follow from its model,
	// so they are measured together.
	if next.What == whole {
		return l.learner.measureWhole(ctx, s, plan)
	}
	if err := l.learner.train(ctx, s, &next); err != nil {
		return err
	}
	s.Readings = append(s.Readings, next)
	return l.folder.keep(s, plan)
}

// importanceProgress counts readings and reports them, one lane at a time. total and done count
// readings and not steps, since a step of many sources may take long.
type importanceProgress struct {
	sources *sources
	measure string
	report  func(Progress)
	total   int

	mu   sync.Mutex
	done int
}

// add counts so many readings more of a step, and reports the last one.
func (p *importanceProgress) add(s *step, count int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += count
	if p.report == nil {
		return
	}
	last := &s.Readings[len(s.Readings)-1]
	// Readings of samples have shares and no figures.
	value, ok := last.Figures[p.measure]
	if !ok {
		value = math.NaN()
	}
	p.report(Progress{Done: p.done, Total: p.total, Fold: s.Fold, Reading: p.sources.describe(last), Value: value})
}
