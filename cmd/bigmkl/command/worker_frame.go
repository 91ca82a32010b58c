package command

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"

	"bigmkl/internal/fail"
)

// A worker reads frames from standard input and writes frames to standard output. A frame is the length
// of an object, four bytes with the highest first, and the object as JSON.

// mostOfRequest is the largest length of a request in bytes. A request has names of files and no data.
const mostOfRequest = 1 << 20

// mostOfStream is the largest number of bytes of a stream that an answer holds. A stream is kept in
// memory until the request ends.
const mostOfStream = 256 << 20

// workerRequest is a command line that a worker runs. The Python package depends on both structures,
// and may be of another version. Keys are only added.
type workerRequest struct {
	// Folder is the folder that names of files in the arguments refer to.
	Folder    string   `json:"folder"`
	Arguments []string `json:"arguments"`
}

// workerJSON is a message of a worker. The state is ready after the start, taken once a request was
// read, and ended with the code and the streams of the request.
type workerJSON struct {
	State  string `json:"state"`
	Code   *int   `json:"code,omitempty"`
	Stdout string `json:"stdout,omitempty"`
	Stderr string `json:"stderr,omitempty"`
}

// readRequest reads the next request. At the end of the requests it returns io.EOF.
func readRequest(from io.Reader) (r workerRequest, err error) {
	var head [4]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return r, cutRequest(err)
	}
	// The length is checked before memory is taken: text on standard input would pass for a length of
	// a gigabyte.
	length := binary.BigEndian.Uint32(head[:])
	if length > mostOfRequest {
		return r, fail.New(fail.Input, "a request of %d bytes", length).
			WithHint("a request has at most %d bytes", mostOfRequest)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(from, text); err == io.EOF {
		return r, cutRequest(io.ErrUnexpectedEOF)
	} else if err != nil {
		return r, cutRequest(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fail.New(fail.Input, "a request is no JSON object of a folder and arguments: %w", err)
	}
	// A relative folder would depend on where the worker was started.
	if !filepath.IsAbs(r.Folder) {
		return r, fail.New(fail.Input, "the folder %s of a request is no absolute path", fail.Quote(r.Folder))
	}
	return r, nil
}

// cutRequest gives a class to the error of a request that ends early.
func cutRequest(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fail.New(fail.Input, "standard input ends within a request")
	}
	return err
}

// writeFrame writes a message of a worker. It writes the whole frame at once, so a kill between two
// writes cannot cut it.
func writeFrame(to io.Writer, v workerJSON) error {
	text, err := encodeJSON("worker", v)
	if err != nil {
		return err
	}
	frame := binary.BigEndian.AppendUint32(nil, uint32(len(text)))
	_, err = to.Write(append(frame, text...))
	return err
}

// stream keeps the standard output or the standard error of a request.
type stream struct{ bytes.Buffer }

// Write implements io.Writer.
func (s *stream) Write(b []byte) (int, error) {
	if s.Len()+len(b) > mostOfStream {
		return 0, fail.New(fail.Budget, "an answer of more than %d bytes", mostOfStream).
			WithHint("-o FILE writes to a file")
	}
	return s.Buffer.Write(b)
}
