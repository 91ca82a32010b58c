package command

import (
	"fmt"

	"bigmkl/internal/dataset/formats"
	"bigmkl/internal/dataset/table"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// adviseColumns returns a sentence for each column of a table that numbers the rows by its name and its values, and is
// a feature all the same. Such a number has no information about new rows, and disturbs the distances
// between rows. It is advice and no error, because a whole number in each row may be a measurement.
// Only the first file is surveyed: all files of a table have the same columns.
func adviseColumns(paths []string, o formats.Options) (advice []string) {
	if len(paths) == 0 {
		return nil
	}
	// A second look at a pipe would take rows from the training.
	if info, err := files.Stat(paths[0]); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	// Only tables have columns with names.
	if is, err := formats.IsTable(paths, o); err != nil || !is {
		return nil // What is wrong with the data is said where they are read.
	}
	// The survey reads the first rows, so it takes a moment also for large files.
	_, columns, err := table.Survey(paths[0], o.Table)
	if err != nil {
		return nil
	}
	t := &o.Table
	for _, c := range columns {
		// Both signs are needed. A column that --id leaves out is not a feature.
		if c.Row && isRowName(c.Name) && !t.Excludes(c.Name) {
			name := fail.Label(c.Name)
			advice = append(advice, fmt.Sprintf("column %s has another whole number in each row, as identifiers have, and is a feature (--id %s leaves it out)", name, name))
		}
	}
	return advice
}
