package selection

import (
	"context"
	"encoding/json"
	"fmt"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/train"
)

// Run reads src and trains the chains of o that its folder does not have yet. Then it sums them up.
// If chains of other parts are missing, the selection has no cells, and has the number of the missing chains.
// Run does not close src. When ctx is done, it returns the error of ctx, and what was trained is kept. A file
// of the folder that cannot be written ends no selection: a warning reports it, or a second error beside the
// error of ctx.
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
	// A tuning changes the importance of kernels between trainings, which needs another kind of
	// opening.
	open := bigmkl.OpenHeldOut
	if o.Tune != "" {
		open = bigmkl.OpenTuning
	}
	p, err := openPool(ctx, src, &o, open)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if err := o.takeTargets(p.data.Store().Targets(), p.data.Store().Uppers()); err != nil {
		return nil, err
	}
	r := &runner{options: &o, pool: p}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	return r.folder.finish(r.run(ctx))
}

// run trains the chains of this part, widens the grid or tunes where this is asked for, and sums
// the chains up. A tuning begins only once all chains are complete, because it starts from the
// best cell.
func (r *runner) run(ctx context.Context) (*Selection, error) {
	if err := r.trainAll(ctx); err != nil {
		return nil, err
	}
	s, err := r.summarize()
	if err == nil && r.options.widens && r.grid.widen(s) {
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
	options  *Options
	pool     *pool
	trials   *trials // nil if all trainings have the same rows
	division division
	grid     grid
	folder   *chainFolder
	// Kernels of a long list are not tried alone, and a warning of the selection names them.
	untried []string // sentences about what is not tried
}

// prepare lists the arms, the folds and all chains, and opens the folder. After it, the work of
// the run is fixed: it depends on the settings alone, and not on what the folder has.
func (r *runner) prepare(ctx context.Context) error {
	o := r.options
	// The settings are all that figures depend on. Options such as threads and memory are not among
	// them, so a selection may be resumed on another computer.
	s := &settings{Version: settingsVersion, Measure: o.Measure, Costs: o.Costs, Nested: o.Nested}
	if o.Tune != "" {
		s.Tune = &tuneSettings{o.Tune, o.TuneRows}
	}
	// The order matters. Costs that are counted need the kernels of each list, arms need the
	// costs, and folds may need the objects of the rows. The settings come last, because their
	// hash has all of these.
	r.grid.costs = o.Costs
	for bank := range o.Banks {
		facts, err := r.addBank(ctx, bank)
		if err != nil {
			return err
		}
		s.Facts = append(s.Facts, facts...)
	}
	if err := r.divide(ctx); err != nil {
		return err
	}
	s.Arms, s.Folds = r.grid.arms, r.division.hashes()
	if t := r.trials; t != nil {
		s.Trials, s.Folds = o.Trials.String()+" "+t.hash, t.hashes()
		r.grid.listOfTrials(r.division.folds)
	} else {
		s.Preparation = r.pool.preparation()
		r.grid.list(r.division.folds, o.Nested)
	}
	// Each file of a training has the hash of the settings: files of another selection are never taken for its own.
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	r.folder = &chainFolder{path: o.Folder, merged: o.Merge, selection: hashOf(text)}
	// A folder is made once those that are merged are known to fit.
	for _, folder := range o.Merge {
		var there settings
		found, err := readJSON(settingsPath(folder), &there)
		if err == nil && !found {
			err = fail.New(fail.Input, "the folder has no selection").At(folder, 0, 0)
		}
		if err == nil {
			err = rejectOther(folder, &there, s)
		}
		if err != nil {
			return err
		}
	}
	return openFolder(o.Folder, s, o.Command, o.Resume || o.Parts > 1 || len(o.Merge) > 0)
}

// addBank adds the arms of a list of kernels, and returns the facts that its figures depend on:
// data, program, kernels and the options of the training.
func (r *runner) addBank(ctx context.Context, bank int) ([]train.Fact, error) {
	o, data := r.options, r.pool.data
	if err := data.use(ctx, o.Banks[bank]); err != nil {
		return nil, err
	}
	if o.Tune != "" {
		if err := checkFactors(data); err != nil {
			return nil, err
		}
	}
	if err := r.countCosts(ctx, bank); err != nil {
		return nil, err
	}
	facts, err := data.Identity()
	if err != nil {
		return nil, err
	}
	if bank > 0 {
		// Facts that are not in the specifications, such as the content of matrices, differ too.
		for i, f := range facts {
			facts[i].Name = fmt.Sprintf("%s of list %d", f.Name, bank+1)
		}
	}
	names := data.Kernels().Names()
	arms := o.armsOf(bank, names)
	if text := describeUntried(arms, names); text != "" && !o.NoBaselines && isBlockNorm(&o.Training.Regularizer) {
		r.untried = append(r.untried, text)
	}
	r.grid.add(o.Trials.withMissing(arms), names)
	return facts, nil
}

// divide draws the folds. Trials have drawn theirs with their rows.
func (r *runner) divide(ctx context.Context) error {
	o := r.options
	if r.trials != nil {
		r.division = r.trials.division()
	} else {
		store := r.pool.data.Store()
		splits := o.Splits
		if err := splits.groupObjects(store, o.Training.Objects); err != nil {
			return err
		}
		// The folds depend on the seed and the rows alone. All arms have the same folds, so differences
		// between arms are paired by fold.
		folds, err := splits.draw(store, o.Training.Seed)
		if err != nil {
			return err
		}
		r.division = newDivision(folds, store.Len())
		r.division.groups = splits.together()
		if r.division.twins, err = r.division.describeTwins(ctx, store); err != nil {
			return err
		}
	}
	// Options.Validate finds a number of two folds. Folds with given names are counted only
	// here.
	if o.Nested && len(r.division.folds[0]) == 2 {
		return fail.New(fail.Usage, nestedFolds).WithHint("name 3 folds or more")
	}
	return nil
}

// trainAll trains the chains of this part. Chains of parts that are merged have to be there. At
// the end it looks again for chains of other parts, which may have run beside this one in the
// folder.
func (r *runner) trainAll(ctx context.Context) error {
	o := r.options
	// mine has the chains of this part that are not complete.
	var mine []*chain
	total, done := 0, 0
	// Part i of n takes each n-th chain. The parts need no word with each other, and have about the same costs.
	for k, c := range r.grid.chains {
		costs := r.grid.costsOf(c)
		if err := r.folder.recall(c, costs); err != nil {
			return err
		}
		// What lies beyond the grid is known once all parts are there, and trained by the run that joins them.
		if c.Wide || k%o.Parts == o.Part-1 && len(o.Merge) == 0 {
			if total, done = total+len(costs), done+len(c.Cells); len(c.Cells) < len(costs) {
				mine = append(mine, c)
			}
		}
	}
	p := &cellProgress{grid: &r.grid, measure: o.Measure, report: o.Report, total: total, done: done}
	err := sideBySide(r.pool, r.unitsOf(mine), func(lanes int, units []foldChains) error { return r.trainIn(ctx, lanes, units, p) })
	if err != nil {
		return err
	}
	// Another process of the same folder may have finished its chains in the meantime. The part
	// that ends last then sums the selection up, without a run of its own for that.
	for _, c := range r.grid.chains {
		if costs := r.grid.costsOf(c); len(c.Cells) < len(costs) {
			if err := r.folder.recall(c, costs); err != nil {
				return err
			}
		}
	}
	return nil
}
