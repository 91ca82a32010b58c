package dataset

import (
	"slices"

	"bigmkl/internal/fail"
)

// ColumnsHint helps who gives comma-separated values, of which every row is one word, and so a label.
const ColumnsHint = "the file looks like comma-separated values, which are not read: a row is LABEL INDEX:VALUE INDEX:VALUE .."

// Columns tells whether the rows look like comma-separated values: none has a feature, and a label has a comma within.
func (s *Store) Columns() bool {
	return s.size.Nonzeros == 0 && slices.ContainsFunc(s.classes, fail.Columns[string])
}
