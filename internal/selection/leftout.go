package selection

import (
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/model"
)

// A training from which a fold is held out of everything learns the scaling, the widths and the factors of its kernels
// from its own rows. It therefore reads these rows as a source, as a training on a file does, and not the packed
// points of all rows.

// leftOut is a source of the rows of a fold, or of all rows but these.
type leftOut struct {
	store *dataset.Store // of all rows
	spool *dataset.Spool
	out   []int32
	in    bool // true: the rows of the fold; false: all other rows
	// known collects the features of training rows, and cuts all others from held-out rows.
	known *dataset.Known
	// next is the number of the next row of the spool, and width the number of features of all rows, 0
	// once a row has it.
	next  int
	width int
	row   dataset.Row
	swap  *swap // of the features of a source; nil if none are permuted
}

// Next returns the next row, with the label as all rows have it.
func (s *leftOut) Next() (dataset.Row, error) {
	for {
		r, err := s.spool.Next()
		if err != nil {
			return dataset.Row{}, err
		}
		// out ascends as the rows do, so its first element is the next row that is left out.
		i := int32(s.next)
		s.next++
		if len(s.out) > 0 && s.out[0] == i {
			s.out = s.out[1:]
			if !s.in {
				continue
			}
		} else if s.in {
			continue
		}
		if s.swap != nil {
			if r, err = s.swap.of(int(i), r); err != nil {
				return dataset.Row{}, err
			}
		}
		// Labels, targets and weights come from the store: the classes have the same order in all trainings.
		r.Weight, r.Target, r.Upper = 1, math.NaN(), 0
		if w := s.store.Weights(); w != nil {
			r.Weight = w[i]
		}
		if l := s.store.Labels(); l != nil {
			r.Label = s.store.Classes()[l[i]]
		}
		if t := s.store.Targets(); t != nil {
			r.Target = t[i]
			if u := s.store.Uppers(); u != nil {
				r.Upper = u[i]
			}
		}
		return s.mark(r), nil
	}
}

// mark notes the features of a row of the training, and removes features from a row of the fold
// that no row of the training has. One row of the training gets a zero in the last feature of
// all rows. So the training has as many features as all rows have.
func (s *leftOut) mark(r dataset.Row) dataset.Row {
	if s.in {
		return s.known.Cut(r)
	}
	if last := int32(s.width) - 1; last >= 0 && (len(r.Index) == 0 || r.Index[len(r.Index)-1] < last) {
		s.row.Index, s.row.Value = append(append(s.row.Index[:0], r.Index...), last), append(append(s.row.Value[:0], r.Value...), 0)
		r.Index, r.Value, s.width = s.row.Index, s.row.Value, 0
	}
	s.known.Note(&r)
	return r
}

// isOneClass reports whether all rows that are not left out have the same class. No classifier
// can be trained on such rows.
func isOneClass(store *dataset.Store, multiclass string, out []int32) bool {
	labels := store.Labels()
	if labels == nil || isRanked(store) || multiclass == model.MultiLabel {
		return false
	}
	// Rankings have groups in the place of classes, and a set of labels may be the same in all
	// rows: each label has a classifier of its own.
	first := int32(-1)
	for i, c := range labels {
		if len(out) > 0 && out[0] == int32(i) {
			out = out[1:]
			continue
		}
		if first >= 0 && c != first {
			return false
		}
		first = c
	}
	return true
}
