package dataset

import "bigmkl/internal/fail"

// Labeling says what labels are.
type Labeling string

// The kinds of labels. The zero value stands for classes.
const (
	Classes Labeling = "classes" // integers or names
	Sets    Labeling = "sets"    // of these, such as 1,3; a row without a label has EmptySet
	Targets Labeling = "targets" // numbers
	Ignored Labeling = "ignored" // anything or nothing
)

func (l Labeling) validate() error {
	switch l {
	case "", Classes, Sets, Targets, Ignored:
		return nil
	}
	return fail.New(fail.Usage, "unknown kind of labels %s", fail.Quote(l)).WithHint("classes, sets, targets or ignored")
}
