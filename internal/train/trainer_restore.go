package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/checkpoint"
	"bigmkl/internal/fail"
	"bigmkl/internal/host"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

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
	if s.Tau > 0 && s.Tau < 1 {
		t.options.Problem.takeTau(s.Tau)
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
	t.vectors = s.Vectors
	saved := append([]savedLearner{s.savedLearner}, s.More...)
	if length, _ := from.Length(sectionAlpha); length == 0 {
		saved = nil // There was no training yet.
	}
	for k := range saved {
		l := &learner{name: saved[k].Name, norm: saved[k].Norm, fits: saved[k].Fits}
		l.alpha = n.floats(learnerSection(k, sectionAlpha))
		t.each = append(t.each, l)
	}
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
	gradients := false
	fit := s.Window >= 0 && s.Seen >= rows && s.Vectors >= 0 && s.Vectors <= rows && (t.each != nil || len(s.More) == 0)
	for k, l := range t.each {
		gradients = gradients || saved[k].Gradients
		fit = fit && len(l.alpha) == rows && l.fits >= 0
	}
	if !fit || gradients && (!s.Given || !s.Taken) {
		return fail.New(fail.Corrupt, "the saved trainer does not fit together")
	}
	// Another program may hold other kernels of a skeleton, or round in another way: its gradients
	// follow from alpha, within rounding.
	program, err := host.Program()
	if err != nil || !gradients || s.Program != program || s.InstructionSet != instructionSet() {
		return err
	}
	return t.restoreGradients(ctx, from, &n, saved)
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
	if n.has(name(sectionUppers)) {
		m.Uppers = n.floats(name(sectionUppers))
	}
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

// restoreGradients makes the kernels of the rows in hand, and the gradients of each classifier as they were.
func (f *fitted) restoreGradients(ctx context.Context, from *checkpoint.Saved, n *numbers, saved []savedLearner) error {
	r := newRun(f.workspace, ctx, time.Now())
	if d, err := r.labelled().decompose(&r.warnings); err == nil {
		r.split(d, r.Store) // The next fit rejects what cannot be decomposed.
	}
	if err := f.ensureKernels(ctx, r); err != nil {
		return err
	}
	var err error
	if f.grad, err = r.makeGradients(r.Store, nil); err != nil {
		return err
	}
	f.kernel, f.grad.used = r.Kernels, true
	for k, l := range f.each {
		if !saved[k].Gradients {
			continue
		}
		state := gradient.State{Double: saved[k].Double, Sum: n.floats(learnerSection(k, sectionSum))}
		if err := cmp.Or(n.err, f.grad.Prepare(&state)); err != nil {
			return err
		}
		// They are read to where they belong, which takes no memory beside them.
		if l.held, err = hold(f.workspace.Options.Budget.Scratch, len(f.grad.Values()), state, l.alpha, r.Kernels); err != nil {
			return err
		}
		if err := from.Into(learnerSection(k, sectionGradients), mmap.Bytes(l.held.Values)); err != nil {
			return err
		}
		if _, err := f.take(ctx, l); err != nil {
			return err
		}
		if len(f.each) == 1 {
			l.drop()
		}
	}
	return nil
}
