package command

import (
	"context"
	"fmt"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/formats"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// readFor sets how the rows to predict or verify with a model are read. It returns the objects that they name,
// of the model and of files. Rows are read by the names and the number of features of the training,
// whatever their file has.
func readFor(ctx context.Context, m *model.Model, r *formats.Options) (set *objects.Set, err error) {
	r.Labels, r.Sequences = m.Labeling(), m.Sequences
	r.Columns, r.Trained, r.Views = m.Columns, true, m.Views
	r.Features, r.Impute = m.Input().Features(), m.Scaling.Impute
	// Objects of the model keep their numbers, and new ones of the files follow.
	set, err = m.Objects.Extended(ctx, r.ObjectFiles)
	r.Objects = set.Names()
	return set, err
}

// watchedRows are rows to predict. They count what the training did not have.
type watchedRows struct {
	dataset.Source
	// data is the opened source, which counts unknown words. The other fields may be nil: each is a
	// source around the previous one.
	data   source
	narrow *dataset.NarrowSource
	ranged *rangedSource
	worded *predict.WatchedWords
	known  *knownSource
}

// watchRows returns the rows of data, which are read through the source rows. With ignore set, features
// that no training row had are left out.
func watchRows(m *model.Model, data source, rows dataset.Source, ignore bool) (w *watchedRows, err error) {
	w = &watchedRows{data: data}
	// The order of the sources matters: features are removed before values are compared.
	if w.Source, w.narrow, err = narrowRows(m, rows, ignore); err != nil {
		return nil, err
	}
	w.Source, w.known = compareKnown(m, w.Source)
	w.Source, w.ranged = compareRanges(m, w.Source)
	if w.worded = predict.NewWords(m).Watch(w.Source); w.worded != nil {
		w.Source = w.worded
	}
	return w, nil
}

// warnings report features or values that the training did not have, once all rows have been read.
// Some may be empty.
// An empty text is not printed.
func (w *watchedRows) warnings() []string {
	categories := ""
	if n, first := w.data.Unknown(); n > 0 {
		categories = fmt.Sprintf("%s of the table did not occur in the training, such as %s; in these rows all "+
			"features of the column are 0", count(n, "word"), strings.Join(first, ", "))
	}
	return []string{warnOfExtras(w.narrow), w.ranged.warning(), w.worded.Warning(), categories}
}
