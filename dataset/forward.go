package dataset

import (
	"io"

	"bigmkl/internal/dataset/datahash"
	"bigmkl/internal/dataset/holdout"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/float"
)

// These names lead to where their code is now. They go with their last users, in the commits that follow.
const (
	EmptySet  = labeltext.EmptySet
	EventHint = labeltext.EventHint
)

var (
	CanonicalLabel  = labeltext.Canonical
	CanonicalSet    = labeltext.CanonicalSet
	CompareLabels   = labeltext.Compare
	LabelSets       = labeltext.Sets
	SetLabels       = labeltext.OfSet
	SortClasses     = labeltext.Sort
	Printable       = labeltext.Printable
	Event           = labeltext.Event
	FormatTime      = labeltext.FormatTime
	TimeBounds      = labeltext.TimeBounds
	NewHasher       = datahash.New
	FingerprintWith = datahash.With
	RandomOrder     = holdout.Order
	HeldOut         = holdout.Mark
	CountHeldOut    = holdout.Count
	Exact           = float.Single
)

// Without returns the rows of a source that are not marked. With ends it ends where the marks end, and else further rows follow.
func Without(src Source, held []bool, ends bool) Source { return &without{src, held, ends} }

type without struct {
	src  Source
	held []bool // of the rows that are to come
	ends bool
}

// Next implements Source.
func (w *without) Next() (Row, error) {
	for len(w.held) > 0 || !w.ends {
		r, err := w.src.Next()
		if err != nil || len(w.held) == 0 {
			return r, err
		}
		held := w.held[0]
		if w.held = w.held[1:]; !held {
			return r, nil
		}
	}
	return Row{}, io.EOF
}
