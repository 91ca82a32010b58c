package dataset

import (
	"bytes"
	"io"
	"io/fs"

	"bigmkl/internal/fail"
)

const (
	maxLine    = 64 << 20  // bytes, without the newline: what a file that is no text can make us hold
	packedLine = 8 << 20   // the same of compressed text, beyond as many bytes as the compressed file has had so far
	readChunk  = 256 << 10 // first size of the buffer
	stdinName  = "<stdin>" // standard input in messages
)

// lines cuts a stream into lines without copying them. What it returns does not depend on the pieces in which the stream
// arrives. A fault of the stream is returned after the whole lines before it.
type lines struct {
	r          io.Reader
	name       string
	buf        []byte
	start, end int // unread part of buf
	scanned    int // of it, bytes known to hold no newline
	number     int // of the line last returned, from 1
	max        int // maxLine, but for tests
	packed     *inflater
	err        error // of r, kept until the lines before it are out
}

func newLines(r io.Reader, name string) *lines {
	return &lines{r: r, name: name, max: maxLine}
}

// next returns the next line without its end, valid until the following call; io.EOF after the last one.
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
			// What stands before a fault in the stream may be half a line; only a proper end completes it.
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

// finish takes off what is not part of a line's text: the byte order mark at the start of the file and the carriage
// return of other systems. Columns in messages count from there.
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
			WithHint("the data are text, plain or compressed by gzip or zstd")
	}
	return line, nil
}

// fill reads once more, making room by moving the unread part or, where that fills the buffer, by doubling it.
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
	for range 100 { // as many as bufio allows
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		if n > 0 || err != nil {
			l.err = err
			return
		}
	}
	l.err = fail.New(fail.Input, "cannot read: %w", io.ErrNoProgress).At(l.name, 0, 0)
}

// most is the length of the longest line that is taken: a few compressed bytes must not make us hold many.
func (l *lines) most() int {
	if l.packed == nil || !l.packed.packed || l.packed.trusted {
		return l.max
	}
	return int(min(int64(l.max), packedLine+l.packed.consumed()))
}

// tooLong is about the line that was being read.
func (l *lines) tooLong(most int) error {
	e := fail.New(fail.Input, "line longer than %d bytes", most).At(l.name, l.number+1, 0)
	if most < l.max {
		e.WithHint("trust the compressed file explicitly if it is yours")
	}
	return e
}

// text is a file read by lines.
type text struct {
	*lines
	inflater *inflater
	file     io.Closer
	opened   fs.FileInfo // what the file was then; nil for a stream
}

func openText(path string, trusted bool) (*text, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	name := path
	if path == "-" {
		name = stdinName
	}
	t := newText(f, f, name, trusted)
	t.opened = t.state()
	return t, nil
}

// state is what the system knows of the file, if it is one.
func (t *text) state() fs.FileInfo {
	f, ok := t.file.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return info
}

// next is the next line. A file that was written to in the meantime does not end: what was read may be half old and half new.
// One that another replaced under its name is still read to its own end.
func (t *text) next() ([]byte, error) {
	line, err := t.lines.next()
	if err == io.EOF && t.opened != nil {
		if now := t.state(); now == nil || now.Size() != t.opened.Size() || !now.ModTime().Equal(t.opened.ModTime()) {
			return nil, fail.New(fail.Input, "the file changed while it was read").At(t.name, 0, 0)
		}
	}
	return line, err
}

func newText(r io.Reader, c io.Closer, name string, trusted bool) *text {
	inflater := newInflater(r, name, trusted)
	l := newLines(inflater, name)
	l.packed = inflater
	return &text{lines: l, inflater: inflater, file: c}
}

func (t *text) Close() error {
	t.inflater.close()
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}
