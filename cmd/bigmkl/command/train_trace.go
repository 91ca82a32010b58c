package command

import (
	"bytes"
	"errors"
	"io"
	"os"

	"bigmkl/internal/files"
)

// traceFile is the file of train --trace. It grows by whole lines and is not buffered: a run that is
// killed leaves what it has written.
// A line is one JSON object of an iteration. report reads the file, and a user may follow it with tail -f.
type traceFile struct {
	*files.File
	path string
}

// openTrace creates the file. A run that continues another one appends to its lines, from which a
// part of a line at the end is cut off. A page of report shows such a training as one curve.
func openTrace(path string, resume bool) (*traceFile, error) {
	// The end of the last line must be read before it can be cut, so the file is open for reading too.
	flag := os.O_RDWR | os.O_CREATE
	if !resume {
		flag |= os.O_TRUNC
	}
	f, err := files.OpenFile(path, flag, 0o666)
	if err != nil {
		return nil, files.OwnFault("cannot write", path, err)
	}
	if resume {
		if err := seekLine(f); err != nil {
			f.Close()
			return nil, files.OwnFault("cannot write", path, err)
		}
	}
	return &traceFile{f, path}, nil
}

// seekLine cuts off what follows the last end of a line, and moves there. A killed process may leave a
// part of a line, which no reader of JSON lines accepts.
func seekLine(f *files.File) error {
	// end is the offset behind the last line break so far, and at the offset behind the bytes that were
	// read.
	end, at, b := int64(0), int64(0), make([]byte, 1<<16)
	for {
		n, err := f.Read(b)
		if i := bytes.LastIndexByte(b[:n], '\n'); i >= 0 {
			end = at + int64(i) + 1
		}
		at += int64(n)
		// Read may return bytes together with io.EOF, so they are searched before the end is tested.
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if err := f.Truncate(end); err != nil {
		return err
	}
	_, err := f.Seek(end, io.SeekStart)
	return err
}

// Write appends a line.
// The recorder calls it once for each iteration. A failed write ends the training with a fault that names
// the file.
func (t *traceFile) Write(line []byte) (int, error) {
	n, err := t.File.Write(line)
	if err != nil {
		err = files.OwnFault("cannot write", t.path, err)
	}
	return n, err
}
