package calibration

import (
	"context"
	"errors"
	"io"

	"bigmkl/dataset"
)

// rows are all rows, read once and kept in a scratch file.
type rows struct {
	spool *dataset.Spool
	heads []dataset.Row // labels, targets and weights, without features
}

// readRows reads a source to its end, and at most limit rows unless that is 0.
func readRows(ctx context.Context, src dataset.Source, limit int, scratch string) (*rows, error) {
	spool, err := dataset.NewSpool(scratch)
	if err != nil {
		return nil, err
	}
	r := &rows{spool: spool}
	for limit == 0 || len(r.heads) < limit {
		if err = ctx.Err(); err != nil {
			break
		}
		var row dataset.Row
		if row, err = src.Next(); err != nil {
			break
		}
		if err = spool.Add(&row); err != nil {
			break
		}
		row.Index, row.Value = nil, nil
		r.heads = append(r.heads, row)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		spool.Close()
		return nil, err
	}
	return r, nil
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
		head := &p.rows.heads[p.next]
		p.next++
		if p.held != nil && p.held[p.next-1] != p.yields {
			continue
		}
		row.Label, row.Target, row.Weight = head.Label, head.Target, head.Weight
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

// deal deals n rows out to folds at random, and returns the fold of each.
func deal(n, folds int, seed uint64) []int {
	of := make([]int, n)
	for k, i := range dataset.RandomOrder(n, seed) {
		of[i] = k % folds
	}
	return of
}
