package heldout

import (
	"context"
	"os"
	"path/filepath"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
	"bigmkl/internal/selection"
)

// choose returns the options of the combination that a selection at its defaults chooses on some rows, as
// the command trains it. The selection sees the training rows alone. The held-out rows of the split
// then measure selection and training together.
// The folder of the state is removed, since no run resumes it.
func choose(ctx context.Context, s *harness.Session, o bigmkl.Options, rows []dataset.Row) (bigmkl.Options, error) {
	folder, err := os.MkdirTemp(s.Scratch, "bigmkl-bench-*")
	if err != nil {
		return o, err
	}
	defer os.RemoveAll(folder)
	// Five folds without repetitions are the default of the command.
	found, err := selection.Run(ctx, harness.SourceOf(rows), selection.Options{
		Training: o, Splits: selection.Splits{Folds: 5}, Folder: filepath.Join(folder, "s"),
	})
	if err != nil {
		return o, err
	}
	// Apply sets kernels, norm and C. Other options stay as the method has them.
	found.Apply(&o)
	return o, nil
}
