package selection

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/holdout"
	"bigmkl/internal/fail"
)

// Splits describes which rows are left out together. The zero value asks for 5 folds. Random folds
// and splits are stratified: of each class they have the same share, give or take a row.
type Splits struct {
	// Folds is the number of folds, at least 2. If all fields equal zero, it is 5.
	Folds int
	// Random is the number of random splits, each of which leaves out the share Share of the rows,
	// in (0, 1). It excludes Folds.
	Random int
	Share  float64
	// Given names the fold of each row. It excludes Folds and Random.
	Given []string
	// Groups names the group of each row. Rows of a group are left out together, and folds are as
	// equal in rows as groups allow. It goes with Folds and Random, which are then not stratified.
	Groups []string
	// HoldOut is HoldOutPairs, which "" represents, or the name of a column of objects: rows of the same object in it are
	// then one group, so no object of that column is on both sides, whichever column of its kind names it. HoldOutBoth keeps
	// the objects of two columns apart: Folds is
	// the number of parts of the objects of each column.
	HoldOut string
	// Repeat is how often folds are drawn. If it equals zero, it is 1.
	Repeat int

	others []string   // as Groups, of the second column under HoldOutBoth
	alike  [][]string // as Groups, of each further column of the kind of objects that is held out
}

// setDefaults puts defaults in the place of zeros.
func (s *Splits) setDefaults() {
	if s.Folds == 0 && s.Random == 0 && s.Given == nil {
		s.Folds = 5
	}
	if s.Repeat == 0 {
		s.Repeat = 1
	}
}

// Validate lists every fault at once. Each is of class fail.Usage.
func (s Splits) Validate() error {
	s.setDefaults()
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fail.New(fail.Usage, format, args...))
		}
	}
	// setDefaults has chosen folds if no field was set, so exactly one kind is set in a value
	// without a fault.
	kinds := 0
	for _, is := range []bool{s.Folds != 0, s.Random != 0, s.Given != nil} {
		if is {
			kinds++
		}
	}
	check(kinds == 1, "folds, random splits and given folds exclude each other")
	check(s.Folds == 0 || s.Folds >= 2, "%d folds: at least 2", s.Folds)
	check(s.Random == 0 || s.Random >= 2, "%d random splits: at least 2", s.Random)
	check(s.Random == 0 || s.Share > 0 && s.Share < 1,
		"a share of %g of the rows is not in (0, 1)", s.Share)
	check(s.Repeat >= 1, "%d repetitions", s.Repeat)
	check(s.Repeat == 1 || s.Folds != 0, "only folds that are drawn can be repeated")
	check(s.Given == nil || s.Groups == nil, "given folds leave no room for groups")
	check(!s.holdsOutObjects() || s.Given == nil && s.Groups == nil, "objects that are held out leave no room for given folds and groups")
	return errors.Join(faults...)
}

// fold is a set of rows that is left out of a training.
type fold struct {
	Name string // repetition and fold, as in "2.3", or the name that was given
	rows []int32
	// Rows are aside if objects are held out: they share one object with the fold and may share another one with
	// the training.
	aside []int32 // rows that are neither in the fold nor in its training, ascending
}

// draw lists the folds, repetition by repetition. The stream of random numbers is part of the bits
// of a selection.
func (s *Splits) draw(store *dataset.Store, seed uint64) ([][]fold, error) {
	n := store.Len()
	// Names come from files that are separate from the data. A shifted list would put rows into
	// wrong folds, so the counts must agree.
	for what, names := range map[string][]string{"folds": s.Given, "groups": s.Groups} {
		if names != nil && len(names) != n {
			return nil, fail.New(fail.Input, "%d names of %s for %d rows", len(names), what, n).
				WithHint("each row that is used has a name, rows of weight 0 have none")
		}
	}
	if s.Given != nil {
		return s.given()
	}
	var all [][]fold
	for r := range max(s.Repeat, 1) {
		rng := rand.New(rand.NewPCG(seed, 0x73656c656374<<8|uint64(r))) // the letters of "select"
		if s.others != nil {
			list := s.drawBoth(rng, r)
			if err := checkFolds(list, n); err != nil {
				return nil, err
			}
			all = append(all, list)
			continue
		}
		if s.Random > 0 {
			var list []fold
			for k := range s.Random {
				out := s.deal(store, rng, s.Share)
				list = append(list, s.withAlike(fold{Name: fmt.Sprint(k + 1), rows: out[0]}))
			}
			return append(all, list), checkFolds(list, n)
		}
		var list []fold
		for k, rows := range s.deal(store, rng, 0) {
			list = append(list, s.withAlike(fold{Name: fmt.Sprintf("%d.%d", r+1, k+1), rows: rows}))
		}
		if err := checkFolds(list, n); err != nil {
			return nil, err
		}
		all = append(all, list)
	}
	return all, nil
}

// checkFolds rejects folds that are empty, that have all rows, or whose rows and rows aside are
// all rows: no training or no test is left then. This happens with few rows, or with few groups.
func checkFolds(list []fold, n int) error {
	for _, f := range list {
		if len(f.rows) == 0 || len(f.rows) == n {
			hint := "use fewer folds"
			if len(f.rows) == n {
				hint = "leave a smaller share out, or divide the rows into more groups"
			}
			return fail.New(fail.Input, "fold %s has %d of %d rows", fail.Word(f.Name), len(f.rows), n).WithHint("%s", hint)
		}
		if len(f.rows)+len(f.aside) == n {
			return fail.New(fail.Input, "fold %s leaves no row for its training", fail.Word(f.Name)).WithHint("use more folds")
		}
	}
	if len(list) < 2 {
		return fail.New(fail.Input, "one fold has all rows").WithHint("name at least two folds")
	}
	return nil
}

// given lists the folds that were named, in the order of their first rows. Equal names are one fold, so
// a file of names decides the number of folds.
func (s *Splits) given() ([][]fold, error) {
	var list []fold
	at := map[string]int{}
	for i, name := range s.Given {
		k, ok := at[name]
		if !ok {
			k = len(list)
			at[name] = k
			list = append(list, fold{Name: name})
		}
		list[k].rows = append(list[k].rows, int32(i))
	}
	return [][]fold{list}, checkFolds(list, len(s.Given))
}

// deal deals the rows out to s.Folds folds. With a share above 0, it draws only the first fold,
// which gets this share of the rows.
func (s *Splits) deal(store *dataset.Store, rng *rand.Rand, share float64) [][]int32 {
	count := max(s.Folds, 1)
	folds := make([][]int32, count)
	if groups := groupsOf(s.Groups, store); groups != nil {
		holdout.DealGroups(folds, groups, rng, share)
	} else {
		dealClasses(folds, store, rng, share)
	}
	for k := range folds {
		slices.Sort(folds[k])
	}
	return folds
}

// together returns the names of rows that are left out together: groups, or given folds. With two columns of objects
// that are held out, the rows of an object of the first are together.
func (s *Splits) together() []string {
	if s.Given != nil {
		return s.Given
	}
	return s.Groups
}

// groupsOf returns the group of each row: the given groups, or else the groups of relevances;
// nil if there are none.
func groupsOf(given []string, store *dataset.Store) (groups []string) {
	if given != nil || !isRanked(store) {
		return given
	}
	for _, g := range store.Labels() {
		groups = append(groups, store.Classes()[g])
	}
	return groups
}

// isRanked reports whether rows have relevances, whose groups are in the place of classes.
func isRanked(store *dataset.Store) bool { return store.Labels() != nil && store.Targets() != nil }

// dealClasses deals the rows of one class after the other to the folds in turn, in random order.
// It does not begin again at the first fold with each class, so folds differ by at most one row,
// in each class and in total. With a share, it takes this share of each class.
func dealClasses(folds [][]int32, store *dataset.Store, rng *rand.Rand, share float64) {
	var classes [][]int32
	if labels := store.Labels(); labels == nil {
		classes = [][]int32{make([]int32, store.Len())}
		for i := range classes[0] {
			classes[0][i] = int32(i)
		}
	} else {
		classes = make([][]int32, len(store.Classes()))
		for i, c := range labels {
			classes[c] = append(classes[c], int32(i))
		}
	}
	dealLists(folds, classes, rng, share)
}

// dealLists is dealClasses for the rows of each class. With a share it fills the first fold alone. The
// other rows are the training.
func dealLists(folds, classes [][]int32, rng *rand.Rand, share float64) {
	dealt, owed := 0, 0.0
	for _, rows := range classes {
		rng.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
		if share > 0 {
			// What rounding keeps from one class is left to the next.
			owed += share * float64(len(rows))
			take := min(int(owed+0.5), len(rows))
			owed -= float64(take)
			folds[0] = append(folds[0], rows[:take]...)
			continue
		}
		for _, i := range rows {
			folds[dealt%len(folds)] = append(folds[dealt%len(folds)], i)
			dealt++
		}
	}
}
