package selection

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/evaluate/score"
	"bigmkl/internal/fail"
	"bigmkl/mmap"
)

// Run reads src and trains the chains of o that its folder does not have yet. Then it sums them up.
// If chains of other parts are missing, the selection has no cells and says how many are. Run does
// not close src. When ctx is done, it returns the error of ctx, and what was trained is kept.
//
// An error is of one of the classes of package bigmkl.
func Run(ctx context.Context, src dataset.Source, o Options) (*Selection, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o.setDefaults()
	if o.Trials.asked() {
		return runTrials(ctx, src, &o)
	}
	first := o.Training
	first.Kernels = o.Banks[0]
	open := bigmkl.OpenHeldOut
	if o.Tune != "" {
		open = bigmkl.OpenTuning
	}
	h, err := open(ctx, src, first)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	r := &runner{options: &o, data: h, kernels: o.Banks[0]}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	if err := r.trainAll(ctx); err != nil {
		return nil, err
	}
	s, err := r.summarize()
	if err == nil && r.widen(s) {
		if err = r.trainAll(ctx); err == nil {
			s, err = r.summarize()
		}
	}
	if err == nil && o.Tune != "" && s.Best >= 0 {
		err = r.tune(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// runner runs a selection.
type runner struct {
	options *Options
	data    *bigmkl.HeldOut
	kernels string // specifications of the kernels in hand
	arms    []Arm
	folds   [][]fold // by repetition
	chains  []*chain
	rows    map[string][]int32 // of each fold by its name
	shape   *bigmkl.Model
	// selection is a hash of the settings.
	selection string
	wide      float64 // a cost beyond the grid, 0 if there is none
	trials    *trials // nil if all trainings have the same rows
}

// prepare lists the arms and the folds, and opens the folder.
func (r *runner) prepare(ctx context.Context) error {
	o := r.options
	s := &settings{Version: settingsVersion, Measure: o.Measure, Costs: o.Costs, Nested: o.Nested}
	if o.Tune != "" {
		s.Tune = &tuneSettings{o.Tune, o.TuneRows}
	}
	var err error
	for bank, specs := range o.Banks {
		if err := r.useKernels(ctx, specs); err != nil {
			return err
		}
		if err := r.checkFactors(); err != nil {
			return err
		}
		if err := r.countCosts(ctx, bank); err != nil {
			return err
		}
		facts, err := r.data.Identity()
		if err != nil {
			return err
		}
		if bank > 0 {
			// What does not stand in the specifications, such as the content of matrices, differs too.
			for i, f := range facts {
				facts[i].Name = fmt.Sprintf("%s of list %d", f.Name, bank+1)
			}
		}
		s.Facts = append(s.Facts, facts...)
		for _, a := range o.withMissing(o.armsOf(bank, r.data.Kernels())) {
			alike := func(b Arm) bool {
				return a.Kind == Single && b.Kind == Single && a.Kernels == b.Kernels && a.Missing == b.Missing
			}
			if !slices.ContainsFunc(r.arms, alike) { // Lists may share kernels.
				r.arms = append(r.arms, a)
			}
		}
	}
	if t := r.trials; t != nil {
		s.Trials = o.Trials.String() + " " + t.hash
		r.folds = t.folds()
	} else if r.folds, err = o.Splits.draw(r.data.Store(), o.Training.Seed); err != nil {
		return err
	}
	if o.Nested && len(r.folds[0]) == 2 {
		return fail.New(fail.Usage, nestedFolds).WithHint("name 3 folds or more")
	}
	r.rows, r.shape = map[string][]int32{}, r.data.Shape()
	for _, list := range r.folds {
		for _, f := range list {
			r.rows[f.Name] = f.rows
			text := mmap.Bytes(f.rows)
			if r.trials != nil {
				text = slices.Concat(text, mmap.Bytes(r.trials.partAt(f.Name).rows))
			}
			s.Folds = append(s.Folds, f.Name+" "+hashOf(text))
		}
	}
	s.Arms = r.arms
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	r.selection = hashOf(text)
	r.listChains()
	// A folder is made once those that are merged are known to fit.
	for _, folder := range o.Merge {
		var there settings
		found, err := readJSON(settingsPath(folder), &there)
		if err == nil && !found {
			err = fail.New(fail.Input, "the folder has no selection").At(folder, 0, 0)
		}
		if err == nil {
			err = refuseOther(folder, &there, s)
		}
		if err != nil {
			return err
		}
	}
	return openFolder(o.Folder, s, o.Command, o.Resume || o.Parts > 1 || len(o.Merge) > 0)
}

// listChains lists what is to be trained: each arm without each fold and, nested, each arm without
// each pair of folds of one repetition.
func (r *runner) listChains() {
	if r.trials != nil {
		// The chains of a trial follow each other, so that its rows are laid out once.
		for _, list := range r.folds {
			for _, share := range r.shares() {
				for _, f := range list {
					for k, a := range r.arms {
						if a.Missing == share {
							r.chains = append(r.chains, &chain{Arm: k, Fold: f.Name})
						}
					}
				}
			}
		}
		return
	}
	for k := range r.arms {
		for _, list := range r.folds {
			for _, f := range list {
				r.chains = append(r.chains, &chain{Arm: k, Fold: f.Name})
			}
		}
		if !r.options.Nested {
			continue
		}
		for _, list := range r.folds {
			for i, f := range list {
				for _, g := range list[i+1:] {
					r.chains = append(r.chains, &chain{Arm: k, Fold: f.Name, Other: g.Name})
				}
			}
		}
	}
}

// useKernels makes the kernels of an arm, unless they are those in hand.
func (r *runner) useKernels(ctx context.Context, specs string) error {
	if specs == r.kernels {
		return nil
	}
	r.kernels = specs
	return r.data.UseKernels(ctx, specs)
}

// trainAll trains the chains of this part. Chains of parts that are merged have to be there. At the
// end it looks again for those of other parts, which may have run beside this one in the folder.
func (r *runner) trainAll(ctx context.Context) error {
	o := r.options
	var mine []*chain
	total, done := 0, 0
	for k, c := range r.chains {
		costs := r.costsOf(c)
		if err := r.recall(c, costs); err != nil {
			return err
		}
		// What lies beyond the grid is known once all parts are there, and trained by the run that joins them.
		if c.Wide || k%o.Parts == o.Part-1 && len(o.Merge) == 0 {
			mine = append(mine, c)
			total, done = total+len(costs), done+len(c.Cells)
		}
	}
	for _, c := range mine {
		for len(c.Cells) < len(r.costsOf(c)) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := r.useTrial(ctx, c.Fold, &r.arms[c.Arm]); err != nil {
				return err
			}
			if err := r.useKernels(ctx, r.arms[c.Arm].Kernels); err != nil {
				return err
			}
			if err := r.trainCell(ctx, c); err != nil {
				return err
			}
			done++
			if o.Report != nil {
				last := &c.Cells[len(c.Cells)-1]
				value, ok := last.Figures[0][o.Measure]
				if !ok {
					value = math.NaN()
				}
				fold := c.Fold
				if c.Other != "" {
					fold += "+" + c.Other
				}
				o.Report(Progress{Done: done, Total: total, Arm: r.arms[c.Arm], Cost: last.Cost, Fold: fold,
					Value: value})
			}
		}
	}
	for _, c := range r.chains {
		if costs := r.costsOf(c); len(c.Cells) < len(costs) {
			if err := r.recall(c, costs); err != nil {
				return err
			}
		}
	}
	return nil
}

// recall reads what the folder, or one that is merged, has of a chain of the given costs.
func (r *runner) recall(c *chain, costs []float64) error {
	for _, folder := range append([]string{r.options.Folder}, r.options.Merge...) {
		path, there := c.pathOf(folder), chain{}
		found, err := readJSON(path, &there)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		if err := there.check(path, r.selection, c, costs, len(c.names())); err != nil {
			return err
		}
		if len(there.Cells) > len(c.Cells) {
			*c = there
		}
	}
	return nil
}

// names lists the folds of a chain.
func (c *chain) names() []string {
	if c.Other == "" {
		return []string{c.Fold}
	}
	return []string{c.Fold, c.Other}
}

// trainCell trains the next cell of a chain and writes the chain.
func (r *runner) trainCell(ctx context.Context, c *chain) error {
	o, began := r.options, time.Now()
	var start [][]float64
	if len(c.Cells) > 0 {
		alpha, ok := decodeAlpha(c.Alpha, r.data.Machines(), r.data.Store().Len())
		if !ok {
			return damaged(c.pathOf(o.Folder), "the dual variables are damaged")
		}
		start = alpha
	}
	out := r.rows[c.Fold]
	if c.Other != "" {
		out = merged(out, r.rows[c.Other])
	}
	arm := &r.arms[c.Arm]
	point := bigmkl.PathPoint{Norm: float64(arm.Norm), C: r.costsOf(c)[len(c.Cells)], CostPower: arm.CostPower}
	held, err := r.data.Train(ctx, out, point, start)
	if err != nil {
		return err
	}
	found := cell{
		Cost: point.C, Status: string(held.Status), Gap: held.Gap, Iterations: held.Iterations,
	}
	for _, name := range c.names() {
		found.Figures = append(found.Figures, r.figures(held, r.rows[name]))
	}
	found.Seconds = time.Since(began).Seconds()
	c.Cells, c.Alpha = append(c.Cells, found), ""
	if c.Wide {
		c.Cells[0].Seconds = 0 // Several parts may write the file, and the same into it.
	}
	if len(c.Cells) < len(r.costsOf(c)) {
		c.Alpha = encodeAlpha(held.Alpha)
	}
	if c.Sum, err = c.sum(r.selection); err != nil {
		return err
	}
	return writeJSON(c.pathOf(o.Folder), c)
}

// merged returns the rows of two lists, both ascending and without a row in common.
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

// figures returns the figures of a training on those of the rows left out that are listed, both
// ascending.
func (r *runner) figures(held *bigmkl.Held, rows []int32) map[string]float64 {
	m, store := *r.shape, r.data.Store()
	m.Machines = append(m.Machines[:0:0], m.Machines...)
	for _, k := range held.Untrained {
		if m.Several() {
			m.Machines[k].Certificate.RelativeGap = math.Inf(1)
		}
	}
	decider, s := m.NewDecider(), score.New(&m.Model)
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
		p.Target = math.NaN()
		if m.HasClasses() {
			p.Known = store.Classes()[store.Labels()[i]]
			if !m.Several() {
				if known[store.Labels()[i]]++; p.Label == p.Known {
					right[store.Labels()[i]]++
				}
			}
		} else {
			p.Target = store.Targets()[i]
		}
		s.Add(p)
	}
	figures := map[string]float64{}
	for _, f := range s.Evaluation().Figures {
		if !math.IsNaN(f.Value) && !math.IsInf(f.Value, 0) {
			figures[f.Key] = f.Value
		}
	}
	if !m.Several() {
		addSides(figures, right, known)
	}
	return figures
}
