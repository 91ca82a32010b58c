package formats

import (
	"bytes"
	"errors"
	"io"
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/arrays"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
)

// labelArray is a file of labels that is an array. It is nil if there is none.
type labelArray struct{ *arrays.Vector }

// openLabels opens the file of labels if it is an array, and removes it from the options then.
func openLabels(o *dataset.ReadOptions) (*labelArray, error) {
	path := o.LabelFile
	if alone := (dataset.ReadOptions{LabelFile: path}).Files(); alone != nil {
		path = alone[0]
	}
	start, err := head(path, len(npy.Magic))
	if err != nil || !bytes.Equal(start, []byte(npy.Magic)) {
		return nil, err
	}
	if path != o.LabelFile {
		return nil, fail.New(fail.Usage, "an array of labels has no columns to choose one of").
			At(path, 0, 0).WithHint("FILE alone, or text as FILE:COLUMN")
	}
	v, err := arrays.OpenVector(o.LabelFile)
	if err != nil {
		return nil, err
	}
	o.LabelFile = ""
	return &labelArray{v}, nil
}

// Close closes the file, if there is one.
func (l *labelArray) Close() error {
	if l == nil {
		return nil
	}
	return l.Vector.Close()
}

// label gives the rows of a source the labels of the file, if there is one.
func (l *labelArray) label(src *source, kind dataset.Labeling) Source {
	if l != nil {
		r := &labelled{Source: src.Source, labels: l, labeler: dataset.NewLabeler(kind)}
		src.Source, src.Closer = r, closers{src.Closer, l}
	}
	return src
}

// alone returns a source of rows that have labels and no features. Labels of text are in the file of the options.
func (l *labelArray) alone(kind dataset.Labeling, text dataset.ReadOptions) (Source, error) {
	if l == nil {
		r, err := dataset.OpenLabels(text)
		if err != nil {
			return nil, err
		}
		return &source{Source: r, Closer: r}, nil
	}
	r, err := dataset.Join(&labelRows{labels: l, labeler: dataset.NewLabeler(kind)}, l.Path, text)
	if err != nil {
		l.Close()
		return nil, err
	}
	return &source{Source: r, Closer: closers{r, l}}, nil
}

// bare returns a source of n rows without labels and features.
func bare(n int) Source {
	rows := dataset.FromSeq(func(yield func(dataset.Row) bool) {
		for range n {
			if !yield(dataset.Row{Target: math.NaN()}) {
				return
			}
		}
	})
	return &source{Source: rows, Closer: rows}
}

// labelRows is a source of rows without features, one for each label.
type labelRows struct {
	labels  *labelArray
	labeler *dataset.Labeler
	rows    int
}

// Next returns the next row.
func (l *labelRows) Next() (dataset.Row, error) {
	word, err := l.labels.Vector.Next()
	if err != nil {
		return dataset.Row{}, err
	}
	l.rows++
	row := dataset.Row{File: l.labels.Path, Line: l.rows}
	var fault *fail.Error
	if err := l.labeler.Set(&row, word); errors.As(err, &fault) {
		return dataset.Row{}, fault.At(l.labels.Path, l.rows, 0)
	} else if err != nil {
		return dataset.Row{}, err
	}
	return row, nil
}

// closers closes several things.
type closers []io.Closer

// Close closes all of them.
func (c closers) Close() error {
	var errs []error
	for _, each := range c {
		errs = append(errs, each.Close())
	}
	return errors.Join(errs...)
}

// labelled is a source whose labels are in an array, in step with the rows.
type labelled struct {
	dataset.Source
	labels  *labelArray
	labeler *dataset.Labeler
	rows    int // rows counts the labels that were taken.
}

// Next returns the next row with its label.
func (l *labelled) Next() (dataset.Row, error) {
	row, err := l.Source.Next()
	if err != nil && err != io.EOF {
		return dataset.Row{}, err
	}
	if err := l.pass(err == io.EOF); err != nil {
		return dataset.Row{}, err
	}
	word, none := l.labels.Next()
	switch {
	case none != nil && none != io.EOF:
		return dataset.Row{}, none
	case err == io.EOF && none == nil:
		return dataset.Row{}, l.fault("more labels than the %d rows of the data", l.rows)
	case err == io.EOF:
		return dataset.Row{}, io.EOF
	case none == io.EOF:
		return dataset.Row{}, l.fault("only %d labels for more rows", l.rows).
			WithHint("the first row without one is %s:%d", row.File, row.Line)
	case l.labeler.Labelled(&row):
		return dataset.Row{}, fail.New(fail.Input,
			"the row has a label, and labels have a file of their own").At(row.File, row.Line, 0)
	}
	l.rows++
	if err := l.labeler.Set(&row, word); err != nil {
		if e := (*fail.Error)(nil); errors.As(err, &e) {
			return dataset.Row{}, e.At(l.labels.Path, l.rows, 0)
		}
		return dataset.Row{}, err
	}
	return row, nil
}

// pass passes over the labels of rows that the source has left out, because their weight is 0. They
// lie before the row in hand, or before the end.
func (l *labelled) pass(end bool) error {
	r, ok := l.Source.(interface{ Rows() int })
	if !ok {
		return nil
	}
	until := r.Rows()
	if !end {
		until--
	}
	for ; l.rows < until; l.rows++ {
		if _, err := l.labels.Next(); err == io.EOF {
			return l.fault("only %d labels for more rows", l.rows)
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (l *labelled) fault(format string, args ...any) *fail.Error {
	return fail.New(fail.Input, format, args...).At(l.labels.Path, 0, 0)
}
