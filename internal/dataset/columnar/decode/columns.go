package decode

import (
	"fmt"
	"slices"
	"strconv"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
)

// column is a column of a file.
type column struct {
	name string
	// empty is true for a column of nulls, and for one that is left out: its values are not looked at.
	empty bool
}

// nulls describes the contents of a column without values.
const nulls = "nulls alone"

// columnsOf returns the columns with the given names. The argument unread describes what the columns have that is not
// read, or is empty: such a column has to be in skip, by name or number.
func columnsOf(names, unread, skip []string) ([]column, error) {
	var columns []column
	for k, name := range names {
		if name == "" || !labeltext.Printable(name) {
			return nil, fmt.Errorf("the name %.40q of a column is no text", name)
		}
		skipped := slices.Contains(skip, name) || slices.Contains(skip, strconv.Itoa(k+1))
		empty := unread[k] != "" && (unread[k] == nulls || skipped)
		if unread[k] != "" && !empty {
			return nil, fmt.Errorf("column %.40q has %s, which are not read: --id leaves the column out",
				name, unread[k])
		}
		columns = append(columns, column{name, empty})
	}
	if len(columns) == 0 || len(columns) > dataset.MaxColumns {
		return nil, fmt.Errorf("%d columns", len(columns))
	}
	return columns, nil
}

// namesOf returns the names of columns.
func namesOf(columns []column) []string {
	names := make([]string, len(columns))
	for k, c := range columns {
		names[k] = c.name
	}
	return names
}
