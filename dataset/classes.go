package dataset

import (
	"slices"
	"strings"

	"bigmkl/internal/fail"
)

// MaxClasses bounds the labels of a data set, which may all be different.
const MaxClasses = 1 << 16

// classTable numbers classes in order of appearance; finish puts them in their final order. With a list of positive
// labels there are two classes, "1" and "-1": spellings and class names need tables of their own, since the data may
// well have a label "1" that the list makes negative.
type classTable struct {
	spellings map[string]int32 // spelling -> class, the first few thousand
	ids       map[string]int32 // class name -> class
	names     []string
	positive  map[string]bool // canonical label of the user's list -> met in the data; nil without a list
	sets      bool            // the labels of rows are sets of labels
	set       []string        // memory for one
}

func newClassTable(positive []string, labels Labeling) (*classTable, error) {
	t := &classTable{spellings: map[string]int32{}, ids: map[string]int32{}, sets: labels == Sets}
	if t.sets && positive != nil {
		return nil, fail.New(fail.Usage, "positive labels where labels are sets")
	}
	for _, s := range positive {
		label, err := CanonicalLabel(s)
		if err != nil {
			return nil, fail.New(fail.Usage, "positive class: %w", err)
		}
		if t.positive == nil {
			t.positive = map[string]bool{}
		}
		t.positive[label] = false
	}
	return t, nil
}

// id is the number of a row's class.
func (t *classTable) id(label string) (int32, error) {
	if id, ok := t.spellings[label]; ok {
		return id, nil
	}
	name, err := t.canonical(label)
	if err != nil {
		return 0, err
	}
	if t.positive != nil {
		if _, listed := t.positive[name]; listed {
			t.positive[name] = true
			name = "1"
		} else {
			name = "-1"
		}
	}
	id, ok := t.ids[name]
	if !ok {
		if len(t.names) == MaxClasses && t.sets {
			return 0, fail.New(fail.Input, "more than %d different sets of labels", MaxClasses).WithHint("labels come first in a row, as in 1,3")
		}
		if len(t.names) == MaxClasses {
			return 0, fail.New(fail.Input, "more than %d classes", MaxClasses).WithHint("labels come first in a row")
		}
		id = int32(len(t.names))
		t.ids[name] = id
		t.names = append(t.names, name)
	}
	if len(t.spellings) < knownLabels {
		t.spellings[label] = id
	}
	return id, nil
}

func (t *classTable) canonical(label string) (name string, err error) {
	if t.sets {
		name, t.set, err = canonicalSet(label, t.set)
		return name, err
	}
	return CanonicalLabel(label)
}

// finish sorts the classes, numerically if all are integers, and renumbers labels to match: the order of the rows must
// not decide which class is which. A positive label that never occurred is a slip of the user's that would otherwise
// train on nothing.
func (t *classTable) finish(labels []int32) ([]string, error) {
	var missing []string
	for label, met := range t.positive {
		if !met {
			missing = append(missing, clip(label))
		}
	}
	if missing != nil {
		slices.Sort(missing)
		return nil, fail.New(fail.Input, "no row has the positive label %s", strings.Join(missing, ", "))
	}
	classes := slices.Clone(t.names)
	SortClasses(classes)
	rank := make([]int32, len(classes))
	for i, name := range classes {
		rank[t.ids[name]] = int32(i)
	}
	for i, id := range labels {
		labels[i] = rank[id]
	}
	return classes, nil
}
