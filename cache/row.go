package cache

import "errors"

// Key names a row: a feature group and a training point.
type Key struct{ Group, Row int32 }

// Request asks for a row.
type Request struct {
	Key  Key
	Cost float64 // measured nanoseconds of one thread to compute the row, 0 if unknown
	Once bool    // it will hardly be asked for again: not to be kept for this request
}

// State is what the caller has to do for a row.
type State uint8

const (
	Miss State = iota // compute it and forget it; Data is nil
	Fill              // compute it and write it into Data, of which the contents are undefined; it will be kept
	Hit               // Data holds the row
)

// Row is the answer to a request. Data is valid until Release and has the length of a row.
type Row struct {
	Data  []byte
	State State
}

// errClosed is what a closed cache answers.
var errClosed = errors.New("cache is closed")
