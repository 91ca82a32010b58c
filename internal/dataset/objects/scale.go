package objects

import (
	"context"
	"errors"
	"io"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// ScaleOptions set how the features of objects are read and scaled.
type ScaleOptions struct {
	// Scale is one of dataset.Scales.
	Scale string
	// Dir is the folder of scratch files, and Memory and Disk bound what reading takes, in bytes; 0 is no bound.
	Dir          string
	Memory, Disk int64
}

// Scaled returns the set with the scaled features of its objects. What is learned of a feature is learned from the
// objects, each counted once. Faults are of class fail.Input, or fail.Budget.
func (s *Set) Scaled(ctx context.Context, o ScaleOptions) (*Set, error) {
	if s == nil {
		return nil, nil
	}
	scaled := &Set{Columns: s.Columns}
	for _, k := range s.Kinds {
		own, err := k.scaled(ctx, o)
		if err != nil {
			return nil, err
		}
		scaled.Kinds = append(scaled.Kinds, own)
	}
	return scaled, nil
}

// scaled returns the objects of a kind with their scaled features.
func (k *Kind) scaled(ctx context.Context, o ScaleOptions) (*Kind, error) {
	own := *k
	if k.Dim == 0 {
		own.Scaling = dataset.Scaling{Kind: dataset.ScaleNone}
		return &own, nil
	}
	src, err := k.open()
	if err != nil {
		return nil, err
	}
	defer src.Close()
	store, err := dataset.Build(ctx, &features{source: src, kind: k}, dataset.StoreOptions{
		Dir: o.Dir, Scale: o.Scale, Layout: dataset.LayoutDense, Features: k.Dim, Labels: dataset.Ignored,
		Memory: o.Memory, Disk: o.Disk,
	})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	own.Scaling = *store.Scaling()
	own.Values = make([]float32, k.Count*k.Dim)
	for i := range k.Count {
		store.Row(i, own.Values[i*k.Dim:(i+1)*k.Dim])
	}
	return &own, nil
}

// features yields the features of the objects of a kind, which have to be the same objects as before.
type features struct {
	source
	kind *Kind
	rows int
}

var _ dataset.Source = (*features)(nil)

// Next returns the features of the next object.
func (f *features) Next() (dataset.Row, error) {
	row, name, err := f.next()
	k := f.kind
	switch {
	case errors.Is(err, io.EOF) && f.rows == k.Count:
		return row, err
	case err != nil && !errors.Is(err, io.EOF):
		return row, err
	case err != nil || f.rows == k.Count || f.named() && name != k.Names[f.rows] || f.width() != k.Dim:
		return row, fail.New(fail.Input, "the file changed while it was read").At(k.File, 0, 0)
	}
	f.rows++
	return row, nil
}

// Check returns a source of the rows of src, which name the objects of the set: each has a number for each column.
func (s *Set) Check(src dataset.Source) dataset.Source {
	if s == nil {
		return src
	}
	return &checked{src, s}
}

type checked struct {
	dataset.Source
	set *Set
}

// Next returns the next row, or an error if it names no objects.
func (c *checked) Next() (dataset.Row, error) {
	row, err := c.Source.Next()
	if err != nil {
		return row, err
	}
	at := 0
	for column := range c.set.Columns {
		number := 0.0
		if at < len(row.Index) && int(row.Index[at]) == column {
			number = row.Value[at]
			at++
		}
		if k := c.set.Kind(column); !(number >= 0 && number < float64(k.Count)) || number != float64(int(number)) {
			return row, fail.New(fail.Input, "%g is not the number of a %s: there are %d, from 0", number,
				c.set.Columns[column].Name, k.Count).At(row.File, row.Line, 0)
		}
	}
	if at < len(row.Index) {
		return row, fail.New(fail.Input, "a row has %d numbers, and here one for each of %d columns of objects",
			len(row.Index), len(c.set.Columns)).At(row.File, row.Line, 0)
	}
	return row, nil
}
