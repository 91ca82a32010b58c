package selection

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/holdout"
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
		if set.Kind(0) == set.Kind(1) {
			s.alike = [][]string{s.others}
		}
		return nil
	}
	column := slices.Index(names, s.HoldOut)
	if column < 0 {
		err := fail.New(fail.Usage, "--hold-out: there are no objects %s", fail.Quote(s.HoldOut))
		if len(names) == 0 {
			return err.WithHint("the rows name no objects: --objects gives their files")
		}
		return err.WithHint("the objects are %s", strings.Join(names, ", "))
	}
	s.Groups = namesOf(store, set, column)
	for c := range names {
		if c != column && set.Kind(c) == set.Kind(column) {
			s.alike = append(s.alike, namesOf(store, set, c))
		}
	}
	return nil
}

// leavesAside reports whether folds have rows aside.
func (s *Splits) leavesAside() bool { return s.others != nil || s.alike != nil }

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
	n := len(s.Groups)
	parts := func() (first, second [][]int32) {
		// A row is held out if its objects of both columns are. With the share q of either
		// column these are about q^2 of the rows.
		share := math.Sqrt(s.Share)
		if s.alike != nil {
			return s.dealAlike(rng, share)
		}
		first, second = make([][]int32, max(s.Folds, 1)), make([][]int32, max(s.Folds, 1))
		holdout.DealGroups(first, s.Groups, rng, share)
		holdout.DealGroups(second, s.others, rng, share)
		return first, second
	}
	if s.Random > 0 {
		for k := range s.Random {
			first, second := parts()
			list = append(list, s.withAlike(apartFrom(fmt.Sprint(k+1), first[0], second[0], n)))
		}
		return list
	}
	first, second := parts()
	// k parts of each column give k^2 folds. Each row is in one of them, and aside in 2(k-1), or in more if the columns name objects of
	// one kind.
	for _, a := range first {
		for _, b := range second {
			list = append(list, s.withAlike(apartFrom(fmt.Sprintf("%d.%d", repetition+1, len(list)+1), a, b, n)))
		}
	}
	return list
}

// dealAlike deals out the objects that both columns name, so an object is in the same part of both, and returns the rows of each part
// of either column.
func (s *Splits) dealAlike(rng *rand.Rand, share float64) (first, second [][]int32) {
	n := int32(len(s.Groups))
	parts := make([][]int32, max(s.Folds, 1))
	holdout.DealGroups(parts, slices.Concat(s.Groups, s.others), rng, share)
	for _, part := range parts {
		var a, b []int32
		for _, i := range part {
			if i < n {
				a = append(a, i)
			} else {
				b = append(b, i-n)
			}
		}
		first, second = append(first, a), append(second, b)
	}
	return first, second
}

// withAlike puts aside each further row that names, in any column, an object of a row of the fold. Columns of one kind name the same
// objects, so an object that is held out in one column must not be in the training in another one.
func (s *Splits) withAlike(f fold) fold {
	if s.alike == nil {
		return f
	}
	columns := append([][]string{s.Groups}, s.alike...)
	held := map[string]bool{}
	for _, i := range f.rows {
		held[s.Groups[i]] = true
		if s.others != nil {
			held[s.others[i]] = true
		}
	}
	out := make([]bool, len(s.Groups))
	for _, i := range united(f.rows, f.aside) {
		out[i] = true
	}
	for i := range out {
		if !out[i] && slices.ContainsFunc(columns, func(names []string) bool { return held[names[i]] }) {
			f.aside = append(f.aside, int32(i))
		}
	}
	slices.Sort(f.aside)
	return f
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
