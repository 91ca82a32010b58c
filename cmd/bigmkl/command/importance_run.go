package command

import (
	"context"
	"errors"
	"strings"
	"time"

	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/selection"
)

// run measures the sources, saves the result to the folder and reports it. If steps of other
// parts are missing, it reports only their number. The file is written before anything is printed: a
// closed pipe must not lose hours of trainings.
func (s *importanceFlags) run(ctx context.Context, at *opener, to *console) error {
	o := &s.importance
	lines := &progressLines{to: to.stderr, quiet: s.quiet, began: time.Now()}
	// The files of folds and groups have a name for each row, of which the first Limit are used.
	if err := s.splits.readFiles(&o.Splits, s.options.Limit); err != nil {
		return err
	}
	defer limitHeap(&s.options)()
	// An error can leave a folder with finished steps. Its message names the way to resume them.
	found, err := s.measure(ctx, at, newProgress(to.messages, s.quiet), lines)
	if err != nil {
		return endOfFolder(err, to, "measured", s.rows.paths)
	}
	report := importanceReport{partReport{to, o.Folder, s.part, len(o.Merge) > 0}, s.json, s.given(), s.selectAlone}
	// Figures of some of the steps would look like the result.
	if found.Missing > 0 {
		return report.showMissing(found)
	}
	if err := found.Save(o.Folder); err != nil { // The figures are not lost with the file.
		return errors.Join(err, report.show(found))
	}
	found.Warnings = append(found.Warnings, adviseColumns(s.rows.paths, s.rows.read)...)
	to.warn(found.Warnings...)
	return report.show(found)
}

// measure opens the data and measures the sources. With --each feature, the kernels follow from
// the columns of the data.
func (s *importanceFlags) measure(ctx context.Context, at *opener, p *progress, lines *progressLines) (*selection.Importance, error) {
	o := &s.importance
	s.options.Kernels = s.kernels
	// The file of a list is read once, before the data, so a fault in it costs no time.
	if strings.HasPrefix(s.kernels, "@") {
		list, err := kernelspec.Split(s.kernels)
		if err != nil {
			return nil, err
		}
		s.options.Kernels = strings.Join(list, ",")
	}
	// One Gaussian kernel for each feature has the width of its own median distance.
	if s.each == "feature" {
		s.options.Kernels = "gauss:auto@each-feature"
	}
	src, err := s.open(ctx, at)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	// Names of columns are known only now, because the table had to be opened for them.
	if s.each == "feature" {
		s.nameFeatures(src)
	}
	o.Report = func(q selection.Progress) {
		p.finish()
		lines.show(q, func(left string) string { return describeReading(q, left) })
	}
	// The trainings get their options only now, with the kernels from the list or the columns.
	o.Training = s.options
	if p != nil {
		o.Training.Recorder = p
	}
	defer p.finish()
	// The rows are counted while they are read, for the progress.
	return selection.Measure(ctx, p.countRows(src), *o)
}

// nameFeatures makes a view of each column of a table, under its name. Other data have features by
// their numbers. Names of views are what a table of sources shows. A reader who has a column called age
// cannot use the number of a feature.
func (s *importanceFlags) nameFeatures(src source) {
	c := src.Columns()
	if c == nil || c.Alphabet() != dataset.Numbers {
		return
	}
	s.options.Views, s.options.Kernels = c.Views(), "gauss:auto@each-view"
}
