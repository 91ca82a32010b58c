package selection

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/mmap"
)

// Run reads src and trains the chains of o that its folder does not have yet. Then it sums them up.
// If chains of other parts are missing, the selection has no cells and says how many are. Run does
// not close src. When ctx is done, it returns the error of ctx, and what was trained is kept. A file
// of the folder that cannot be written ends no selection: a warning tells of it, or beside the error
// of ctx another one.
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
	r := &runner{options: &o, kernels: o.Banks[0], banks: slices.Clone(o.Banks)}
	if r.shared = o.sharedBecause(); !o.SharedPreparation && r.shared == "" {
		spool, err := dataset.NewSpool(o.Training.Scratch)
		if err != nil {
			return nil, err
		}
		r.own = &preparation{spool: spool}
		src = &recorded{src, spool}
	}
	defer r.own.Close()
	if r.open = bigmkl.OpenHeldOut; o.Tune != "" {
		r.open = bigmkl.OpenTuning
	}
	h, err := r.open(ctx, src, first)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	r.data = h
	o.takeUnit(h.Store().Targets())
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	return r.finish(r.run(ctx))
}

// run trains what is to be trained and sums it up.
func (r *runner) run(ctx context.Context) (*Selection, error) {
	if err := r.trainAll(ctx); err != nil {
		return nil, err
	}
	s, err := r.summarize()
	if err == nil && r.widen(s) {
		if err = r.trainAll(ctx); err == nil {
			s, err = r.summarize()
		}
	}
	if err == nil && r.options.Tune != "" && s.Best >= 0 {
		s.HeldOut = nil // The kept values are of trainings before the tuning.
		err = r.tune(ctx, s)
	}
	return s, err
}

// runner runs a selection.
type runner struct {
	options *Options
	open    func(context.Context, dataset.Source, bigmkl.Options) (*bigmkl.HeldOut, error)
	data    *bigmkl.HeldOut
	kernels string // specifications of the kernels in hand
	arms    []Arm
	folds   [][]fold // by repetition
	twins   string   // a warning of rows that are in a fold and, as equals, in its training; empty if they are few
	chains  []*chain
	rows    map[string][]int32 // of each fold by its name
	shape   *bigmkl.Model
	// selection is a hash of the settings.
	selection string
	own       *preparation // nil if the preparation is shared
	shared    string       // why it is, if nobody asked for that
	banks     []string     // the lists as they were asked for
	members   [][]int      // of each arm the numbers of its kernels in its list; nil for all
	wide      float64      // a cost beyond the grid, 0 if there is none
	trials    *trials      // nil if all trainings have the same rows
	unwritten unwritten
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
		for _, a := range o.Trials.withMissing(o.armsOf(bank, r.data.Kernels())) {
			alike := func(b Arm) bool {
				return a.Kind == Single && b.Kind == Single && a.Kernels == b.Kernels && a.Missing == b.Missing
			}
			if !slices.ContainsFunc(r.arms, alike) { // Lists may share kernels.
				r.arms, r.members = append(r.arms, a), append(r.members, membersOf(&a, r.data.Kernels()))
			}
		}
	}
	s.Preparation = r.prepared()
	if t := r.trials; t != nil {
		s.Trials = o.Trials.String() + " " + t.hash
		r.folds = t.folds()
	} else if r.folds, err = o.Splits.draw(r.data.Store(), o.Training.Seed); err != nil {
		return err
	}
	if r.trials == nil {
		if r.twins, err = r.describeTwins(ctx, r.data.Store()); err != nil {
			return err
		}
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

// prepared says from which rows what is prepared comes.
func (r *runner) prepared() Preparation {
	switch {
	case r.trials != nil:
		return ""
	case r.own != nil:
		return PreparedApart
	}
	return PreparedShared
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
	if r.own != nil { // The data are opened once for each fold.
		slices.SortStableFunc(mine, func(a, b *chain) int {
			return cmp.Or(cmp.Compare(a.Fold, b.Fold), cmp.Compare(a.Other, b.Other))
		})
	}
	for _, c := range mine {
		for len(c.Cells) < len(r.costsOf(c)) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := r.useTrial(ctx, c.Fold, &r.arms[c.Arm]); err != nil {
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
	if held := r.unwritten[c.pathOf(r.options.Folder)]; held != nil && len(held.Cells) > len(c.Cells) {
		*c = *held
		return nil
	}
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
