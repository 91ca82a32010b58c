package dataset

import (
	"math"
	"slices"

	"bigmkl/internal/fail"
)

// Occurring lists the features that training rows have, where these are few of many: rows of hashed
// words have a handful of features below 2^31. Features that no row has cost as much as others in
// tables of one number for each feature, such as means and scalings. A store therefore numbers those
// that occur, in their order, and gives one number more to all others together: no training row has
// it, and in a further row its value is the length of what the others have. Products with training
// rows and squared distances to them are then what they are among all features.
type Occurring struct {
	// Width is the number of features among which these occur.
	Width int `json:"width"`
	// Index lists the features that occur, from 0, ascending.
	Index []int32 `json:"index"`
}

const (
	// wideFeatures is the number of features up to which all are numbered, whether they occur or
	// not, so models of narrower data keep their bytes.
	wideFeatures = 1 << 16
	// rareFeatures is the number of features for each one that occurs from which on only these are
	// numbered.
	rareFeatures = 8
	// mostOccurring bounds the list, which is part of the model's settings.
	mostOccurring = 1 << 20
)

// Features returns the number of features by which rows are stored.
func (o *Occurring) Features() int { return len(o.Index) + 1 }

// Equal reports whether both are the same list, or nil.
func (o *Occurring) Equal(other *Occurring) bool {
	return o == other || o != nil && other != nil && o.Width == other.Width &&
		slices.Equal(o.Index, other.Index)
}

// Check returns an error of class fail.Corrupt unless o is a list for so many features.
func (o *Occurring) Check(features int) error {
	sound := o.Width >= 1 && o.Width <= math.MaxInt32 && len(o.Index) <= mostOccurring &&
		o.Features() == features
	for k := 0; sound && k < len(o.Index); k++ {
		sound = o.Index[k] >= 0 && int(o.Index[k]) < o.Width && (k == 0 || o.Index[k-1] < o.Index[k])
	}
	if !sound {
		return fail.New(fail.Corrupt, "%d features that occur among %d, for rows of %d", len(o.Index),
			o.Width, features)
	}
	return nil
}

// numbering writes rows by the numbers of the features that occur.
type numbering struct {
	*Occurring
	index []int32
	value []float64
}

// row returns a row by the numbers of its features. It is valid until the following call. A feature
// beyond the last is an error, as for a model of all features.
func (n *numbering) row(r Row) (Row, error) {
	if err := r.check(true); err != nil { // Whoever takes the row reports whether values may be missing.
		return r, err
	}
	n.index, n.value = n.index[:0], n.value[:0]
	at, others := 0, 0.0
	for k, j := range r.Index {
		if int(j) >= n.Width {
			return r, r.ExtraFeature(j, n.Width)
		}
		step, is := slices.BinarySearch(n.Index[at:], j)
		if at += step; is {
			n.index, n.value = append(n.index, int32(at)), append(n.value, r.Value[k])
		} else if !math.IsNaN(r.Value[k]) {
			others = math.Hypot(others, r.Value[k])
		}
	}
	if others != 0 {
		n.index, n.value = append(n.index, int32(len(n.Index))), append(n.value, others)
	}
	r.Index, r.Value = n.index, n.value
	return r, nil
}

// renumbered is a source of rows by the numbers of the features that occur.
type renumbered struct {
	Source
	numbering
}

// Number returns a source of the rows of src by the numbers of the features that occur, or src if o
// is nil. The owner of src still has to close it.
func (o *Occurring) Number(src Source) Source {
	if o == nil {
		return src
	}
	return &renumbered{src, numbering{Occurring: o}}
}

// Next implements Source.
func (n *renumbered) Next() (Row, error) {
	r, err := n.Source.Next()
	if err != nil {
		return r, err
	}
	return n.row(r)
}

// findOccurring looks for the features that occur, and numbers them if they are few of many.
func (b *builder) findOccurring() error {
	s := &b.store
	if s.d <= wideFeatures || b.spool.dropped {
		return nil
	}
	most := min(s.d/rareFeatures, mostOccurring)
	seen := map[int32]struct{}{}
	enough := false
	err := b.eachRow(func(_ int, r *Row) error {
		for k := 0; k < len(r.Index) && !enough; k++ {
			seen[r.Index[k]] = struct{}{}
			enough = len(seen) > most
		}
		return nil
	})
	if err != nil || enough {
		return err
	}
	s.occurring = &Occurring{Width: s.d, Index: make([]int32, 0, len(seen))}
	for j := range seen {
		s.occurring.Index = append(s.occurring.Index, j)
	}
	slices.Sort(s.occurring.Index)
	s.d = s.occurring.Features()
	s.given, s.size.Features = s.d, s.d
	b.numbering = &numbering{Occurring: s.occurring}
	return nil
}
