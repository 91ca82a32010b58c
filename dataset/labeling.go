package dataset

import "bigmkl/internal/fail"

// Labeling defines what the labels of a data set mean.
type Labeling string

// These are the kinds of labels. The zero value of Labeling represents Classes.
const (
	// A label is a class: an integer or a name.
	Classes Labeling = "classes"
	// A label is a set of classes, such as 1,3. A row without a label has labeltext.EmptySet.
	Sets Labeling = "sets"
	// A label is a number.
	Targets Labeling = "targets"
	// A label is the time of an event, or the time up to which none was seen; see Row.Target.
	Times Labeling = "times"
	// A label is a relevance, a number >= 0. Row.Label is the group of the row, within which relevances are compared.
	Relevances Labeling = "relevances"
	// A label may be anything and is not looked at.
	Ignored Labeling = "ignored"
)

func (l Labeling) validate() error {
	switch l {
	case "", Classes, Sets, Targets, Times, Relevances, Ignored:
		return nil
	}
	return fail.New(fail.Usage, "unknown kind of labels %s", fail.Quote(l)).
		WithHint("classes, sets, targets, times, relevances or ignored")
}

// Numeric reports whether labels are numbers, which are in Row.Target.
func (l Labeling) Numeric() bool { return l == Targets || l == Times || l == Relevances }
