package selection

import (
	"context"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/mmap"
)

// Measure reads src and measures the importance of its sources, as far as the folder does not have that yet. If steps of
// other parts are missing, there are no sources, and Importance.Missing says how many are. Measure does not close src.
// When ctx is done, it returns the error of ctx, and what was measured is kept. A file of the folder that cannot be written ends
// nothing: a warning tells of it, or beside the error of ctx another one.
//
// An error is of one of the classes of package bigmkl.
func Measure(ctx context.Context, src dataset.Source, o ImportanceOptions) (*Importance, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	fixed := o.Splits.Repeat != 0
	o.setDefaults()
	trained := o.Training
	o.Training = opening(trained)
	r := &importer{runner: &runner{options: &o.Options, kernels: o.Banks[0], banks: slices.Clone(o.Banks), open: bigmkl.OpenTuning}, all: &o, trained: trained}
	if r.shared = o.sharedBecause(); r.shared == "" {
		spool, err := dataset.NewSpool(o.Training.Scratch)
		if err != nil {
			return nil, err
		}
		r.own = &preparation{spool: spool}
		src = &recorded{src, spool}
	}
	defer r.own.Close()
	r.learner = r
	if trainsAlone(&trained) {
		if err := r.checkAlone(); err != nil {
			return nil, err
		}
		r.learner = &plain{r}
	}
	first := o.Training
	first.Kernels = o.Banks[0]
	h, err := r.open(ctx, src, first)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	r.data, r.specs = h, h.Specifications()
	defer func() { r.sampled.Close() }()
	o.takeUnit(h.Store().Targets())
	if n := h.Store().Len(); !fixed && o.Splits.Folds > 0 {
		o.Splits.Repeat = repeats(n)
	}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	if err := r.measureAll(ctx); err != nil {
		return r.finish(nil, err)
	}
	return r.finish(r.weigh())
}

// importer measures an importance. It shares with a selection how rows are held out.
type importer struct {
	*runner
	all      *ImportanceOptions // its training is that which rows are opened with
	trained  bigmkl.Options
	learner  learner
	origins  []origin
	specs    []string // a specification for each kernel, as the rows in hand have them
	opened   string   // the fold whose specifications these are
	shortens bool     // a training without a source has a shorter list of kernels there
	steps    []*step
	settings string  // a hash of them
	sampled  *subset // what samples are drawn from, once it is open
	unkept   unkept
}

// The streams of random numbers are part of the bits of an importance.
const (
	drawPermuted = 0x696d706f_7200 + iota // the letters of "impor"
	drawNull
	drawChoice
	drawSampleRows
	drawSample
)

// prepare finds the sources and the folds, and opens the folder.
func (r *importer) prepare(ctx context.Context) error {
	o := r.all
	bank := r.data.Bank()
	r.origins = originsOf(bank, o.Each)
	if err := checkOrigins(r.origins); err != nil {
		return err
	}
	s := &importanceShape{Version: settingsVersion, Measure: o.Measure, Costs: o.Costs, Each: o.Each, Samples: o.Samples, Preparation: r.prepared()}
	for _, p := range o.Norms {
		s.Norms = append(s.Norms, Norm(p))
	}
	for _, source := range r.origins {
		s.Sources = append(s.Sources, source.name)
	}
	var err error
	if s.Facts, err = r.data.Identity(); err != nil {
		return err
	}
	s.Facts = append(s.Facts, ownFacts(r.trained)...)
	if r.folds, err = o.Splits.draw(r.data.Store(), o.Training.Seed); err != nil {
		return err
	}
	if r.twins, err = r.describeTwins(ctx, r.data.Store()); err != nil {
		return err
	}
	r.rows, r.shape = map[string][]int32{}, r.data.Shape()
	for _, f := range slices.Concat(r.folds...) {
		if r.isOneClass(f.rows) {
			return fail.New(fail.Input, "without fold %s all rows are of one class", fail.Word(f.Name)).WithHint("use more folds, or stratified ones")
		}
		r.rows[f.Name] = f.rows
		s.Folds = append(s.Folds, f.Name+" "+hashOf(mmap.Bytes(f.rows)))
		r.steps = append(r.steps, &step{Fold: f.Name})
	}
	if o.Samples > 0 {
		r.steps = append(r.steps, &step{})
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	r.settings = hashOf(text)
	for _, folder := range o.Merge {
		var there importanceShape
		found, err := readJSON(filepath.Join(folder, importanceSettings), &there)
		if err == nil && !found {
			err = fail.New(fail.Input, "the folder has no importance").At(folder, 0, 0)
		}
		if err == nil {
			err = refuseOtherImportance(folder, &there, s)
		}
		if err != nil {
			return err
		}
	}
	return openImportance(o.Folder, s, o.Command, o.Resume || o.Parts > 1 || len(o.Merge) > 0)
}

// planOf lists the readings of a step.
func (r *importer) planOf(s *step) (plan []reading) {
	if s.Fold == "" {
		for range r.all.Samples {
			plan = append(plan, reading{What: sample}, reading{What: sparse})
		}
		return plan
	}
	plan = append(plan, reading{What: whole})
	each := func(w what, needsFeatures bool) {
		for k := range r.origins {
			if !needsFeatures || r.permutes(k) {
				plan = append(plan, reading{What: w, Sources: []int{k}})
			}
		}
	}
	each(permuted, true)
	each(without, false)
	for a := range r.origins {
		for b := a + 1; b < len(r.origins) && len(r.origins) <= MostPaired && len(r.origins) > 2; b++ {
			plan = append(plan, reading{What: without, Sources: []int{a, b}})
		}
	}
	each(alone, false)
	each(null, true)
	return plan
}

// permutes reports whether the rows of a source can be permuted.
func (r *importer) permutes(k int) bool { return r.own != nil && r.origins[k].own != nil }

// measureAll measures the steps of this part. Steps of parts that are merged have to be there.
func (r *importer) measureAll(ctx context.Context) error {
	o := r.all
	total, done := 0, 0
	var mine []*step
	for k, s := range r.steps {
		if err := r.recall(s); err != nil {
			return err
		}
		if k%o.Parts == o.Part-1 && len(o.Merge) == 0 {
			if len(s.Readings) == len(r.planOf(s)) { // A run may have ended before it has removed them.
				if err := r.dropDuals(s); err != nil {
					return err
				}
			}
			mine = append(mine, s)
			total, done = total+len(r.planOf(s)), done+len(s.Readings)
		}
	}
	for _, s := range mine {
		plan := r.planOf(s)
		for len(s.Readings) < len(plan) {
			if err := ctx.Err(); err != nil {
				return err
			}
			found := len(s.Readings)
			if err := r.measureNext(ctx, s, plan); err != nil {
				return err
			}
			done += len(s.Readings) - found
			if o.Report != nil {
				last := &s.Readings[len(s.Readings)-1]
				value, ok := last.Figures[o.Measure]
				if !ok {
					value = math.NaN()
				}
				o.Report(Progress{Done: done, Total: total, Fold: s.Fold, Reading: r.describe(last), Value: value})
			}
		}
	}
	for _, s := range r.steps {
		if len(s.Readings) < len(r.planOf(s)) {
			if err := r.recall(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// describe names a reading in a few words.
func (r *importer) describe(m *reading) string {
	var names []string
	for _, k := range m.Sources {
		names = append(names, fail.Label(r.origins[k].name))
	}
	text := strings.Join(names, " and ")
	switch m.What {
	case whole:
		return "all sources"
	case permuted:
		return text + " permuted at prediction"
	case without:
		return "without " + text
	case alone:
		return text + " alone"
	case null:
		return text + " permuted in training"
	}
	return "shares on half of the rows"
}

// recall reads what the folder, or one that is merged, has of a step.
func (r *importer) recall(s *step) error {
	if r.unkept.steps[s] { // The folder has less than this run.
		return nil
	}
	plan := r.planOf(s)
	for _, folder := range append([]string{r.all.Folder}, r.all.Merge...) {
		path, there := s.pathOf(folder), step{}
		found, err := readJSON(path, &there)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		if err := there.check(path, r.settings, s, plan); err != nil {
			return err
		}
		if s.Choice == nil || len(there.Readings) > len(s.Readings) {
			*s = there
		}
	}
	return nil
}
