package dataset

import (
	"bytes"
	"io"

	"bigmkl/internal/fail"
)

const (
	// maxLine is the largest length in bytes of a line. It bounds what a file without newlines can
	// make the program hold.
	maxLine = 64 << 20
	// packedLine is the same bound for compressed text, in addition to the compressed bytes read so
	// far.
	packedLine = 8 << 20
	// readChunk is the first size of the buffer in bytes.
	readChunk = 256 << 10
	// stdinName is the name of standard input in messages.
	stdinName = "<stdin>"
)

// lines cuts a stream into lines without copying them. The lines do not depend on the pieces in
// which the stream arrives. A fault of the stream is returned after all whole lines before it.
type lines struct {
	r    io.Reader
	name string
	buf  []byte
	// buf[start:end] has not been returned yet.
	start, end int
	// scanned counts the bytes after start that are known to hold no newline.
	scanned int
	// number is the 1-based number of the line that was returned last.
	number int
	// max is maxLine, except in tests.
	max    int
	packed *inflater
	// err is the error of the stream, which is kept until the lines before it have been returned.
	err error
}

func newLines(r io.Reader, name string) *lines {
	return &lines{r: r, name: name, max: maxLine}
}

// next returns the next line without its end, or io.EOF after the last one. The line is valid until
// the following call.
func (l *lines) next() ([]byte, error) {
	for {
		if i := bytes.IndexByte(l.buf[l.start+l.scanned:l.end], '\n'); i >= 0 {
			line := l.buf[l.start : l.start+l.scanned+i]
			l.start += len(line) + 1
			return l.finish(line)
		}
		l.scanned = l.end - l.start
		if most := l.most(); l.scanned > most {
			return nil, l.tooLong(most)
		}
		if l.err != nil {
			// The bytes before a fault may be half a line; only a proper end of the stream
			// completes a line.
			if l.err != io.EOF || l.scanned == 0 {
				return nil, l.err
			}
			line := l.buf[l.start:l.end]
			l.start = l.end
			return l.finish(line)
		}
		l.fill()
	}
}

// finish removes what does not belong to the text of a line: the byte order mark at the start of
// the file, and the carriage return that some systems write. Columns in messages count from there.
func (l *lines) finish(line []byte) ([]byte, error) {
	l.scanned = 0
	if most := l.most(); len(line) > most {
		return nil, l.tooLong(most)
	}
	l.number++
	if l.number == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if i := bytes.IndexByte(line, 0); i >= 0 {
		return nil, fail.New(fail.Input, "NUL byte").At(l.name, l.number, i+1).
			WithHint("the data are text in UTF-8, plain or compressed by gzip or zstd")
	}
	return line, nil
}

// fill reads once more. It makes room by moving the part that was not returned yet or, if that part
// fills the buffer, by doubling the buffer.
func (l *lines) fill() {
	if l.start > 0 {
		copy(l.buf, l.buf[l.start:l.end])
		l.start, l.end = 0, l.end-l.start
	}
	if l.end == len(l.buf) {
		grown := make([]byte, min(max(2*len(l.buf), readChunk), l.most()+readChunk))
		copy(grown, l.buf[:l.end])
		l.buf = grown
	}
	for range 100 { // bufio allows as many empty reads.
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		if n > 0 || err != nil {
			l.err = err
			return
		}
	}
	l.err = fail.New(fail.Input, "cannot read: %w", io.ErrNoProgress).At(l.name, 0, 0)
}

// most returns the largest length of a line that is accepted now.
func (l *lines) most() int {
	if l.packed == nil {
		return l.max
	}
	return l.packed.most(l.max)
}

// tooLong returns the error for the line that was being read.
func (l *lines) tooLong(most int) error {
	e := fail.New(fail.Input, "line longer than %d bytes", most).At(l.name, l.number+1, 0)
	if most < l.max {
		e.WithHint("trust the compressed file explicitly if it is yours")
	}
	return e
}

// text is a stream that is read line by line.
type text struct {
	*lines
	stream *Stream
}

var _ io.Closer = (*text)(nil)

func openText(path string, trusted bool) (*text, error) {
	s, err := OpenStream(path, trusted)
	if err != nil {
		return nil, err
	}
	return newText(s), nil
}

func newText(s *Stream) *text {
	l := newLines(s.inflater, s.name)
	l.packed = s.inflater
	return &text{l, s}
}

// next returns the next line. If the file was written to in the meantime, it returns an error in
// place of io.EOF.
func (t *text) next() ([]byte, error) {
	line, err := t.lines.next()
	if err == io.EOF {
		return nil, t.stream.end()
	}
	return line, err
}

// Close closes the stream.
func (t *text) Close() error { return t.stream.Close() }
