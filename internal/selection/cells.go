package selection

import (
	"context"
	"math"
	"time"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/model"
	"bigmkl/internal/train"
)

// A cell is one training: an arm (kernels and p), the fold that it leaves out, and a cost C. The cells of an arm and a
// fold are a chain over the costs of the grid. Each starts from the dual variables of the cell before, which are near
// its own: a chain costs little more than its hardest cell. The file of a chain is written after each cell, so a
// selection that is killed loses one training.

// trainCell trains the next cell of a chain on a pool, and writes the chain. The steps are: open the
// fold, take the dual variables of the previous cell, train, measure, write the file.
func (r *runner) trainCell(ctx context.Context, p *pool, c *chain) error {
	began := time.Now()
	arm, rows := &r.grid.arms[c.Arm], &r.division
	out, tested := r.outOf(c), [][]int32{rows.rows[c.Fold]}
	// A nested selection repeats the selection without each fold. Its chains leave out two folds and have figures of
	// both. The figures of one fold choose the combination for the other.
	if c.Other != "" {
		tested = append(tested, rows.rows[c.Other])
	}
	apart := p.apart != nil
	if apart {
		var err error
		if apart, err = p.apart.openFold(ctx, c.Fold+"\x00"+c.Other, out, arm.Bank); err != nil {
			return err
		}
	}
	data := p.data
	if apart {
		data = p.apart.data
	} else if err := data.use(ctx, arm.Kernels); err != nil {
		return err
	}
	var start [][]float64
	// The file keeps every bit of the dual variables, so a resumed chain comes to the same figures.
	if len(c.Cells) > 0 {
		alpha, ok := decodeAlpha(c.Alpha, data.Classifiers(), data.Store().Len())
		if !ok {
			return damaged(c.pathOf(r.folder.path), "the dual variables are damaged")
		}
		start = alpha
	}
	costs := r.grid.costsOf(c)
	point := bigmkl.PathPoint{Norm: float64(arm.Norm), C: costs[len(c.Cells)], CostPower: arm.CostPower}
	var held *bigmkl.Held
	var figures []map[string]float64
	var kept *keptValues // of one fold
	var err error
	// Decision values are kept for curves of the best cell. Nested chains and trials have no such
	// curves.
	if c.Other == "" && r.trials == nil {
		kept = newKeptValues(p.shape, len(r.grid.arms)*len(rows.rows)*len(r.grid.costs), len(tested[0]))
	}
	// Rows of the fold had no part in scaling and widths if the data are apart. Figures then
	// come from a model that reads these rows, as predict does. In the other case all rows are
	// packed, and the training returns decision values of the rows that it left out.
	if apart {
		held, figures, err = p.apart.train(ctx, point, p.apart.specsOf(arm, r.grid.members[c.Arm]), start, tested, kept)
	} else if held, err = data.Train(ctx, out, point, start); err == nil {
		for _, list := range tested {
			figures = append(figures, p.figures(held, list, kept))
		}
	}
	if err != nil {
		return err
	}
	found := cell{
		Cost: point.C, Status: string(held.Status), Gap: held.Gap, Iterations: held.Iterations, Figures: figures,
	}
	if kept != nil {
		found.Values = kept.text()
	}
	found.Seconds = time.Since(began).Seconds()
	c.Cells, c.Alpha = append(c.Cells, found), ""
	if c.Wide {
		c.Cells[0].Seconds = 0 // Several parts may write the file, and the same into it.
	}
	// Dual variables have 8 bytes for each row and classifier. The last cell of a chain starts
	// no other cell, so its file is small.
	if len(c.Cells) < len(costs) {
		c.Alpha = encodeAlpha(held.Alpha)
	}
	return r.folder.write(c)
}

// merged returns the rows of two ascending lists, ascending. A row in both appears twice.
func merged(a, b []int32) []int32 {
	var all []int32
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// figuresAt returns the figures of a training on the listed rows among the rows left out, both ascending. Rows
// are rows of the store, and the shape is a model with the meaning of decision values. It is for
// trainings on shared preparation, which return decision values in place of a model.
func figuresAt(shape *bigmkl.Model, store *dataset.Store, held *bigmkl.Held, rows []int32, kept *keptValues) map[string]float64 {
	// The shape is shared by all trainings. The copy has classifiers of its own, because some
	// get marked below.
	m := *shape
	m.Classifiers = append(m.Classifiers[:0:0], m.Classifiers...)
	for _, k := range held.Untrained {
		if m.Several() {
			// Models mark a classifier that no step was taken for by such a gap, and votes leave it out.
			m.Classifiers[k].Certificate.RelativeGap = math.Inf(1)
		}
	}
	// Uno's concordance index weighs pairs by the censoring of the rows of the training. A model
	// file has these times too.
	if m.Labeling() == dataset.Times {
		m.Censoring = censoringWithout(store, held.Rows)
	}
	decider, s := m.NewDecider(), score.New(&m.Model)
	// Both lists ascend, so one pass finds the places.
	at := 0
	var right, known [2]int
	for _, i := range rows {
		for held.Rows[at] != i {
			at++
		}
		decisions := make([]float64, len(held.Decisions))
		for k := range decisions {
			decisions[k] = held.Decisions[k][at]
		}
		p := decider.Decide(decisions)
		// The store has the labels as numbers of classes. The score compares names, as predict does.
		p.Target = math.NaN()
		if m.HasClasses() {
			p.Known = store.Classes()[store.Labels()[i]]
			if !m.Several() {
				if known[store.Labels()[i]]++; p.Label == p.Known {
					right[store.Labels()[i]]++
				}
			}
		} else {
			p.Target, p.Decision = store.Targets()[i], model.Predicted(m.Task, p.Decision)
			if isRanked(store) {
				p.Known = store.Classes()[store.Labels()[i]]
			}
			if uppers := store.Uppers(); uppers != nil {
				p.Upper = uppers[i]
			}
		}
		kept.add(&m, &p)
		s.Add(p)
	}
	return figuresOf(s, m.Several(), right, known)
}

// censoringWithout returns what a model keeps of the times of the rows of a store that were not held out.
func censoringWithout(store *dataset.Store, held []int32) model.Censoring {
	var times, uppers []float64
	for _, i := range rest(held, store.Len()) {
		times = append(times, store.Targets()[i])
		if store.Uppers() != nil {
			uppers = append(uppers, store.Uppers()[i])
		}
	}
	return train.CensoringOf(times, uppers)
}

// figuresOf returns the figures that are defined. right and known count the rows of either class.
func figuresOf(s *score.Score, several bool, right, known [2]int) map[string]float64 {
	figures := map[string]float64{}
	for _, f := range s.Evaluation().Figures {
		// JSON has neither NaN nor infinities. A missing key represents a figure that is not
		// defined.
		if !math.IsNaN(f.Value) && !math.IsInf(f.Value, 0) {
			figures[f.Key] = f.Value
		}
	}
	if !several {
		addSides(figures, right, known)
	}
	return figures
}
