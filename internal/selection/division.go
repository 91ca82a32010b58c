package selection

import (
	"math"
	"slices"

	"bigmkl/dataset"
	"bigmkl/mmap"
)

// division has the rows of each fold, by the name of the fold. Row numbers count from 0 and ascend.
type division struct {
	folds [][]fold           // by repetition
	rows  map[string][]int32 // of each fold by its name
	out   map[string][]int32 // rows that are not in its training: the rows of the fold, and rows aside
	sizes map[string]int     // by fold, the number of rows that were divided into folds
	// groups has the group of each row, nil if there are none.
	groups []string
	// distinct is the number of different rows: a row that several repetitions test counts once.
	distinct int
	// twins is a warning about held-out rows with the features of a row of their training; empty
	// if they are few.
	twins string
}

// newDivision returns the folds of n rows.
func newDivision(folds [][]fold, n int) division {
	d := division{folds: folds, rows: map[string][]int32{}, out: map[string][]int32{}, sizes: map[string]int{}, distinct: n}
	for _, list := range folds {
		for _, f := range list {
			d.rows[f.Name], d.sizes[f.Name] = f.rows, n
			d.out[f.Name] = united(f.rows, f.aside)
		}
	}
	return d
}

// hashes lists the folds, each with a hash of its rows. The settings have this list, so a folder
// is not resumed with folds of the same names and other rows.
func (d *division) hashes() (list []string) {
	for _, folds := range d.folds {
		for _, f := range folds {
			text := f.Name + " " + hashOf(mmap.Bytes(f.rows))
			if f.aside != nil {
				text += " without " + hashOf(mmap.Bytes(f.aside))
			}
			list = append(list, text)
		}
	}
	return list
}

// ratio returns the mean ratio of tested rows to training rows over all folds. Trainings
// have none of the rows of left. The correction of Nadeau and Bengio (2003) depends on it: the more
// rows trainings share, the less they differ.
func (d *division) ratio(left []int32) float64 {
	sum, count := 0.0, 0.0
	for _, list := range d.folds {
		for _, f := range list {
			if trained := d.sizes[f.Name] - len(united(d.out[f.Name], left)); trained > 0 {
				sum += float64(len(f.rows)) / float64(trained)
				count++
			}
		}
	}
	return sum / max(count, 1)
}

// countRows counts how many rows each fold tests, and how many there are beside each other. side returns the class of
// a row of a fold, 1 for the positive one; it is nil if there are not two classes.
func (d *division) countRows(side func(fold string, row int32) int) tests {
	t := tests{distinct: d.distinct}
	if side != nil {
		t.sides = make([]tests, 2)
	}
	var sums [2]int
	for _, f := range slices.Concat(d.folds...) {
		t.tested = append(t.tested, len(f.rows))
		var counts [2]int
		for _, i := range f.rows {
			if side != nil {
				counts[side(f.Name, i)]++
			}
		}
		for k := range t.sides {
			t.sides[k].tested = append(t.sides[k].tested, counts[k])
			sums[k] += counts[k]
		}
	}
	// Rows of both classes are tested equally often.
	for k := range t.sides {
		t.sides[k].distinct = int(math.Round(float64(d.distinct) * float64(sums[k]) / float64(sums[0]+sums[1])))
	}
	return t
}

// sidesOf returns the class of each row of a store, and nil if it does not have two classes.
func sidesOf(store *dataset.Store) func(fold string, row int32) int {
	labels := store.Labels()
	if labels == nil || len(store.Classes()) != 2 {
		return nil
	}
	return func(_ string, row int32) int { return int(labels[row]) }
}

// sides returns the class of a row of a fold, 1 for the positive one, and nil if there are not two classes. It is nil for
// trials without a contrast, too: their rows keep labels, and the error of every figure then counts all rows, which
// is a lower bound as well.
func (r *runner) sides() func(fold string, row int32) int {
	if r.trials == nil {
		return sidesOf(r.pool.data.Store())
	}
	if r.options.Trials.Contrast == "" {
		return nil
	}
	return func(fold string, row int32) int {
		if r.trials.partAt(fold).positive[row] {
			return 1
		}
		return 0
	}
}

// united returns the rows of two ascending lists, those in both once.
func united(a, b []int32) []int32 {
	return slices.Compact(merged(a, b))
}
