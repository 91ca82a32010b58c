package cache

import "errors"

// Key names a row by a group of kernels with common features and a training point.
type Key struct{ Group, Row int32 }

// Request asks for a row.
type Request struct {
	Key Key
	// Cost is the measured time in ns that one thread takes to compute the row. It is 0 if the time
	// is unknown.
	Cost float64
	// Once is true if the row is not likely to be asked for again. It is then not kept for the sake
	// of this request.
	Once bool
}

// State states what the caller has to do for a row.
type State uint8

const (
	// The caller computes the row in memory of its own. Data is nil.
	Miss State = iota
	// The caller computes the row into Data, whose contents are undefined. The row will be kept.
	Fill
	// Data holds the row.
	Hit
)

// Row is the answer to a request. Data has the length of a row and is valid until Release.
type Row struct {
	Data  []byte
	State State
}

// errClosed is the error of every call of a closed cache.
var errClosed = errors.New("cache is closed")
