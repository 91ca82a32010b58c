package table

import (
	"context"
	"errors"
	"io"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// look takes the sample of the first file, and the categories of all files.
func (t *tables) look(ctx context.Context) error {
	r, err := t.open(t.paths[0])
	if err != nil {
		return err
	}
	defer r.stream.Close()
	// A model has decided what the columns are, so a single pass is enough.
	if err := t.sample(r); err != nil || t.options.Columns != nil {
		return err
	}
	return t.collect(ctx)
}

// sample decides from the first rows whether there is a header and what the columns are.
func (t *tables) sample(r *records) error {
	first, err := takeSample(r, &t.options)
	if err != nil {
		return err
	}
	t.header, t.columns = first.header, t.options.Columns
	if t.columns == nil {
		if t.columns, err = first.infer(&t.options); err == nil {
			err = t.columns.Check()
		}
		if err == nil {
			err = t.checkWidth()
		}
		for i, column := range t.options.Categories {
			if k, e := first.find(&t.options, column); e == nil {
				t.options.Categories[i] = first.names[k]
			}
		}
		// From here on columns are known by their names.
		t.options.Label, t.options.Time, t.options.Event, t.options.Upper, t.options.Skip = "", "", "", "", nil
	}
	// The plan of the first file is made once for its faults, which are so found before any row.
	if err == nil {
		_, err = newPlan(t.columns, first.names, &t.options)
	}
	if e := (*fail.Error)(nil); errors.As(err, &e) && e.Class == fail.Input && e.File == "" {
		if len(t.paths) > 1 { // Another table may have the column.
			e = moreRows(e)
		}
		return e.At(r.stream.Name(), 1, 0)
	}
	return err
}

// checkWidth returns an error if a model without columns has fewer features than a table that does
// not name the column of the labels.
func (t *tables) checkWidth() error {
	o := &t.options
	if !o.NumbersOnly || o.Features == 0 || t.header || t.columns.Label != "" ||
		t.columns.Width() <= o.Features {
		return nil
	}
	return fail.New(fail.Input, "%d columns without names, and the model has %d features",
		t.columns.Width(), o.Features).
		WithHint("--label COLUMN names the column of the labels, and --id COLUMN,.. the columns that are not features")
}

// collect reads all files for the categories of columns that have any, for the longest sequences, and for the columns
// that lack values if these get features of their own.
func (t *tables) collect(ctx context.Context) error {
	named, any := map[string]bool{}, false
	for _, name := range t.options.Categories {
		named[name] = true
	}
	found := make([]stats, len(t.columns.Features))
	for k := range t.columns.Features {
		f := &t.columns.Features[k]
		any = any || f.Categories != nil || f.Letters != dataset.Numbers || t.options.indicates()
	}
	if !any {
		return nil
	}
	// A second source reads the same files from their beginning, with the header and the columns that
	// the sample found, and without touching the rows that t yields later.
	again := &tables{options: t.options, columns: t.columns, header: t.header, paths: t.paths}
	defer again.close()
	const interval = 1024
	for n := 0; ; n++ {
		if n%interval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		record, err := again.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if record == nil { // It was a header, or a file has ended.
			continue
		}
		for k, at := range again.plan.at {
			f, word := &t.columns.Features[k], trim(record[at])
			if f.Categories != nil {
				found[k].collect(word)
			}
			found[k].longest = max(found[k].longest, len(word))
			f.Missing = f.Missing || t.options.indicates() && f.Letters == dataset.Numbers &&
				t.options.lacksValue(word, named[f.Name])
		}
	}
	for k := range found {
		f := &t.columns.Features[k]
		if f.Letters != dataset.Numbers {
			f.Length = max(f.Length, found[k].longest)
		}
		if f.Categories == nil {
			continue
		}
		var err error
		if f.Categories, err = found[k].sorted(&t.options, f.Name, named[f.Name]); err != nil {
			return err
		}
	}
	return t.columns.Check()
}
