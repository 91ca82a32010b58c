package verify

import (
	"context"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// extension is a family of models whose kernels are learned besides their weights: gates or projections. Unlike a wing
// it combines with every kind of problem, and with other extensions. Its files have all that is particular to it. The
// rest of the package asks the extensions of a model, and not which ones they are. A new one is added in extensionsOf.
type extension interface {
	traits(m *model.Model) extensionTraits
	// open opens what rows and support vectors need, once the matrices of kernels are open. Extensions are opened in
	// their order.
	open(p *problem, o *Options) error
	// source returns the training rows as kernels see them, and nil if they see the features of the data.
	source(src dataset.Source) dataset.Source
	// check adds the faults that all rows show to the findings on classifiers, or to the faults that they share.
	check(ctx context.Context, p *judgement, t *totals, threads int) error
}

// extensionTraits are properties of an extension, or of all extensions of a model together.
type extensionTraits struct {
	// memory is in use all the time, and ofRow is the number of bytes of each row of a batch.
	memory []memoryUse
	ofRow  int64
	// uncancelled is true if dual variables have factors that differ from row to row: they sum to nothing in
	// particular, so no constant of a kernel cancels.
	uncancelled bool
	// trial is true if the model may be a trial of a descent, solved to a gap that the model does not state. The factors
	// of kernels belong to the trial.
	trial bool
	// unsampled are claims that a sample of the rows cannot refute.
	unsampled []string
}

// extensionsOf returns the extensions of a model with the kernels of b. Parts that do not fit each other are of class
// fail.Corrupt.
func extensionsOf(m *model.Model, b *kernelspec.Bank) ([]extension, error) {
	list := []extension{gating{m.Family.Gates()}}
	p, err := newProjection(m, b)
	if p != nil {
		list = append(list, p)
	}
	return list, err
}

// extend enters the extensions of the model and their properties. Its errors come from extensionsOf.
func (p *problem) extend() (err error) {
	if p.extensions, err = extensionsOf(p.m, p.bank); err != nil {
		return err
	}
	for _, x := range p.extensions {
		one, all := x.traits(p.m), &p.extended
		all.memory = append(all.memory, one.memory...)
		all.ofRow += one.ofRow
		all.uncancelled = all.uncancelled || one.uncancelled
		all.trial = all.trial || one.trial
		for _, claim := range one.unsampled {
			if !slices.Contains(all.unsampled, claim) { // two descents make it once
				all.unsampled = append(all.unsampled, claim)
			}
		}
	}
	return nil
}

// notStationary is the claim of an extension that is learned by a descent.
const notStationary = "family: how far the descent is from a stationary point, for which all support vectors count"
