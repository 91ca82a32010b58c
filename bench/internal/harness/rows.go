package harness

import (
	"slices"

	"bigmkl/dataset"
)

// SourceOf returns a source of rows.
// The rows are shared with the source, so nobody may change them while it is read. Each call gives a new
// source, because a source can be read once.
func SourceOf(rows []dataset.Row) dataset.Source { return dataset.FromSeq(slices.Values(rows)) }
