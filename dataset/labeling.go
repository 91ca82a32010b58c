package dataset

import "bigmkl/internal/fail"

// Labeling says what labels are.
type Labeling string

// The kinds of labels. The zero value stands for classes.
const (
	Classes Labeling = "classes" // integers or names
	Targets Labeling = "targets" // numbers
	Ignored Labeling = "ignored" // anything or nothing
)

func (l Labeling) validate() error {
	switch l {
	case "", Classes, Targets, Ignored:
		return nil
	}
	return fail.New(fail.Usage, "unknown kind of labels %q", string(l)).WithHint("classes, targets or ignored")
}
