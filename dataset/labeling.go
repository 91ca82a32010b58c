package dataset

import "bigmkl/internal/fail"

// Labeling says what the labels of a data set mean.
type Labeling string

// These are the kinds of labels. The zero value of Labeling stands for Classes.
const (
	// A label is a class: an integer or a name.
	Classes Labeling = "classes"
	// A label is a set of classes, such as 1,3. A row without a label has EmptySet.
	Sets Labeling = "sets"
	// A label is a number.
	Targets Labeling = "targets"
	// A label may be anything and is not looked at.
	Ignored Labeling = "ignored"
)

func (l Labeling) validate() error {
	switch l {
	case "", Classes, Sets, Targets, Ignored:
		return nil
	}
	return fail.New(fail.Usage, "unknown kind of labels %s", fail.Quote(l)).
		WithHint("classes, sets, targets or ignored")
}
