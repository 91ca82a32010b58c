package dataset

import (
	"slices"
	"strings"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
)

// MaxClasses is the largest number of classes of a data set. A file with a label of its own in
// every row would otherwise fill the memory.
const MaxClasses = 1 << 16

// knownLabels is the largest number of spellings that a table of labels remembers. A label beyond
// it costs an allocation for each row.
const knownLabels = 4096

// classTable numbers the classes in order of their appearance, and finish puts them in their final
// order. With a list of positive labels there are only the classes "1" and "-1". Spellings and
// class names have separate tables, because the data may contain a label "1" that the list makes
// negative.
type classTable struct {
	// spellings maps the first few thousand spellings to their classes.
	spellings map[string]int32
	// ids maps the name of a class to its number.
	ids   map[string]int32
	names []string
	// positive maps each label of the user's list to whether a row has it. It is nil without a
	// list.
	positive map[string]bool
	// sets is true if the labels of rows are sets of labels.
	sets bool
	// fixed is true if there are no other classes than the classes of rows before.
	fixed bool
	// set is memory for splitting one set.
	set []string
}

func newClassTable(positive []string, labels Labeling) (*classTable, error) {
	t := &classTable{spellings: map[string]int32{}, ids: map[string]int32{}, sets: labels == Sets}
	if t.sets && positive != nil {
		return nil, fail.New(fail.Usage, "positive labels where labels are sets")
	}
	for _, s := range positive {
		label, err := labeltext.Canonical(s)
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

// fix takes the classes from other rows, in their order. Any other class is an error from here on,
// and none has to occur again.
func (t *classTable) fix(classes []string) {
	t.fixed, t.names = true, slices.Clone(classes)
	for id, name := range classes {
		t.ids[name] = int32(id)
	}
	for label := range t.positive {
		t.positive[label] = true
	}
}

// id returns the number of the class that a label denotes.
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
		if t.fixed {
			return 0, fail.New(fail.Input, "class %s, but the rows before have only %s", clip(name),
				fail.List(func(c int) string { return fail.Label(t.names[c]) }, len(t.names))).
				WithHint("the first rows have to have every class")
		}
		if len(t.names) == MaxClasses && t.sets {
			return 0, fail.New(fail.Input, "more than %d different sets of labels", MaxClasses).
				WithHint("labels come first in a row, as in 1,3")
		}
		if len(t.names) == MaxClasses {
			return 0, fail.New(fail.Input, "more than %d classes", MaxClasses).
				WithHint("labels come first in a row")
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
		name, t.set, err = labeltext.AppendSet(label, t.set)
		return name, err
	}
	return labeltext.Canonical(label)
}

// finish sorts the classes as labeltext.Sort does and renumbers labels to match, so the order of the
// rows does not decide which class is which. A positive label that no row has is an error, because
// it is most likely a mistake that would train on nothing.
func (t *classTable) finish(labels []int32) ([]string, error) {
	var missing []string
	for label, met := range t.positive {
		if !met {
			missing = append(missing, clip(label))
		}
	}
	if missing != nil {
		slices.Sort(missing)
		return nil, fail.New(fail.Input, "no row has the positive label %s",
			strings.Join(missing, ", "))
	}
	classes := slices.Clone(t.names)
	labeltext.Sort(classes)
	rank := make([]int32, len(classes))
	for i, name := range classes {
		rank[t.ids[name]] = int32(i)
	}
	for i, id := range labels {
		labels[i] = rank[id]
	}
	return classes, nil
}
