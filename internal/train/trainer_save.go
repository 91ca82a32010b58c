package train

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/checkpoint"
	"bigmkl/internal/fail"
	"bigmkl/internal/host"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

// A trainer is saved in the form of a checkpoint: the rows in hand and those that wait, scaled and
// packed as they are, the dual variables, and the gradients. It continues with the same bits as if
// it had not been saved. Another program, or another instruction set, computes the gradients
// again.

// These are the names of sections beside those of checkpoints.
const (
	sectionTrainer = "trainer" // savedTrainer, as JSON
	sectionMedians = "medians"
	sectionFactors = "factors" // of the normalisation; no section if there are none
	sectionErrors  = "factor_errors"
	sectionReach   = "reach"
	// Each store has these sections with its number in front: 0 is the number of the rows in hand.
	sectionMean    = "mean"
	sectionLabels  = "labels"
	sectionTargets = "targets"
	sectionUppers  = "uppers"
	sectionWeights = "weights"
	sectionPoints  = "points"
)

// savedTrainer is what a trainer is beside its arrays.
type savedTrainer struct {
	// Stores are the rows in hand, if Taken is set, and then the batches that wait.
	Stores         []*dataset.Image `json:"stores"`
	Taken          bool             `json:"taken"`
	Window         int              `json:"window"`
	Refresh        bool             `json:"refresh"`
	Seen           int              `json:"seen"`
	Vectors        int              `json:"vectors"`
	Prepared       int              `json:"prepared"`
	SampleSize     int              `json:"sample_size"`
	Given          bool             `json:"given"`          // medians and the rest are known
	Unit           float64          `json:"unit,omitempty"` // Problem.Unit
	Tau            float64          `json:"tau,omitempty"`  // Problem.Tau of Problem.TauOfEvents
	Program        string           `json:"program"`
	InstructionSet string           `json:"instruction_set"`
	// savedLearner is the first classifier, and More are the others, whose sections have a number behind their names.
	savedLearner
	More []savedLearner `json:"more,omitempty"`
}

// savedLearner is what a classifier is beside its arrays.
type savedLearner struct {
	Name      string              `json:"name,omitempty"`
	Fits      int                 `json:"fits"`
	Gradients bool                `json:"gradients"` // the gradients are there
	Double    bool                `json:"double"`
	Norm      *chunking.NormState `json:"norm,omitempty"`
}

// Save writes the trainer to a folder, whole or not at all, once a Fit in progress is over. The
// folder is created if necessary, and keeps the last two states. One that has checkpoints of a run
// is of class fail.Usage. It does not hold the snapshot, which is a model and has its own Save.
func (t *Trainer) Save(ctx context.Context, folder string) error {
	t.fitting.Lock()
	defer t.fitting.Unlock()
	t.mu.Lock()
	pending, closed := slices.Clone(t.pending), t.closed
	s := savedTrainer{Window: t.window, Refresh: t.refresh, Unit: t.options.Problem.Unit}
	if t.options.Problem.TauOfEvents {
		s.Tau = t.options.Problem.Tau
	}
	t.mu.Unlock()
	if closed {
		return errClosed
	}
	to, err := checkpoint.Open(folder)
	if err != nil {
		return err
	}
	defer to.Close()
	if err := checkIsTrainers(to, folder); err != nil {
		return err
	}
	sections, err := t.sections(ctx, &s, t.facts(), pending)
	if err != nil {
		return err
	}
	return to.Write(sections)
}

// checkIsTrainers returns an error if the last state in a folder is none of a trainer.
func checkIsTrainers(folder *checkpoint.Folder, path string) error {
	last, damaged, err := folder.Last()
	if err != nil || last == nil {
		return err
	}
	defer last.Close()
	if _, ok := last.Length(sectionTrainer); !ok && damaged == nil {
		return fail.New(fail.Usage, "the folder holds checkpoints of a run").At(path, 0, 0).
			WithHint("name another folder")
	}
	return nil
}

// sections returns what is written of a trainer with the given facts. It refers to the memory of the trainer.
func (f *fitted) sections(ctx context.Context, s *savedTrainer, facts []Fact, pending []*dataset.Store) (
	list []checkpoint.Section, err error) {
	add := func(name string, data []byte) {
		list = append(list, checkpoint.Section{Name: name, Data: data})
	}
	of, err := json.Marshal(facts)
	if err != nil {
		return nil, err
	}
	add(sectionRun, of)
	// Batches that wait are saved as they are. To put them behind the rows in hand would be work of
	// the next fit, which may forget other rows by then.
	stores := pending
	if f.workspace != nil && f.workspace.Store != nil {
		s.Taken, stores = true, append([]*dataset.Store{f.workspace.Store}, pending...)
	}
	for k, store := range stores {
		m := store.Image()
		s.Stores = append(s.Stores, m)
		add(storeSection(k, sectionMean), mmap.Bytes(m.Mean))
		add(storeSection(k, sectionLabels), mmap.Bytes(m.Labels))
		add(storeSection(k, sectionTargets), mmap.Bytes(m.Targets))
		if m.Uppers != nil {
			add(storeSection(k, sectionUppers), mmap.Bytes(m.Uppers))
		}
		add(storeSection(k, sectionWeights), mmap.Bytes(m.Weights))
		for i, part := range m.Points {
			add(storeSection(k, fmt.Sprint(sectionPoints, i)), part)
		}
	}
	s.Seen, s.Prepared, s.Vectors = f.seen, f.prepared, f.vectors
	if g := f.given; g != nil {
		s.Given = true
		add(sectionMedians, mmap.Bytes(g.Medians))
		add(sectionReach, mmap.Bytes(g.Reach))
		if n := g.Normalization; n.Scale != nil {
			s.SampleSize = n.SampleSize
			add(sectionFactors, mmap.Bytes(n.Scale))
			add(sectionErrors, mmap.Bytes(n.StandardError))
		}
	}
	for k, l := range f.each {
		of := savedLearner{Name: l.name, Fits: l.fits, Norm: l.norm}
		add(learnerSection(k, sectionAlpha), mmap.Bytes(l.alpha))
		// Gradients that were computed again would differ in their last bits, and so would all models from here on.
		h, err := f.gradientsOf(ctx, l)
		if err != nil {
			return nil, err
		}
		if h != nil {
			of.Gradients, of.Double = true, h.State.Double
			add(learnerSection(k, sectionSum), mmap.Bytes(h.State.Sum))
			add(learnerSection(k, sectionGradients), mmap.Bytes(h.Values))
		}
		if k == 0 {
			s.savedLearner = of
		} else {
			s.More = append(s.More, of)
		}
	}
	if s.Program, err = host.Program(); err != nil {
		return nil, err
	}
	s.InstructionSet = instructionSet()
	text, err := json.Marshal(s)
	add(sectionTrainer, text)
	return list, err
}

// learnerSection names a section of a classifier.
func learnerSection(k int, name string) string {
	if k == 0 {
		return name
	}
	return fmt.Sprintf("%s_%d", name, k)
}

// storeSection names a section of a store.
func storeSection(store int, name string) string { return fmt.Sprintf("%d_%s", store, name) }

// facts lists what the options have to agree in for a saved trainer to go on.
func (t *Trainer) facts() []Fact {
	o := &t.options
	specs, err := kernels.Specs(o.Kernels.Specs, o.Data.viewsOfKernels(), o.Data.Sequences)
	if err != nil {
		specs = []string{o.Kernels.Specs} // The fault shows when the kernels are made.
	}
	return append(o.facts(specs, string(o.Data.Layout)), Fact{"cost power", fmt.Sprint(o.Norm.costPower())})
}
