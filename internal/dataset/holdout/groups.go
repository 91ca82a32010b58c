package holdout

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"bigmkl/internal/fail"
)

// OfGroups deals rows out to folds and returns the fold of each row. names has the group of each row, and rows of a
// group are in the same fold. The stream of random numbers is part of the bits of a model.
func OfGroups(names []string, count int, seed uint64) []int32 {
	folds, of := make([][]int32, count), make([]int32, len(names))
	DealGroups(folds, names, rand.New(rand.NewPCG(seed, 0x67726f757073)), 0) // the letters of "groups"
	for k, rows := range folds {
		for _, i := range rows {
			of[i] = int32(k)
		}
	}
	return of
}

// CheckGroups rejects names of groups for another number of rows than n, which would put rows into wrong groups, and one
// group alone, without which nothing is left. Its errors are of class fail.Input.
func CheckGroups(names []string, n int) error {
	switch {
	case names == nil:
		return nil
	case len(names) != n:
		return fail.New(fail.Input, "%d names of groups for %d rows", len(names), n).
			WithHint("each row that is used has a name, rows of weight 0 have none")
	case !slices.ContainsFunc(names, func(name string) bool { return name != names[0] }):
		return fail.New(fail.Input, "all rows are of one group, and cannot be held out together")
	}
	return nil
}

// DealGroups gives the groups, the largest first, each to the fold with the fewest rows. This
// rule leaves at most a third more rows in the largest fold than the best division (Graham
// 1969). The shuffle decides among groups of equal size. With a share, it takes groups in random
// order until half of the next group would exceed the share.
func DealGroups(folds [][]int32, names []string, rng *rand.Rand, share float64) {
	at := map[string]int{}
	var groups [][]int32
	for i, name := range names {
		k, ok := at[name]
		if !ok {
			k = len(groups)
			at[name] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], int32(i))
	}
	rng.Shuffle(len(groups), func(a, b int) { groups[a], groups[b] = groups[b], groups[a] })
	if share > 0 {
		for _, g := range groups {
			if float64(len(folds[0]))+float64(len(g))/2 > share*float64(len(names)) && len(folds[0]) > 0 {
				break
			}
			folds[0] = append(folds[0], g...)
		}
		return
	}
	slices.SortStableFunc(groups, func(a, b []int32) int { return cmp.Compare(len(b), len(a)) })
	for _, g := range groups {
		least := 0
		for k := range folds {
			if len(folds[k]) < len(folds[least]) {
				least = k
			}
		}
		folds[least] = append(folds[least], g...)
	}
}
