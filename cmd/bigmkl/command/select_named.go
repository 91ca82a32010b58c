package command

import (
	"context"
	"iter"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/host"
	"bigmkl/internal/model"
	"bigmkl/internal/selection"
)

// chooseNamed runs the selection on matrices and labels that are joined by names. The files are
// matrices with names of rows, as in gene expression data. All rows are in memory, since a join needs
// them all; a quarter of the budget is the limit, and the trainings need the rest.
func (s *selectRun) chooseNamed(ctx context.Context) (*selection.Selection, error) {
	o := &s.selection
	// 0 means all that the computer or its cgroup allows.
	memory := s.options.Memory
	if memory == 0 {
		memory = host.Budget()
	}
	// No opener reads these matrices, so the options are completed here.
	if err := completeOptions(ctx, &s.options, &s.rows.read, ""); err != nil {
		return nil, err
	}
	// Matrices of norms are read before the data. They are small, and a fault in them then costs no time.
	if err := s.norm.readFiles(&s.options.Regularizer); err != nil {
		return nil, err
	}
	n, err := dataset.ReadNamed(s.rows.paths, s.labels, memory/4)
	if err != nil {
		return nil, err
	}
	s.options.Views = n.Views
	// A row with several classes needs a classifier for each label.
	if n.Sets {
		s.options.Multiclass = model.MultiLabel
	}
	if n.Lacks && len(o.Trials.Missing) == 0 {
		// Rows that are not in a matrix lack its view, and no further ones do.
		o.Trials.Missing, o.Trials.MissingView = []float64{0}, n.Views[0].Name
	}
	if s.options.Scratch, err = s.opener.cleanup.makeScratch(s.options.Scratch); err != nil {
		return nil, err
	}
	// The source runs a coroutine over the list, which Close ends.
	src := dataset.FromSeq(iter.Seq[dataset.Row](slices.Values(n.Rows)))
	defer src.Close()
	return s.chooseAmong(ctx, src)
}
