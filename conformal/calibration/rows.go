package calibration

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"bigmkl"
	"bigmkl/dataset"
)

// rows are all rows, read once and kept in a scratch file. Memory has what the file has not: labels by their numbers, targets and weights.
type rows struct {
	spool   *dataset.Spool
	names   []string
	labels  []int32
	targets []float64
	weights []float64
	// bytes is the memory of all this, and of masks, folds and scores of the rows.
	bytes int64
}

const (
	// rowBytes is the memory of a row: its label, target, weight, place in a random order, fold, score and two marks, where lists grow to twice.
	rowBytes = 2*(4+8+8) + 8 + 8 + 2*8 + 2
	// nameBytes is the memory of a label beside its text: in the list and in the map of numbers.
	nameBytes = 96
)

// readRows reads a source to its end, and at most o.Limit rows unless that is 0. It sets o.Kept, so that a training counts the rows.
func readRows(ctx context.Context, src dataset.Source, o *bigmkl.Options) (*rows, error) {
	spool, err := dataset.NewSpool(o.Scratch)
	if err != nil {
		return nil, err
	}
	r := &rows{spool: spool}
	if err := r.read(ctx, src, o.Limit); err != nil {
		spool.Close()
		return nil, err
	}
	o.Kept.Memory, o.Kept.Disk = r.bytes, spool.Size()
	return r, nil
}

// read reads the rows.
func (r *rows) read(ctx context.Context, src dataset.Source, limit int) error {
	numbers := map[string]int32{}
	for limit == 0 || len(r.labels) < limit {
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
			k = int32(len(r.names))
			numbers[name], r.names = k, append(r.names, name)
			r.bytes += nameBytes + int64(len(name))
		}
		r.labels, r.targets, r.weights = append(r.labels, k), append(r.targets, row.Target), append(r.weights, row.Weight)
		r.bytes += rowBytes
	}
	return nil
}

// Close frees the rows.
func (r *rows) Close() error { return r.spool.Close() }

// part yields the rows for which held is what held says, once.
type part struct {
	rows   *rows
	held   []bool
	yields bool // the rows that are held out, and without it the others
	known  *dataset.Known
	cuts   bool // leaves out features that no row of the training has
	next   int
	width  int
}

// part begins to read a part of the rows. Rows that are held out have the features that the others have; known is shared by both.
func (r *rows) part(held []bool, yields bool, known *dataset.Known) (*part, error) {
	p := &part{rows: r, held: held, yields: yields, known: known}
	if !yields {
		p.width = r.spool.Width()
	}
	return p, r.spool.Rewind()
}

// Next returns the next row of the part.
func (p *part) Next() (dataset.Row, error) {
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
		row.Label, row.Target, row.Weight = p.rows.names[p.rows.labels[i]], p.rows.targets[i], p.rows.weights[i]
		switch {
		case !p.yields:
			p.known.Note(&row)
		case p.cuts: // New rows have such features, and keep them where the model has a place for them.
			row = p.known.Cut(row)
		}
		return row, nil
	}
}

// Points returns nil: rows are read one by one.
func (p *part) Points(context.Context) (*dataset.Points, error) { return nil, nil }

// Width returns the number of features of all rows, so that the model of a part has as many.
func (p *part) Width(int) int { return p.width }

// heldOut marks the rows that have no part in the training, nil for none.
func (r *rows) heldOut(c *Options, seed uint64) []bool {
	if c.Share == 0 {
		return nil
	}
	return dataset.HeldOut(len(r.labels), c.Share, seed)
}

// deal deals the rows out to folds at random, label by label: of each label every fold has the same number of rows, give or take one, so that a
// training without a fold lacks no class of several rows.
func (r *rows) deal(folds int, seed uint64) []int32 {
	n := len(r.labels)
	order := dataset.RandomOrder(n, seed)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.labels[a], r.labels[b]) })
	of := make([]int32, n)
	for k, i := range order {
		of[i] = int32(k % folds)
	}
	return of
}

// classesOf returns the class of each label, by its number. With positive labels the classes are 1 and -1, as those of a training are.
func (r *rows) classesOf(positive []string) []string {
	if positive == nil {
		return r.names
	}
	classes := make([]string, len(r.names))
	for k, name := range r.names {
		classes[k] = "-1"
		if slices.ContainsFunc(positive, func(label string) bool { return isLabel(label, name) }) {
			classes[k] = "1"
		}
	}
	return classes
}

// isLabel reports whether a label that a user wrote, such as +1, is the one with a name.
func isLabel(label, name string) bool {
	l, err := dataset.CanonicalLabel(label)
	return err == nil && l == name
}
