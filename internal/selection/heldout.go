package selection

import (
	"context"

	"bigmkl/dataset"
)

// Held-out rows are held out of everything. For each fold the data are opened again without its rows.
// Scaling, widths, normalisation, centring, substitutes of missing views, and regions therefore come
// from the other rows. The model predicts the rows of the fold as new rows. A feature that no row of
// the training has is unknown to it. All rows are opened only for their labels, the folds, and the
// names of the lines.

// Preparation names the rows from which scaling, widths, normalisation and the like are made.
type Preparation string

// These are the preparations. Trials have none, as each has rows of its own.
const (
	PreparedApart  Preparation = "held out" // from the rows of each training
	PreparedShared Preparation = "shared"   // from all rows, also those that are left out
)

// sharedBecause returns the reason why preparation is shared by all folds without a request, and is
// empty if it is not. Files with an entry for each row, or for each pair of rows, cannot be cut to the
// rows of a fold.
func (o *Options) sharedBecause() string {
	t := o.Training
	for _, t.Kernels = range o.Banks {
		if because := t.RowFiles(); because != "" {
			return because
		}
	}
	return ""
}

// recorded is a source whose rows are kept as they are read. A pipe can be read once, and each fold
// needs all rows again.
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
