package table

import (
	"errors"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
)

// spellings are the words for a missing value. Options.NA adds to them.
var spellings = labeltext.MissingWords

// classNames are the spellings that are names of classes, too: two classes are often + and -.
var classNames = []string{".", "-", "None"}

// mostSpelt is the length of the longest spelling.
const mostSpelt = 4

// missing reports whether a field, without the blanks around it, reports that there is no value.
func missing(field string) bool {
	return len(field) <= mostSpelt && slices.Contains(spellings, field)
}

// missing reports the same, of the words of the user as well. Some of these may be numbers, such as
// -999, which is why it is asked before a field is taken for one.
func (o *Options) missing(field string) bool { return o.marked(field) || missing(field) }

// marked reports whether a field is one of the user's words for a missing value. A number is also
// one where it is written otherwise, as -999.0.
func (o *Options) marked(field string) bool {
	if len(o.NA) == 0 {
		return false
	}
	if slices.Contains(o.NA, field) {
		return true
	}
	v, ok := o.number(field)
	return ok && slices.ContainsFunc(o.NA, func(word string) bool {
		x, is := dataset.ParseNumber(word)
		return is && x == v
	})
}

// indicates reports whether columns that lack values get features that report this.
func (o *Options) indicates() bool { return o.Impute == dataset.ImputeIndicator }

// lacksValue reports whether a field of features has no value. Words such as NA are categories where the
// column was named as one of categories.
func (o *Options) lacksValue(field string, named bool) bool {
	return field == "" || !named && o.missing(field)
}

// unlabelled reports whether the field of a label means that there is none.
func (o *Options) unlabelled(field string) bool {
	return o.marked(field) || missing(field) && !slices.Contains(classNames, field)
}

// validateNA returns the faults of the words for missing values.
func (o *Options) validateNA() error {
	var errs []error
	for _, word := range o.NA {
		if word == "" || strings.TrimSpace(word) != word {
			errs = append(errs, fail.New(fail.Usage, "%s as a word for a missing value is empty or "+
				"has blanks around it", fail.Quote(word)))
		}
	}
	return errors.Join(errs...)
}
