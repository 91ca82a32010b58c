package selection

import (
	"context"

	"bigmkl/dataset"
)

// Held-out rows are held out of everything. For each fold the data are opened anew without its rows, so
// that scaling, widths, normalisation, centring, what stands for missing views, and regions are those
// of the other rows, and the rows of the fold are predicted by the model, as new rows would be. A
// feature that no row of the training has is unknown to it. What all rows are opened for is their
// labels, the folds, and the names of the lines.

// Preparation says from which rows scaling, widths, normalisation and the like are made.
type Preparation string

// These are the preparations. Trials have none, as each has rows of its own.
const (
	PreparedApart  Preparation = "held out" // from the rows of each training
	PreparedShared Preparation = "shared"   // from all rows, also those that are left out
)

// sharedBecause says why preparation is shared by all folds although nobody asked for it, and is empty
// if it is not: files that say something of each row, or each two, cannot be cut to those of a fold.
func (o *Options) sharedBecause() string {
	t := o.Training
	for _, t.Kernels = range o.Banks {
		if because := t.RowFiles(); because != "" {
			return because
		}
	}
	return ""
}

// recorded is a source whose rows are kept as they are read.
type recorded struct {
	dataset.Source
	spool *dataset.Spool
}

// Next returns the next row.
func (r *recorded) Next() (dataset.Row, error) {
	row, err := r.Source.Next()
	if err == nil {
		err = r.spool.Add(&row)
	}
	return row, err
}

// Points returns nil: rows are read one by one.
func (r *recorded) Points(context.Context) (*dataset.Points, error) { return nil, nil }

// Width returns the number of features that the source claims.
func (r *recorded) Width(rows int) int {
	if p, ok := r.Source.(dataset.PointSource); ok {
		return p.Width(rows)
	}
	return 0
}
