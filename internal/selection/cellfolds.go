package selection

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
)

// foldChains are the chains that leave the same rows out. The data are opened once for them.
type foldChains []*chain

// unitsOf divides chains by the rows that they leave out. There is one unit if trainings share the data of all rows: also
// where a fold leaves rows of a single class. A unit is the work of one lane: opening the data takes as
// long as a training, and no two lanes should do it for one fold.
func (r *runner) unitsOf(chains []*chain) (units []foldChains) {
	// Without own preparation all trainings share one open pool, and one lane has all the work.
	own := r.pool.apart
	if own == nil || len(chains) == 0 {
		return []foldChains{chains}
	}
	byFold := func(a, b *chain) int { return cmp.Or(cmp.Compare(a.Fold, b.Fold), cmp.Compare(a.Other, b.Other)) }
	// Chains of one fold become neighbours. The stable order keeps the order of arms and costs in a
	// fold.
	slices.SortStableFunc(chains, byFold)
	for left := foldChains(chains); len(left) > 0; {
		count := 1
		for count < len(left) && byFold(left[0], left[count]) == 0 {
			count++
		}
		// Such a fold is trained on the shared data, where only one lane may be.
		if isOneClass(own.store, own.training.Multiclass, r.outOf(left[0])) {
			return []foldChains{chains}
		}
		units, left = append(units, left[:count]), left[count:]
	}
	return units
}

// outOf returns the rows that a chain leaves out, ascending.
func (r *runner) outOf(c *chain) []int32 {
	if c.Other == "" {
		return r.division.out[c.Fold]
	}
	return united(r.division.out[c.Fold], r.division.out[c.Other])
}

// trainIn trains what is missing of units of chains, in so many lanes.
func (r *runner) trainIn(ctx context.Context, count int, units []foldChains, p *cellProgress) error {
	lanes, err := r.pool.openLanes(count)
	if err != nil {
		return err
	}
	for _, own := range lanes {
		defer own.closeFold()
	}
	return inLanes(ctx, count, units, func(ctx context.Context, lane int, chains foldChains) error {
		for _, c := range chains {
			// Cells follow the costs upwards. Each of them starts from the dual variables of the cell
			// before.
			for len(c.Cells) < len(r.grid.costsOf(c)) {
				if err := ctx.Err(); err != nil {
					return err
				}
				if r.trials != nil {
					// The rows of a trial are opened in place of the rows of the trial before, which is
					// why trials have a single lane.
					if err := r.trials.use(ctx, lanes[lane], c.Fold, &r.grid.arms[c.Arm]); err != nil {
						return err
					}
				}
				if err := r.trainCell(ctx, lanes[lane], c); err != nil {
					return err
				}
				p.add(c)
			}
		}
		return nil
	})
}

// cellProgress counts cells and reports them, one lane at a time. A report has the arm and the cost of
// the last cell, so users see which combinations are slow.
type cellProgress struct {
	grid    *grid
	measure string
	report  func(Progress)
	total   int

	mu   sync.Mutex
	done int
}

// add counts the last cell of a chain and reports it.
func (p *cellProgress) add(c *chain) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if p.report == nil {
		return
	}
	last := &c.Cells[len(c.Cells)-1]
	value, ok := last.Figures[0][p.measure] // of the first fold; a nested chain has a second one
	if !ok {
		value = math.NaN()
	}
	fold := c.Fold
	if c.Other != "" {
		fold += "+" + c.Other
	}
	p.report(Progress{Done: p.done, Total: p.total, Arm: p.grid.arms[c.Arm], Cost: last.Cost, Fold: fold, Value: value})
}
