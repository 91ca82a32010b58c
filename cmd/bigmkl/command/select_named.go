package command

import (
	"context"
	"iter"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/host"
	"bigmkl/model"
	"bigmkl/selection"
)

// checkNamed returns what does not go with matrices and labels that are joined by names.
func (s *selectCommand) checkNamed(f *flags, faults *usageFaults) {
	faults.require(s.selection.Trials.Contrast != "", "such as --contrast rest",
		"--named-labels has a class for each column, and needs --contrast")
	for _, name := range []string{"views", "row-weights", "sequences", "label", "positive", "class-weight", "multiclass", "folds-file", "groups-file"} {
		faults.require(f.Lookup(name) == nil || !f.Changed(name), "leave it out", "--%s does not go with --named-labels, whose files name rows, classes and views", name)
	}
	faults.require(!isStandardOutput(s.labels), "name a file", "--named-labels needs a file, not standard input")
}

// chooseNamed runs the selection on matrices and labels that are joined by names.
func (s *selectCommand) chooseNamed(ctx context.Context) (*selection.Selection, error) {
	t, o := s.trainCommand, &s.selection
	memory := t.options.Memory
	if memory == 0 {
		memory = host.Budget()
	}
	if err := completeOptions(&t.options, &t.read, ""); err != nil {
		return nil, err
	}
	if err := t.norm.readFiles(&t.options.Regularizer); err != nil {
		return nil, err
	}
	n, err := dataset.ReadNamed(t.data, s.labels, memory/4)
	if err != nil {
		return nil, err
	}
	t.options.Views = n.Views
	if n.Sets {
		t.options.Multiclass = model.MultiLabel
	}
	if n.Lacks && len(o.Trials.Missing) == 0 {
		// Rows that are not in a matrix lack its view, and no further ones do.
		o.Trials.Missing, o.Trials.MissingView = []float64{0}, n.Views[0].Name
	}
	if t.options.Scratch, err = s.cleanup.makeScratch(t.options.Scratch); err != nil {
		return nil, err
	}
	src := dataset.FromSeq(iter.Seq[dataset.Row](slices.Values(n.Rows)))
	defer src.Close()
	return s.chooseAmong(ctx, src)
}
