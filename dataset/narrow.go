package dataset

import "bigmkl/internal/fail"

// ExtraFeature returns the error, of class fail.Input, that a row has feature j, counted from 0,
// where the model has only the first d.
func (r *Row) ExtraFeature(j int32, d int) *fail.Error {
	return r.fault("feature %d, but the model has only %d", int64(j)+1, d).
		WithHint("--ignore-extra-features takes features that no training row had as 0")
}

// NarrowSource leaves out features that a model does not know, because no row of its training had
// them. A feature that is left out counts as 0, as it was in all of those rows. It is for numbers
// alone: a letter of a sequence is never left out.
type NarrowSource struct {
	from     Source
	features int
	left     int64
}

// Narrow returns a source of the rows of another one with the first features alone. It does not
// close the other one.
func Narrow(from Source, features int) *NarrowSource {
	return &NarrowSource{from: from, features: features}
}

// Next returns the next row.
func (s *NarrowSource) Next() (Row, error) {
	r, err := s.from.Next()
	if err != nil {
		return r, err
	}
	// Features ascend, so those beyond the last one stand together. An index below 0 is for
	// others to reject.
	keep := len(r.Index)
	for keep > 0 && int(r.Index[keep-1]) >= s.features {
		keep--
	}
	if len(r.Value) == len(r.Index) {
		for _, x := range r.Value[keep:] {
			if x != 0 {
				s.left++
			}
		}
		r.Value = r.Value[:keep]
	}
	r.Index = r.Index[:keep]
	return r, nil
}

// LeftOut returns the number of values other than 0 that were left out until now.
func (s *NarrowSource) LeftOut() int64 { return s.left }
