package harness

import (
	"slices"

	"bigmkl/dataset"
)

// SourceOf returns a source of rows.
func SourceOf(rows []dataset.Row) dataset.Source { return dataset.FromSeq(slices.Values(rows)) }
