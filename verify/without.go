package verify

import (
	"io"

	"bigmkl/dataset"
)

// without yields the rows of a source that are not marked. With ends it ends where the marks end, and else further rows
// follow.
type without struct {
	src  dataset.Source
	held []bool // of the rows that are to come
	ends bool
}

// Next implements Source.
func (w *without) Next() (dataset.Row, error) {
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
	return dataset.Row{}, io.EOF
}
