package heldout

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"bigmkl"
	"bigmkl/dataset"
)

// defaultsShare is the share of the rows of a split that is held out.
// With 10 splits, each row is held out three times on average.
const defaultsShare = 0.3

// defaultsData are the rows of a set, in memory. They are in memory because every method and split
// needs them again.
type defaultsData struct {
	// task is a task of the library: class or svr.
	name, task string
	rows       []dataset.Row
	views      []dataset.View
	// features is one more than the largest index, and classes the number of labels.
	features int
	classes  int
}

// read reads a set and draws at most so many of its rows. The draw has a seed of its own, so the rows
// do not depend on the number of splits.
func (set defaultsSet) read(seed uint64, most int) (*defaultsData, error) {
	d := &defaultsData{name: set.Name, task: set.task}
	var err error
	if d.views, err = set.readViews(); err != nil {
		return nil, err
	}
	// Some sets have a limit of their own, because fewer rows are enough.
	if set.most > 0 {
		most = min(most, set.most)
	}
	// A regression has targets, and classes have labels.
	src, err := set.Open(set.task)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	rng := rand.New(rand.NewPCG(seed, 1))
	// The set is read once to its end, whatever its size is.
	for seen := 1; ; seen++ {
		r, err := src.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		// Each row is among those that are kept with the same probability (algorithm R of Waterman).
		at := len(d.rows)
		if at == most {
			if at = rng.IntN(seen); at >= most {
				continue
			}
		} else {
			d.rows = append(d.rows, dataset.Row{})
		}
		// A row of the draw is replaced as a whole.
		d.rows[at] = r.Clone()
	}
	// The draw may miss a rare class, so classes are counted in the drawn rows.
	names := map[string]bool{}
	for _, r := range d.rows {
		names[r.Label] = true
		if n := len(r.Index); n > 0 {
			d.features = max(d.features, int(r.Index[n-1])+1)
		}
	}
	// A draw of one class trains nothing.
	if d.classes = len(names); set.task == bigmkl.TaskClass && d.classes < 2 {
		return nil, fmt.Errorf("%s has one class", set.Name)
	}
	return d, nil
}

// split draws which rows each split holds out: a share of every class, or of all rows of a regression.
// The names of classes are sorted: a map has no order, and the draws have to be the same in each run.
// held[k][i] is set if split k holds row i out.
func (d *defaultsData) split(seed uint64, splits int) (held [][]bool) {
	// The stream of the splits is not the stream of the rows.
	rng := rand.New(rand.NewPCG(seed, 2))
	// A regression is one group.
	groups := map[string][]int{}
	for i, r := range d.rows {
		label := r.Label
		if d.task == bigmkl.TaskSVR {
			label = ""
		}
		groups[label] = append(groups[label], i)
	}
	var names []string
	for name := range groups {
		names = append(names, name)
	}
	slices.Sort(names)
	for range splits {
		// out[i] marks row i as held out.
		out := make([]bool, len(d.rows))
		for _, name := range names {
			// Each class contributes its share, rounded to the nearest row.
			group := slices.Clone(groups[name])
			rng.Shuffle(len(group), func(a, b int) { group[a], group[b] = group[b], group[a] })
			for _, i := range group[:int(defaultsShare*float64(len(group))+0.5)] {
				out[i] = true
			}
		}
		held = append(held, out)
	}
	return held
}

// part parts the rows into those to train on and those that are held out. Both parts keep the order of
// the rows. They share memory with the set, so callers must not change a row.
func (d *defaultsData) part(held []bool) (train, test []dataset.Row) {
	for i, r := range d.rows {
		if held[i] {
			test = append(test, r)
		} else {
			train = append(train, r)
		}
	}
	return train, test
}

// writeText writes the rows as libsvm text, with classes by their numbers, for other programs. Classes
// get numbers in the order of their first rows, because scikit-learn reads numbers alone.
func (d *defaultsData) writeText(path string) error {
	var names []string
	var text []byte
	for _, r := range d.rows {
		// -1 digits are as many as restore the number exactly.
		label := strconv.FormatFloat(r.Target, 'g', -1, 64)
		if d.task == bigmkl.TaskClass {
			// The number of a class is its place in names.
			k := slices.Index(names, r.Label)
			if k < 0 {
				k, names = len(names), append(names, r.Label)
			}
			label = strconv.Itoa(k)
		}
		text = append(text, label...)
		for k, j := range r.Index {
			text = fmt.Appendf(text, " %d:%g", j+1, r.Value[k])
		}
		text = append(text, '\n')
	}
	return os.WriteFile(path, text, 0o666)
}
