package selection

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/fail"
)

// Rows that name objects are left out as the objects ask for (the settings S1 to S4 of Pahikkala et al. 2015): whatever
// their objects are, with all rows of an object of one column, or so that no object of either column is on both sides. In the last case the
// rows that have one object of each side are in neither.

const (
	// HoldOutPairs leaves out rows whatever objects they name (S1). The name of a column leaves out its objects (S2 and S3).
	HoldOutPairs = "pairs"
	// HoldOutBoth leaves out the objects of both columns (S4).
	HoldOutBoth = "both"
)

// holdsOutObjects reports whether rows of the same object are left out together.
func (s *Splits) holdsOutObjects() bool { return s.HoldOut != "" && s.HoldOut != HoldOutPairs }

// groupObjects makes rows of the same object of a column a group. Predictions for new objects are
// harder than for new pairs of known objects, so a selection must leave out rows in the way in which
// the model will be used.
func (s *Splits) groupObjects(store *dataset.Store, set *objects.Set) error {
	if !s.holdsOutObjects() {
		return nil
	}
	var names []string
	if set != nil {
		names = set.Names().Columns()
	}
	if s.HoldOut == HoldOutBoth && len(names) > 0 {
		if len(names) != 2 {
			return fail.New(fail.Usage, "--hold-out %s: rows name objects of %d columns, and two are needed", HoldOutBoth, len(names))
		}
		s.Groups, s.others = namesOf(store, set, 0), namesOf(store, set, 1)
		return nil
	}
	column := slices.Index(names, s.HoldOut)
	if column < 0 {
		return fail.New(fail.Usage, "--hold-out: there are no objects %s", fail.Quote(s.HoldOut))
	}
	s.Groups = namesOf(store, set, column)
	return nil
}

// namesOf returns the object of each row in a column.
func namesOf(store *dataset.Store, set *objects.Set, column int) []string {
	row := make([]float32, store.Dim())
	names := make([]string, store.Len())
	for i := range names {
		// The store has the number of an object as the value of the feature of its column.
		// Numbers up to 2^24 are exact in float32.
		store.Row(i, row)
		names[i] = set.Kind(column).Name(int(row[column]))
	}
	return names
}

// drawBoth draws folds that keep the objects of both columns apart. The objects of each column are dealt out to parts, and a fold has the
// rows with objects of a part of either column. A random split draws one part of either column, each with the square root of the share of
// the rows.
func (s *Splits) drawBoth(rng *rand.Rand, repetition int) (list []fold) {
	parts := func() (first, second [][]int32) {
		first, second = make([][]int32, max(s.Folds, 1)), make([][]int32, max(s.Folds, 1))
		// A row is held out if its objects of both columns are. With the share q of either
		// column these are about q^2 of the rows.
		share := math.Sqrt(s.Share)
		dealGroups(first, s.Groups, rng, share)
		dealGroups(second, s.others, rng, share)
		return first, second
	}
	if s.Random > 0 {
		for k := range s.Random {
			first, second := parts()
			list = append(list, apartFrom(fmt.Sprint(k+1), first[0], second[0], len(s.Groups)))
		}
		return list
	}
	first, second := parts()
	// k parts of each column give k^2 folds. Each row is in one of them, and aside in 2(k-1).
	for _, a := range first {
		for _, b := range second {
			list = append(list, apartFrom(fmt.Sprintf("%d.%d", repetition+1, len(list)+1), a, b, len(s.Groups)))
		}
	}
	return list
}

// apartFrom returns the fold of the rows in both lists. Rows in one of them are aside.
func apartFrom(name string, a, b []int32, n int) fold {
	counts := make([]uint8, n)
	for _, list := range [][]int32{a, b} {
		for _, i := range list {
			counts[i]++
		}
	}
	f := fold{Name: name}
	for i, c := range counts {
		switch c {
		case 1:
			f.aside = append(f.aside, int32(i))
		case 2:
			f.rows = append(f.rows, int32(i))
		}
	}
	return f
}
