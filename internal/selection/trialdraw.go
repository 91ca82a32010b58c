package selection

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// An experiment with trials repeats a comparison of combinations on rows that are drawn again. With a contrast, data of
// many classes or labels are many problems of two classes: each class against the rest, or each pair. All combinations
// have the same rows and folds, so differences are of the combinations alone. Each draw has its own stream of random
// numbers, by its purpose and its numbers. So parts of a selection draw the same rows as the whole.

// draw lists the problems, and draws rows and folds of each repetition.
func (t *trials) draw() error {
	o := t.options
	samples := make([][]int32, o.Splits.Repeat)
	for r := range samples {
		// All problems of a repetition draw from the same sample.
		rng := stream(o.Training.Seed, drawRows, r)
		all := rng.Perm(len(t.rows))
		if o.Trials.Size > 0 {
			all = all[:o.Trials.Size]
		}
		for _, i := range all {
			samples[r] = append(samples[r], int32(i))
		}
		// Ascending rows make a trial independent of the order of the draw, so its packed rows are in
		// the order of the data.
		slices.Sort(samples[r])
	}
	if o.Trials.Contrast == "" {
		t.problems = []problem{{name: ""}}
	} else if err := t.listProblems(); err != nil {
		return err
	}
	// A problem with too few rows in one repetition is left out of all. The means of all problems are then of the same
	// number of repetitions.
	var kept []problem
	for k := range t.problems {
		p := t.problems[k]
		few := false
		for r, sample := range samples {
			one := t.partOf(p.name, sample, stream(o.Training.Seed, drawFolds, k, r))
			// A side of a single row would be missing in the training of its fold.
			least := max(o.Trials.Least, 2)
			few = few || one.positive != nil && (count(one.positive) < least || len(one.rows)-count(one.positive) < 2)
			p.parts = append(p.parts, one)
		}
		if !few {
			kept = append(kept, p)
		}
	}
	t.problems = kept
	if len(kept) == 0 {
		return fail.New(fail.Input, "no class has enough rows in every repetition").WithHint("--least N, or a larger --size")
	}
	for k := range t.problems {
		p := &t.problems[k]
		for r := range p.parts {
			prefix := ""
			if p.name != "" {
				prefix = p.name + ":"
			}
			for f := range p.parts[r].folds {
				fold := &p.parts[r].folds[f]
				// The name is unique in the whole selection, because chains, files and the map
				// of places go by it.
				fold.Name = fmt.Sprintf("%s%d.%d", prefix, r+1, f+1)
				t.at[fold.Name] = place{k, r, f}
			}
			if err := checkFolds(p.parts[r].folds, len(p.parts[r].rows)); err != nil {
				return err
			}
		}
	}
	return nil
}

// count returns how many values are true.
func count(list []bool) (n int) {
	for _, is := range list {
		if is {
			n++
		}
	}
	return n
}

// labelsOf lists the class of a row, or its labels if rows have sets of labels. "-" is the empty
// set.
func (t *trials) labelsOf(i int32) []string {
	label := t.rows[i].Label
	if label == "" || label == "-" {
		return nil
	}
	if t.options.Training.Multiclass == "" {
		return []string{label}
	}
	return strings.Split(label, ",")
}

// listProblems lists the classes or labels of all rows, or the pairs of classes, in the order of
// compareLabels. It looks at all rows and not at a sample, so every repetition has the same
// problems.
func (t *trials) listProblems() error {
	rank := map[string]bool{}
	for i := range t.rows {
		for _, l := range t.labelsOf(int32(i)) {
			rank[l] = true
		}
	}
	var names []string
	for l := range rank {
		names = append(names, l)
	}
	slices.SortFunc(names, compareLabels)
	if len(names) < 2 && t.options.Training.Multiclass == "" {
		return fail.New(fail.Input, "the rows have %d classes, and contrasts are for two or more", len(names))
	}
	for a, x := range names {
		if t.options.Trials.Contrast != Pairs {
			t.problems = append(t.problems, problem{name: x})
			continue
		}
		for _, y := range names[a+1:] {
			t.problems = append(t.problems, problem{name: x + "/" + y})
		}
	}
	return nil
}

// compareLabels orders numbers before names, numbers by value and names by their bytes. Equal
// numbers of different text, such as 1 and 1.0, are two classes and need an order too.
func compareLabels(a, b string) int {
	x, isX := dataset.ParseNumber(a)
	y, isY := dataset.ParseNumber(b)
	switch {
	case isX && isY:
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
	case isX != isY:
		if isX {
			return -1
		}
		return 1
	}
	return cmp.Compare(a, b)
}

// partOf returns the rows of a problem among a sample, with the side of each row under a
// contrast, and deals them out to folds, each class by itself. The stream rng is of the problem and the
// repetition, so a problem has the same rows whichever other problems there are.
func (t *trials) partOf(name string, sample []int32, rng *rand.Rand) part {
	o := t.options
	p := part{rows: sample}
	// Folds have places in the rows of the part, and not row numbers of the data: a trial is
	// opened as data of its own, whose rows count from 0.
	var lists [][]int32 // places in rows by class
	if o.Trials.Contrast == "" {
		byLabel := map[string]int{}
		for at, i := range sample {
			label := t.rows[i].Label
			k, ok := byLabel[label]
			if !ok {
				k = len(lists)
				byLabel[label], lists = k, append(lists, nil)
			}
			lists[k] = append(lists[k], int32(at))
		}
	} else {
		// Sides has the rows of the other class and of the class, by which decision values are positive.
		first, second, paired := strings.Cut(name, "/")
		if paired = paired && o.Trials.Contrast == Pairs; !paired {
			first = name
		}
		var sides [2][]int32
		for _, i := range sample {
			labels := t.labelsOf(i)
			switch {
			case slices.Contains(labels, first):
				sides[1] = append(sides[1], i)
			case !paired || slices.Contains(labels, second):
				sides[0] = append(sides[0], i)
			}
		}
		if o.Trials.Contrast == AgainstSample {
			for s := range sides {
				rng.Shuffle(len(sides[s]), func(a, b int) { sides[s][a], sides[s][b] = sides[s][b], sides[s][a] })
			}
			// Both sides have the same number of rows, so the share of right answers by chance
			// is 1/2 for every class.
			n := min(len(sides[0]), len(sides[1]))
			sides[0] = sides[0][:n] // as many of the rest, or of a class that is most of the rows all of the rest
			if len(sides[1]) > n {
				sides[1] = sides[1][:n]
			}
		}
		p.rows = slices.Sorted(slices.Values(slices.Concat(sides[0], sides[1])))
		lists, p.positive = make([][]int32, 2), make([]bool, len(p.rows))
		for at, i := range p.rows {
			side := 0
			if p.positive[at] = slices.Contains(sides[1], i); p.positive[at] {
				side = 1
			}
			lists[side] = append(lists[side], int32(at))
		}
	}
	// Folds are stratified: each class is dealt out by itself, so every fold has about its share of each.
	out := make([][]int32, o.Splits.Folds)
	dealLists(out, lists, rng, 0)
	for _, rows := range out {
		slices.Sort(rows)
		p.folds = append(p.folds, fold{rows: rows})
	}
	return p
}
