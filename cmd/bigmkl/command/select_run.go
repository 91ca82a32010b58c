package command

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/selection"
)

// selectRun is a run of the command select: the selection, the training of its best combination
// on all rows, and the report.
type selectRun struct {
	// began is the start of the whole run. The progress lines and the time limit for writing count from it.
	*selectFlags
	opener  *opener
	console *console
	began   time.Time
	report  selectReport
}

// newSelectRun returns the run of a selection, and starts its clock.
func newSelectRun(a *app, s *selectFlags) *selectRun {
	// The grace period bounds the training in progress after an interrupt.
	s.options.Grace = a.grace
	return &selectRun{s, a.opener, a.console, time.Now(), selectReport{
		partReport: partReport{a.console, s.folder, s.part, len(s.selection.Merge) > 0}, json: s.json}}
}

// run selects, and trains the best cell on all rows. The order keeps the most expensive results safest:
// the figures are saved before the final training, and this model before anything about it is printed.
func (s *selectRun) run(ctx context.Context) error {
	// Files of folds are small. They are read before the data, so a fault in them costs no time.
	if err := s.splits.readFiles(&s.selection.Splits, s.options.Limit); err != nil {
		return err
	}
	defer limitHeap(&s.options)()
	found, err := s.choose(ctx)
	if err != nil {
		return endOfFolder(err, s.console, "trained", s.rows.paths)
	}
	s.report.banks = s.banks()
	// Other parts have not run yet. Means over some of the folds are not the result, so nothing is chosen.
	if found.Missing > 0 {
		return s.report.showMissing(found)
	}
	if err := found.Save(s.folder); err != nil {
		// The figures of all these trainings are not lost with the file.
		return errors.Join(err, s.report.showFigures(found))
	}
	found.Warnings = append(found.Warnings, adviseColumns(s.rows.paths, s.rows.read)...)
	// An experiment has no best cell: its trials draw rows of their own.
	if found.Compares {
		return s.report.showTrials(found)
	}
	// No cell has a defined figure in every fold. The table is shown, and the exit code reports the
	// failure.
	if found.Best < 0 {
		return s.report.show(found, nil, nil)
	}
	best, result, err := s.trainBest(ctx, found)
	if err != nil {
		return err
	}
	defer best.Close()
	// Without a result the model is from the folder, and its gap was reached when it was written.
	if err := s.report.show(found, best, result); err != nil || result == nil {
		return err
	}
	return (&trained{best, result, nil}).exitError(ctx, false)
}

// choose opens the data and runs the selection. The lists of kernels lose references to files
// first, so the settings of the folder have the kernels themselves.
func (s *selectRun) choose(ctx context.Context) (*selection.Selection, error) {
	o := &s.selection
	for i, specs := range o.Banks {
		if strings.HasPrefix(specs, "@") { // A file of specifications does not go beside others.
			list, err := kernelspec.Split(specs)
			if err != nil {
				return nil, err
			}
			o.Banks[i] = strings.Join(list, ",")
		}
	}
	s.options.Kernels = strings.Join(o.Banks, ",") // The data are opened for the kernels of all lists.
	if s.labels != "" {
		return s.chooseNamed(ctx)
	}
	src, err := s.open(ctx, s.opener)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return s.chooseAmong(ctx, src)
}

// chooseAmong runs the selection on the rows of a source.
// Two displays take turns: p is the line of one training, and lines has a line for each training that
// ended.
func (s *selectRun) chooseAmong(ctx context.Context, src dataset.Source) (*selection.Selection, error) {
	o := &s.selection
	p := newProgress(s.console.messages, s.quiet)
	lines := &progressLines{to: s.console.stderr, quiet: s.quiet, began: s.began}
	// The line of the training is cleared first, since both go to standard error.
	o.Report = func(q selection.Progress) {
		p.finish()
		lines.show(q, func(left string) string { return describeProgress(q, left, s.banks()) })
	}
	o.Training = s.options
	// The selection itself replaces these kernels by each list in turn. Validation needs one list.
	if len(o.Banks) > 0 {
		o.Training.Kernels = o.Banks[0]
	}
	// A nil *progress in the interface would not compare equal to nil, so quiet runs leave the field unset.
	if p != nil {
		o.Training.Recorder = p
	}
	defer p.finish()
	return selection.Run(ctx, p.countRows(src), *o)
}

// trainBest trains the best cell on all rows, unless the folder has that model already. It then has
// no result. The model of a training that was interrupted is not kept: --resume trains it again.
func (s *selectRun) trainBest(ctx context.Context, found *selection.Selection) (*bigmkl.Model, *bigmkl.Result,
	error) {
	cell := found.Cells[found.Chosen]
	arm := found.Arms[cell.Arm]
	// Apply sets kernels, norm, C and powers of costs of the chosen cell, and the weights that a tuning has
	// found.
	found.Apply(&s.options)
	if err := s.folds().takeUp(&s.options); err != nil {
		return nil, nil, err
	}
	if s.probability { // Without folds there is no preparation to share.
		s.options.SharedPreparation = s.selection.SharedPreparation || found.SharedBecause != ""
	}
	path := filepath.Join(s.folder, contract.BestFile)
	// A model that was tuned, or has other folds for probabilities, is not the model of this command
	// line.
	if s.resume {
		if m, err := bigmkl.Load(path); err == nil && isBest(m, &arm, &cell, found) && m.Folds == s.options.Folds {
			return m, nil, nil
		}
	}
	// The selection has read the rows to their end, and this training has other kernels.
	src, err := s.opener.openData(ctx, s.rows.paths, s.rows.read)
	if err != nil {
		return nil, nil, err
	}
	defer src.Close()
	p := newProgress(s.console.messages, s.quiet)
	if p != nil {
		s.options.Recorder = p
	}
	m, r, err := bigmkl.Train(ctx, p.countRows(src), s.options)
	p.finish()
	if err != nil {
		s.console.warnOf(r)
		return nil, nil, nameFiles(err, s.rows.paths)
	}
	// A model with a larger gap would be taken for the best one by a later run.
	if r.Status == chunking.Interrupted {
		return nil, nil, &exitError{contract.ExitInterrupted,
			"interrupted in the training on all rows: the folder keeps the selection, and --resume goes on"}
	}
	w := modelWriter{s.opener.cleanup, s.console.stdout, &s.options, src.Columns()}
	err = w.model(ctx, m, path, s.began)
	if errors.Is(err, fail.Input) {
		// Another part that shares the folder may have written the same model at the same moment.
		if there, e := bigmkl.Load(path); e == nil && isBest(there, &arm, &cell, found) {
			err = nil
		}
	}
	return m, r, err
}

// isBest reports whether a model of the folder belongs to the chosen cell and has reached its
// gap. An earlier run may have chosen by another rule (--choose), so the name of the file proves
// nothing.
// The fingerprint identifies the rows. A model above its gap is trained again.
func isBest(m *bigmkl.Model, arm *selection.Arm, cell *selection.Cell, found *selection.Selection) bool {
	worst, _ := m.Convergence().Worst()
	return m.C == cell.Cost && m.Norm == float64(arm.Norm) && m.Points == found.Rows &&
		m.Fingerprint == found.Fingerprint && (arm.CostPower == nil || m.Costs.Exponent() == *arm.CostPower) && worst.RelativeGap <= m.Gap &&
		(found.Tuning == nil || isTuned(m, found.Tuning))
}

// isTuned reports whether a model has the kernels and weights that a tuning has found.
// Both lists are compared exactly, because a tuning that is repeated gives the same bits.
func isTuned(m *bigmkl.Model, tuned *selection.Tuning) bool {
	specs, err := kernelspec.Split(tuned.Kernels)
	return err == nil && slices.Equal(m.Kernels, specs) && slices.Equal(m.Weights, tuned.Weights)
}
