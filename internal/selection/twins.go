package selection

import (
	"context"
	"fmt"

	"bigmkl/dataset"
)

const (
	// mostTwins is the number of rows, from the first on, that are compared with each other.
	mostTwins = 1 << 20
	// manyTwins is the least share of held-out rows with a twin among the rows of the training that causes a warning:
	// a kernel of narrow width contains the answer for such rows.
	manyTwins = 0.1
)

// describeTwins returns a sentence about held-out rows that have the features of rows of their training, and "" if they
// are few.
func (d *division) describeTwins(ctx context.Context, s *dataset.Store) (string, error) {
	if s.Size().Nonzeros == 0 || s.Len() > mostTwins {
		return "", nil
	}
	first, err := s.Twins(ctx, s.Len())
	if err != nil {
		return "", err
	}
	rows := make([]int32, len(first)) // of each first row the number of its twins, itself among them
	for _, k := range first {
		rows[k]++
	}
	// first[i] is the first row with the features of row i. A held-out row has a twin in its
	// training if not all of its equals are in the fold.
	twins, held := 0, 0
	inside := make([]int32, len(first))
	for _, folds := range d.folds {
		for _, f := range folds {
			for _, i := range f.rows {
				inside[first[i]]++
			}
			held += len(f.rows)
			for _, i := range f.rows {
				if inside[first[i]] < rows[first[i]] {
					twins++
				}
			}
			// Only the entries of this fold are cleared: folds of few rows would otherwise cost
			// the length of the whole array each.
			for _, i := range f.rows {
				inside[first[i]] = 0
			}
		}
	}
	if float64(twins) < manyTwins*float64(held) {
		return "", nil
	}
	return fmt.Sprintf("%.0f %% of the held-out rows have the features of a row of their training: figures may be too good "+
		"(--groups-file FILE with a name for equal rows keeps them together)", 100*float64(twins)/float64(held)), nil
}
