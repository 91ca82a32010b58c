package train

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/gradient"
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
	sectionWeights = "weights"
	sectionPoints  = "points"
)

// savedTrainer is what a trainer is beside its arrays.
type savedTrainer struct {
	// Stores are the rows in hand, if Taken is set, and then the batches that wait.
	Stores         []*dataset.Image    `json:"stores"`
	Taken          bool                `json:"taken"`
	Window         int                 `json:"window"`
	Refresh        bool                `json:"refresh"`
	Seen           int                 `json:"seen"`
	Vectors        int                 `json:"vectors"`
	Prepared       int                 `json:"prepared"`
	Fits           int                 `json:"fits"`
	SampleSize     int                 `json:"sample_size"`
	Given          bool                `json:"given"`     // medians and the rest are known
	Gradients      bool                `json:"gradients"` // the gradients are there
	Double         bool                `json:"double"`
	Unit           float64             `json:"unit,omitempty"` // Problem.Unit
	Norm           *chunking.NormState `json:"norm,omitempty"`
	Program        string              `json:"program"`
	InstructionSet string              `json:"instruction_set"`
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
		add(storeSection(k, sectionWeights), mmap.Bytes(m.Weights))
		for i, part := range m.Points {
			add(storeSection(k, fmt.Sprint(sectionPoints, i)), part)
		}
	}
	s.Seen, s.Prepared, s.Fits, s.Norm = f.seen, f.prepared, f.fits, f.norm
	s.Vectors = f.vectors
	add(sectionAlpha, mmap.Bytes(f.alpha))
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
	// Gradients that were computed again would differ in their last bits, and so would all models from here
	// on.
	if f.grad != nil && f.grad.Gradient != nil && f.grad.used {
		state, err := f.grad.State(ctx)
		if err != nil {
			return nil, err
		}
		s.Gradients, s.Double = true, state.Double
		add(sectionSum, mmap.Bytes(state.Sum))
		add(sectionGradients, mmap.Bytes(f.grad.Values()))
	}
	if s.Program, err = host.Program(); err != nil {
		return nil, err
	}
	s.InstructionSet = instructionSet()
	text, err := json.Marshal(s)
	add(sectionTrainer, text)
	return list, err
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

// ResumeTrainer returns the trainer that was saved in a folder, or one without rows if there is
// none. The options have to be those that it was made with, budgets and limits apart: others are of
// class fail.Version, and a damaged folder of class fail.Corrupt. There is no snapshot before the
// next Fit.
func ResumeTrainer(ctx context.Context, folder string, o Options) (*Trainer, error) {
	t, err := NewTrainer(o)
	if err != nil {
		return nil, err
	}
	from, err := checkpoint.Open(folder)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	if err := checkIsTrainers(from, folder); err != nil {
		return nil, err
	}
	last, _, err := from.Last()
	if err != nil || last == nil {
		return t, err
	}
	defer last.Close()
	if err := t.restore(ctx, last); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// restore takes over a state.
func (t *Trainer) restore(ctx context.Context, from *checkpoint.Saved) error {
	var there []Fact
	if err := readJSON(from, sectionRun, &there); err != nil {
		return err
	}
	if list := differences(there, t.facts()); len(list) > 0 {
		return fail.New(fail.Version, "the trainer was saved with other options: %s",
			strings.Join(list, ", "))
	}
	var s savedTrainer
	if err := readJSON(from, sectionTrainer, &s); err != nil {
		return err
	}
	if s.Unit > 0 && !math.IsInf(s.Unit, 0) {
		t.options.Problem.takeUnit(s.Unit)
	}
	n := numbers{from: from}
	for k, m := range s.Stores {
		store, err := restoreStore(ctx, t.options.Budget.Scratch, &n, k, m)
		if err != nil {
			return err
		}
		if k == 0 {
			t.form = store
		}
		if k == 0 && s.Taken {
			t.workspace = newStreamWorkspace(t.options, store)
		} else {
			t.pending = append(t.pending, store)
		}
	}
	t.window, t.refresh, t.seen, t.prepared = s.Window, s.Refresh, s.Seen, s.Prepared
	t.fits, t.norm, t.alpha = s.Fits, s.Norm, n.floats(sectionAlpha)
	t.vectors = s.Vectors
	if s.Given {
		t.given = &kernels.Given{Medians: n.floats(sectionMedians),
			Normalization: &kernels.Normalization{}}
		if reach := n.floats(sectionReach); len(reach) > 0 {
			t.given.Reach = reach
		}
		if n.has(sectionFactors) {
			t.given.Normalization.Scale = n.floats(sectionFactors)
			t.given.Normalization.SampleSize = s.SampleSize
			if errors := n.floats(sectionErrors); len(errors) > 0 {
				t.given.Normalization.StandardError = errors
			}
		}
	}
	if n.err != nil {
		return n.err
	}
	// Checksums have shown that the sections are as they were written; what is checked here is that
	// they fit together.
	rows := 0
	if s.Taken && t.workspace != nil {
		rows = t.workspace.Store.Len()
	}
	if len(t.alpha) != rows || s.Window < 0 || s.Seen < rows || s.Vectors < 0 || s.Vectors > rows ||
		s.Gradients && (!s.Given || !s.Taken) {
		return fail.New(fail.Corrupt, "the saved trainer does not fit together")
	}
	// Another program may hold other kernels of a skeleton, or round in another way: its gradients
	// follow from alpha, within rounding.
	program, err := host.Program()
	if err != nil || !s.Gradients || s.Program != program || s.InstructionSet != instructionSet() {
		return err
	}
	return t.restoreGradients(ctx, from, &s, n.floats(sectionSum))
}

// restoreStore makes a store of its sections.
func restoreStore(ctx context.Context, scratch string, n *numbers, k int, m *dataset.Image) (
	*dataset.Store, error) {
	if m == nil {
		return nil, fail.New(fail.Corrupt, "the saved trainer lacks rows")
	}
	name := func(of string) string { return storeSection(k, of) }
	m.Mean = readNumbers[float32](n, name(sectionMean))
	m.Labels, m.Targets = n.integers(name(sectionLabels)), n.floats(name(sectionTargets))
	m.Weights = n.floats(name(sectionWeights))
	// A section of no bytes means data that the store does not have.
	if len(m.Labels) == 0 {
		m.Labels = nil
	}
	if len(m.Targets) == 0 {
		m.Targets = nil
	}
	if len(m.Weights) == 0 {
		m.Weights = nil
	}
	if n.err != nil {
		return nil, n.err
	}
	return dataset.Restore(ctx, scratch, m, func(part int, to []byte) error {
		return n.from.Into(name(fmt.Sprint(sectionPoints, part)), to)
	})
}

// restoreGradients makes the kernels of the rows in hand, and their gradients as they were.
func (f *fitted) restoreGradients(ctx context.Context, from *checkpoint.Saved, s *savedTrainer,
	sum []float64) error {
	r := newRun(f.workspace, ctx, time.Now())
	if err := f.ensureKernels(ctx, r); err != nil {
		return err
	}
	var err error
	if f.grad, err = r.makeGradients(r.Store, nil); err != nil {
		return err
	}
	f.kernel, f.grad.used = r.Kernels, true
	state := &gradient.State{Double: s.Double, Sum: sum}
	if err := f.grad.Prepare(state); err != nil {
		return err
	}
	// They are read to where they belong, which takes no memory beside them.
	if err := from.Into(sectionGradients, mmap.Bytes(f.grad.Values())); err != nil {
		return err
	}
	return f.grad.Resume(ctx, state)
}
