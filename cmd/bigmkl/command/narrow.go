package command

import (
	"fmt"

	"bigmkl/dataset"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// addNarrowFlag defines the flag of the commands that predict rows. Such features are an error by
// default. They often mean that rows and model do not belong together.
func addNarrowFlag(f *flags, ignore *bool) {
	f.BoolVar(ignore, "ignore-extra-features", false,
		"in rows to predict, treat features that no training row had as 0, instead of an error")
}

// narrowRows returns the rows to predict, without features that no training row had if ignore is set.
// The second value counts the values that are left out, and is nil otherwise.
func narrowRows(m *model.Model, src dataset.Source, ignore bool) (dataset.Source,
	*dataset.NarrowSource, error) {
	if !ignore {
		return src, nil, nil
	}
	// A letter of a sequence cannot be left out.
	if err := predict.CheckNarrow(m); err != nil {
		return nil, nil, err
	}
	// Features is the number of features that the training has seen.
	s := dataset.Narrow(src, m.Input().Features())
	return s, s, nil
}

// warnOfExtras reports how many values were left out. The source may be nil.
// The count is complete only after the last row.
func warnOfExtras(s *dataset.NarrowSource) string {
	if s == nil || s.LeftOut() == 0 {
		return ""
	}
	return fmt.Sprintf("%d values of features that no training row had were ignored", s.LeftOut())
}
