package arrays

import (
	"errors"
	"io"
	"math"
	"path/filepath"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// Input is a file to read.
type Input struct {
	Path string
	// View is the name of the view that the file is. If it is empty, the name of the file is used.
	View string
}

// Options set how arrays are read.
type Options struct {
	// Labels sets what labels mean.
	Labels dataset.Labeling
	// Trained is set where a model that has been trained takes the rows. Views are then the views
	// of the model: if the arrays have the same names, they may come in any order, and else they
	// come in the order of the views.
	Trained bool
	Views   []dataset.View
	// Features is the number of features of that model, or 0 if it is not known. A dense array with
	// fewer columns is rejected: whoever forgot one would get predictions as if it were 0. A sparse one
	// has the columns that its rows needed.
	Features int
	// Imputes is set if values may be missing, which are NaN.
	Imputes bool
}

// maxArrays is the largest number of arrays that are read side by side.
const maxArrays = 1 << 10

// part is an array with its place among the columns.
type part struct {
	matrix
	file *file
	name string
	// named is true if the user gave the name, or an archive of several arrays did.
	named bool
	first int
}

// Source yields the rows of arrays. It is a dataset.Source.
type Source struct {
	files   []*file
	parts   []part
	labels  *elements // labels is nil if no file has any.
	labeler *dataset.Labeler
	several bool // several is true if the arrays are views.
	rows    int
	row     int
	entries entries
	text    []byte
	err     error // err is the error of the last Next. Once it is set, it stays.
}

var _ interface {
	dataset.Source
	io.Closer
} = (*Source)(nil)

// Open opens the arrays of files, reads their headers and joins their columns. All errors are of
// class fail.Input.
func Open(inputs []Input, o Options) (_ *Source, err error) {
	s := &Source{labeler: dataset.NewLabeler(o.Labels)}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	// A file joins s.files before its arrays are opened, so Close finds it after any fault.
	for _, in := range inputs {
		f, err := openFile(in.Path)
		if err != nil {
			return nil, err
		}
		f.imputes = o.Imputes
		s.files = append(s.files, f)
		if err := s.addFile(f, in.View, len(inputs) > 1, o.Labels != dataset.Ignored); err != nil {
			return nil, err
		}
	}
	s.several = len(s.parts) > 1 || inputs[0].View != ""
	if err := s.checkRows(); err != nil {
		return nil, err
	}
	if err := s.checkNames(); err != nil {
		return nil, err
	}
	if o.Trained && s.several {
		if err := s.arrange(o.Views); err != nil {
			return nil, err
		}
	}
	if err := s.place(); err != nil {
		return nil, err
	}
	return s, s.checkColumns(&o)
}

// checkColumns rejects a dense array that lacks features of the model.
func (s *Source) checkColumns(o *Options) error {
	_, cols := s.parts[0].shape()
	if _, dense := s.parts[0].matrix.(*dense); !dense || s.several || !o.Trained || cols >= o.Features {
		return nil
	}
	return s.files[0].fault("the array has %d columns, and the model was trained on %d features", cols, o.Features).
		WithHint("columns that are 0 have to be there, too")
}

// addFile adds the arrays of a file. An archive may be one sparse matrix.
func (s *Source) addFile(f *file, view string, many, labels bool) error {
	stem := strings.TrimSuffix(filepath.Base(f.path), filepath.Ext(f.path))
	p := part{file: f, name: stem, named: view != ""}
	if p.named {
		p.name = view
	}
	keys, sparse := f.names, f.isSparse()
	if f.members == nil {
		keys = []string{""}
	}
	var features []string
	for _, key := range keys {
		switch {
		case f.members != nil && key == "y":
			// Where labels are not looked at, y may be anything, and is not opened.
			if !labels {
				continue
			}
			if s.labels != nil {
				return f.fault("a second array y of labels: several files are views of the same rows").
					WithHint("join the rows in one file")
			}
			e, err := f.openArray(key)
			if err != nil {
				return err
			}
			s.labels = e
			if !e.vector() {
				return f.fault("%s is no list of labels: it has %d dimensions", e.name, e.Dims)
			}
		case !sparse:
			features = append(features, key)
		}
	}
	if sparse {
		m, err := openSparse(f)
		if err != nil {
			return err
		}
		p.matrix = m
		s.parts = append(s.parts, p)
		return nil
	}
	if features == nil {
		return f.fault("no array of features")
	}
	for _, key := range features {
		e, err := f.openArray(key)
		if err != nil {
			return err
		}
		m, err := newDense(e)
		if err != nil {
			e.close()
			return err
		}
		q := p
		q.matrix = m
		// An array alone is called by its file, whose name people choose; among several it has its key.
		if len(features) > 1 {
			q.named, q.name = true, key
			if many {
				q.name = p.name + "." + key
			}
		}
		if s.parts = append(s.parts, q); len(s.parts) > maxArrays {
			return f.fault("more than %d arrays", maxArrays)
		}
	}
	return nil
}

// checkRows checks that all arrays have as many rows.
func (s *Source) checkRows() error {
	// Rows of different views belong together by their numbers alone, so one row more in one of them
	// means that all may be shifted.
	s.rows, _ = s.parts[0].shape()
	for _, p := range s.parts {
		if rows, _ := p.shape(); rows != s.rows {
			return p.file.fault("%d rows of view %s and %d of view %s", rows, fail.Label(p.name),
				s.rows, fail.Label(s.parts[0].name)).
				WithHint("several arrays are views of the same rows")
		}
	}
	if s.labels != nil && s.labels.Rows != s.rows {
		return s.labels.file.fault("%d labels for %d rows", s.labels.Rows, s.rows)
	}
	if s.rows == 0 {
		return s.files[0].fault("no rows")
	}
	return nil
}

// place gives every array its first column.
func (s *Source) place() error {
	// The order of the parts is final here: arrange has put them in that of a model.
	at := 0
	for k := range s.parts {
		s.parts[k].first = at
		_, cols := s.parts[k].shape()
		if at += cols; at >= math.MaxInt32 {
			return s.parts[k].file.fault("more than %d columns in all", math.MaxInt32-1)
		}
	}
	return nil
}

// Views returns the columns of each array as a view, or nil for a single array without a name.
func (s *Source) Views() []dataset.View {
	if !s.several {
		return nil
	}
	var views []dataset.View
	for _, p := range s.parts {
		_, cols := p.shape()
		views = append(views, dataset.View{Name: p.name, First: p.first + 1, Last: p.first + cols})
	}
	return views
}

// Next returns the next row, or io.EOF after the last one.
func (s *Source) Next() (dataset.Row, error) {
	if s.err != nil {
		return dataset.Row{}, s.err
	}
	row := dataset.Row{File: s.files[0].path, Line: s.row + 1}
	if s.err = s.read(&row); s.err != nil {
		return dataset.Row{}, s.err
	}
	s.row++
	return row, nil
}

// read sets row to the next row.
func (s *Source) read(row *dataset.Row) error {
	if s.row == s.rows {
		return s.finish()
	}
	// The parts come in the order of their columns, so the indices of the row ascend.
	s.entries.index, s.entries.value = s.entries.index[:0], s.entries.value[:0]
	for _, p := range s.parts {
		if err := p.addRow(s.row, p.first, &s.entries); err != nil {
			return err
		}
	}
	row.Index, row.Value = s.entries.index, s.entries.value
	s.labeler.Clear(row)
	if s.labels == nil {
		return nil
	}
	// Labels go through the parser of text, so 1, 1.0 and "1" are one class.
	var err error
	if s.text, err = s.labels.text(s.text[:0]); err != nil {
		return err
	}
	err = s.labeler.Set(row, s.text)
	if e := (*fail.Error)(nil); errors.As(err, &e) {
		return e.At(s.labels.file.path, s.row+1, 0)
	}
	return err
}

// finish checks after the last row that the arrays have ended and that the files are as they were.
func (s *Source) finish() error {
	// Checksums of an archive are compared at the end of each member, which may be behind its last
	// element. Only then is the end of the rows accepted.
	for _, p := range s.parts {
		if err := p.end(); err != nil {
			return err
		}
	}
	if s.labels != nil {
		if err := s.labels.end(); err != nil {
			return err
		}
	}
	for _, f := range s.files {
		if err := f.end(); err != nil {
			return err
		}
	}
	return io.EOF
}

// Close closes the files.
func (s *Source) Close() error {
	var errs []error
	for _, p := range s.parts {
		errs = append(errs, p.Close())
	}
	if s.labels != nil {
		errs = append(errs, s.labels.close())
	}
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	s.parts, s.labels, s.files = nil, nil, nil
	if s.err == nil {
		s.err = io.EOF
	}
	return errors.Join(errs...)
}
