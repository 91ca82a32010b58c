package selection

import (
	"math/rand/v2"
	"slices"

	"bigmkl/dataset"
)

// A permuted source keeps the distribution of its features and loses their relation to the
// labels: each row gets the source's features of another row, all of them from the same one. So
// features of a source stay dependent on each other, and features of other sources stay in
// place.

// swap replaces some features of each row by those of another row.
type swap struct {
	spool    *dataset.Spool
	features []bool  // of each feature whether it is replaced
	from     []int32 // of each row the row whose features it gets
	// row has the memory of the result, which is used again for each row.
	row dataset.Row
}

// newSwap returns a swap that replaces the given features, ascending, once mix has been called.
func newSwap(spool *dataset.Spool, features []int32) *swap {
	s := &swap{spool: spool, from: make([]int32, spool.Rows()), features: make([]bool, features[len(features)-1]+1)}
	for _, j := range features {
		s.features[j] = true
	}
	for i := range s.from {
		s.from[i] = int32(i)
	}
	return s
}

// mix permutes the features among some rows. Others keep theirs.
func (s *swap) mix(rows []int32, rng *rand.Rand) *swap {
	mixed := slices.Clone(rows)
	rng.Shuffle(len(mixed), func(a, b int) { mixed[a], mixed[b] = mixed[b], mixed[a] })
	for k, i := range rows {
		s.from[i] = mixed[k]
	}
	return s
}

// replaces reports whether a feature is replaced.
func (s *swap) replaces(j int32) bool { return int(j) < len(s.features) && s.features[j] }

// of returns row i with the features of another row, valid until the next call.
func (s *swap) of(i int, r dataset.Row) (dataset.Row, error) {
	if int(s.from[i]) == i {
		return r, nil
	}
	other, err := s.spool.At(int(s.from[i]))
	if err != nil {
		return r, err
	}
	s.row.Index, s.row.Value = s.row.Index[:0], s.row.Value[:0]
	take := func(index int32, value float64) {
		s.row.Index, s.row.Value = append(s.row.Index, index), append(s.row.Value, value)
	}
	// Both rows are sparse with ascending indices. This is a merge that takes replaced features
	// from the other row and all others from row i.
	a, b := 0, 0
	for a < len(r.Index) || b < len(other.Index) {
		switch {
		case a < len(r.Index) && s.replaces(r.Index[a]):
			a++
		case b < len(other.Index) && !s.replaces(other.Index[b]):
			b++
		case b == len(other.Index) || a < len(r.Index) && r.Index[a] < other.Index[b]:
			take(r.Index[a], r.Value[a])
			a++
		default:
			take(other.Index[b], other.Value[b])
			b++
		}
	}
	r.Index, r.Value = s.row.Index, s.row.Value
	return r, nil
}
