// Package parts keeps rows that come once, and yields parts of them as sources: the rows of a training, and those that are held
// out of it.
package parts

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/holdout"
	"bigmkl/internal/dataset/labeltext"
)

// Rows are all rows, read once and kept in a scratch file. Memory has what the file has not: labels by their numbers, targets and weights.
type Rows struct {
	// Names are the labels in the order of their first rows, and Labels has the number of the label of each row.
	Names   []string
	Labels  []int32
	spool   *dataset.Spool
	targets []float64
	uppers  []float64
	weights []float64
	bytes   int64
}

const (
	// rowBytes is the memory of a row: its label, target, upper bound, weight, place in a random order, fold, score and two marks, where lists grow to twice.
	rowBytes = 2*(4+8+8+8) + 8 + 8 + 2*8 + 2
	// nameBytes is the memory of a label beside its text: in the list and in the map of numbers.
	nameBytes = 96
)

// Read reads a source to its end, and at most limit rows unless that is 0, into a scratch file of a folder.
func Read(ctx context.Context, src dataset.Source, scratch string, limit int) (*Rows, error) {
	spool, err := dataset.NewSpool(scratch)
	if err != nil {
		return nil, err
	}
	r := &Rows{spool: spool}
	if err := r.read(ctx, src, limit); err != nil {
		spool.Close()
		return nil, err
	}
	return r, nil
}

// Len returns the number of rows.
func (r *Rows) Len() int { return len(r.Labels) }

// Bounded reports whether a row has an upper bound of its time.
func (r *Rows) Bounded() bool {
	return slices.ContainsFunc(r.uppers, func(u float64) bool { return u != 0 })
}

// Bytes returns the memory of all that is not in the file, and of masks, folds and a score of each row.
func (r *Rows) Bytes() int64 { return r.bytes }

// Size returns the bytes of the file.
func (r *Rows) Size() int64 { return r.spool.Size() }

// read reads the rows.
func (r *Rows) read(ctx context.Context, src dataset.Source, limit int) error {
	numbers := map[string]int32{}
	for limit == 0 || len(r.Labels) < limit {
		if err := ctx.Err(); err != nil {
			return err
		}
		row, err := src.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := r.spool.Add(&row); err != nil {
			return err
		}
		k, known := numbers[row.Label]
		if !known {
			name := strings.Clone(row.Label)
			k = int32(len(r.Names))
			numbers[name], r.Names = k, append(r.Names, name)
			r.bytes += nameBytes + int64(len(name))
		}
		r.Labels, r.targets, r.weights = append(r.Labels, k), append(r.targets, row.Target), append(r.weights, row.Weight)
		r.uppers = append(r.uppers, row.Upper)
		r.bytes += rowBytes
	}
	return nil
}

// Close frees the rows.
func (r *Rows) Close() error { return r.spool.Close() }

// Part yields the rows for which held is what it states, once.
type Part struct {
	// Cuts leaves out features that no row of the training has.
	Cuts   bool
	rows   *Rows
	held   []bool
	yields bool // the rows that are held out, and without it the others
	known  *dataset.Known
	next   int
	width  int
}

// Part begins to read the rows that are held out, or without yields the others, one part at a time. Rows that are held out have the
// features that the others have; known is shared by both. No rows are held out if held is nil.
func (r *Rows) Part(held []bool, yields bool, known *dataset.Known) (*Part, error) {
	p := &Part{rows: r, held: held, yields: yields, known: known}
	if !yields {
		p.width = r.spool.Width()
	}
	return p, r.spool.Rewind()
}

// Next returns the next row of the part.
func (p *Part) Next() (dataset.Row, error) {
	for {
		row, err := p.rows.spool.Next()
		if err != nil {
			return dataset.Row{}, err
		}
		i := p.next
		p.next++
		if p.held != nil && p.held[i] != p.yields {
			continue
		}
		row.Label, row.Target, row.Weight = p.rows.Names[p.rows.Labels[i]], p.rows.targets[i], p.rows.weights[i]
		row.Upper = p.rows.uppers[i]
		switch {
		case !p.yields:
			p.known.Note(&row)
		case p.Cuts: // New rows have such features, and keep them where the model has a place for them.
			row = p.known.Cut(row)
		}
		return row, nil
	}
}

// Points returns nil: rows are read one by one.
func (p *Part) Points(context.Context) (*dataset.Points, error) { return nil, nil }

// Width returns the number of features of all rows. The model of a part has as many.
func (p *Part) Width(int) int { return p.width }

// Deal deals the rows out to folds at random, label by label. The numbers of rows of a label differ by one at most between folds, and a
// training without a fold has rows of every label of several rows.
func (r *Rows) Deal(folds int, seed uint64) []int32 {
	n := len(r.Labels)
	order := holdout.Order(n, seed)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Labels[a], r.Labels[b]) })
	of := make([]int32, n)
	for k, i := range order {
		of[i] = int32(k % folds)
	}
	return of
}

// Fold marks the rows of fold k.
func Fold(of []int32, k int) []bool {
	held := make([]bool, len(of))
	for i, f := range of {
		held[i] = int(f) == k
	}
	return held
}

// Classes returns the class of each label, by its number. With positive labels the classes are 1 and -1, as the classes of a
// training are.
func (r *Rows) Classes(positive []string) []string {
	if positive == nil {
		return r.Names
	}
	classes := make([]string, len(r.Names))
	for k, name := range r.Names {
		classes[k] = "-1"
		if slices.ContainsFunc(positive, func(label string) bool { return IsLabel(label, name) }) {
			classes[k] = "1"
		}
	}
	return classes
}

// IsLabel reports whether a label that a user wrote, such as +1, is the one with a name.
func IsLabel(label, name string) bool {
	l, err := labeltext.Canonical(label)
	return err == nil && l == name
}
