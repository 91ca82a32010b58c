package selection

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// Measure reads src and measures the importance of its sources, as far as the folder does not have that yet. If steps of
// other parts are missing, there are no sources, and Importance.Missing is their number. Measure does not close src.
// When ctx is done, it returns the error of ctx, and what was measured is kept. A file of the folder that cannot be
// written ends nothing: a warning reports it, or a second error beside the error of ctx.
//
// An error is of one of the classes of package bigmkl.
func Measure(ctx context.Context, src dataset.Source, o ImportanceOptions) (*Importance, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	// A number of repetitions that the user gave stays. Otherwise it depends on the number of rows,
	// which is known after reading: few rows need more repetitions for the same error.
	fixed := o.Splits.Repeat != 0
	o.setDefaults()
	trained := o.Training
	// Rows are opened as in a classification where the trainings have another form. The options of the
	// trainings themselves are kept in trained.
	o.Training = opening(trained)
	if err := checkAlone(&trained, o.sharedBecause()); err != nil {
		return nil, err
	}
	p, err := openPool(ctx, src, &o.Options, bigmkl.OpenTuning)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	store := p.data.Store()
	// Default costs count the deviation of the targets, and some measures need targets of one kind.
	// Both are known only after the rows have been read.
	if err := o.takeTargets(store.Targets(), store.Uppers()); err != nil {
		return nil, err
	}
	if !fixed && o.Splits.Folds > 0 {
		o.Splits.Repeat = repeats(store.Len())
	}
	r := &importer{options: &o, trained: trained}
	r.pool, r.specs, r.list, r.seed, r.gap = p, p.data.Kernels().Specifications(), o.Banks[0], o.Training.Seed, o.Training.Gap
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	if err := r.measureAll(ctx); err != nil {
		return r.folder.finish(r.steps, nil, err)
	}
	// The findings are computed from the readings of all steps, also of those that other runs have
	// measured.
	found, err := r.weigh()
	return r.folder.finish(r.steps, found, err)
}

// importer measures an importance. Its methods find what to measure, and the lanes measure it.
type importer struct {
	measuring
	options *ImportanceOptions // their training is that which rows are opened with
	trained bigmkl.Options
}

// The streams of random numbers are part of the bits of an importance.
const (
	// They differ from the constants of trials, so no two purposes have the same random numbers.
	drawPermuted = 0x696d706f_7200 + iota // the letters of "impor"
	drawNull
	drawChoice
	drawSampleRows
	drawSample
)

// prepare finds the sources and the folds, and opens the folder.
func (r *importer) prepare(ctx context.Context) error {
	o, p := r.options, r.pool
	r.sources = sources{originsOf(p.data.Kernels().Bank, o.Each), o.Samples, p.apart != nil}
	if err := checkOrigins(r.origins); err != nil {
		return err
	}
	// The shape is everything that the readings depend on. A folder with another shape is rejected,
	// since figures of two problems must not be mixed.
	s := &importanceShape{Version: importanceVersion, Measure: o.Measure, Costs: o.Costs, Each: o.Each, Samples: o.Samples, Preparation: p.preparation()}
	for _, p := range o.Norms {
		s.Norms = append(s.Norms, Norm(p))
	}
	for _, source := range r.origins {
		s.Sources = append(s.Sources, source.name)
	}
	var err error
	if s.Facts, err = p.data.Identity(); err != nil {
		return err
	}
	s.Facts = append(s.Facts, ownFacts(r.trained)...)
	store := p.data.Store()
	splits := o.Splits
	// Rows aside would be neither trained on nor tested, and a permutation of a source would have to
	// leave them out.
	if splits.HoldOut == HoldOutBoth {
		return fail.New(fail.Usage, "--hold-out %s of importance: not yet", HoldOutBoth).WithHint("name one column of objects")
	}
	if err := splits.groupObjects(store, o.Training.Objects); err != nil {
		return err
	}
	if splits.leavesAside() {
		return fail.New(fail.Usage, "--hold-out %s of importance: not yet for columns of one kind of objects", splits.HoldOut).
			WithHint("--hold-out %s", HoldOutPairs)
	}
	folds, err := splits.draw(store, o.Training.Seed)
	if err != nil {
		return err
	}
	d := newDivision(folds, store.Len())
	if d.twins, err = d.describeTwins(ctx, store); err != nil {
		return err
	}
	r.division, s.Folds = &d, d.hashes()
	for _, f := range slices.Concat(folds...) {
		// A table of losses needs every fold, so a fold without a training ends the run before the
		// first training.
		if isOneClass(store, o.Training.Multiclass, f.rows) {
			return fail.New(fail.Input, "without fold %s all rows are of one class", fail.Word(f.Name)).WithHint("use more folds, or stratified ones")
		}
		r.steps = append(r.steps, &step{Fold: f.Name})
	}
	// The step without a fold is for the samples of rows. It comes behind the folds.
	if o.Samples > 0 {
		r.steps = append(r.steps, &step{})
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	r.folder = &stepFolder{path: o.Folder, merged: o.Merge, settings: hashOf(text), sources: &r.sources}
	// Merged folders are compared before the own folder is made, so an error leaves no folder behind.
	for _, folder := range o.Merge {
		var there importanceShape
		found, err := readJSON(filepath.Join(folder, importanceSettings), &there)
		if err == nil && !found {
			err = fail.New(fail.Input, "the folder has no importance").At(folder, 0, 0)
		}
		if err == nil {
			err = rejectOtherImportance(folder, &there, s)
		}
		if err != nil {
			return err
		}
	}
	return openImportance(o.Folder, s, o.Command, o.Resume || o.Parts > 1 || len(o.Merge) > 0)
}

// measureAll measures the steps of this part. Steps of parts that are merged have to be there. Step k
// belongs to part k mod Parts, so parts have equally many folds.
func (r *importer) measureAll(ctx context.Context) error {
	o := r.options
	total, done := 0, 0
	var mine []*step
	for k, s := range r.steps {
		if err := r.folder.recall(s); err != nil {
			return err
		}
		// A run that merges only reads: all steps have to be complete in the folders.
		if k%o.Parts == o.Part-1 && len(o.Merge) == 0 {
			if len(s.Readings) == len(r.planOf(s)) { // A run may have ended before it has removed them.
				if err := r.folder.dropDuals(s); err != nil {
					return err
				}
			}
			if total, done = total+len(r.planOf(s)), done+len(s.Readings); len(s.Readings) < len(r.planOf(s)) {
				mine = append(mine, s)
			}
		}
	}
	p := &importanceProgress{sources: &r.sources, measure: o.Measure, report: o.Report, total: total, done: done}
	err := sideBySide(r.pool, mine, func(lanes int, steps []*step) error { return r.measureIn(ctx, lanes, steps, p) })
	if err != nil {
		return err
	}
	// Other processes may have completed their steps in the same folder in the meantime.
	for _, s := range r.steps {
		if len(s.Readings) < len(r.planOf(s)) {
			if err := r.folder.recall(s); err != nil {
				return err
			}
		}
	}
	return nil
}
