package table

import (
	"errors"
	"io"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// tables are the files of a source, whose records are read as if they were of one table. Before the first record it is
// decided what the columns are (decide.go).
type tables struct {
	options Options
	columns *dataset.Columns
	header  bool
	paths   []string // paths lists the files that are still to be opened.
	records *records // records is nil between files.
	plan    *plan    // plan is nil before the first record of a file.
	later   bool     // later is set once the first file has ended.
}

// open opens a file.
func (t *tables) open(path string) (*records, error) {
	open := t.options.Open
	if open == nil {
		open = func(path string) (*dataset.Stream, error) {
			return dataset.OpenStream(path, t.options.Trusted)
		}
	}
	stream, err := open(path)
	if err != nil {
		return nil, err
	}
	r, err := newRecords(stream, t.options.Separator)
	if err != nil {
		stream.Close()
		return nil, err
	}
	return r, nil
}

// next returns the next record, or nil if it was a header or if a file has ended, or io.EOF after
// the last file.
func (t *tables) next() ([]string, error) {
	if t.records == nil {
		if len(t.paths) == 0 {
			return nil, io.EOF
		}
		r, err := t.open(t.paths[0])
		if err != nil {
			return nil, err
		}
		t.records, t.paths = r, t.paths[1:]
	}
	record, err := t.records.next()
	if err == io.EOF {
		t.records.stream.Close()
		t.records, t.plan, t.later = nil, nil, true
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// The first record of every file states where in it the columns are.
	if t.plan == nil {
		t.plan, err = newPlan(t.columns, columnNames(record, t.header), &t.options)
		if e := (*fail.Error)(nil); errors.As(err, &e) {
			if t.later && t.header {
				e = moreRows(e)
			}
			return nil, e.At(t.records.stream.Name(), 1, 0)
		}
		if err != nil || t.header {
			return nil, err
		}
	}
	// A row of another length is cut wrongly more often than it is short of a value, and its values
	// would then lie in the wrong columns.
	if len(record) != t.plan.fields {
		return nil, t.records.fieldsFault(len(record), t.plan.fields)
	}
	return record, nil
}

// close closes the file that is being read. There is no further one.
func (t *tables) close() error {
	t.paths = nil
	if t.records == nil {
		return nil
	}
	err := t.records.stream.Close()
	t.records = nil
	return err
}
