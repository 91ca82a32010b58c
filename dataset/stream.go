package dataset

import (
	"io"
	"io/fs"

	"bigmkl/internal/fail"
)

// Stream is a file or another stream of bytes, inflated if gzip or zstd compressed it. Its errors
// are of class fail.Input and name the file.
type Stream struct {
	*inflater
	file   io.Closer
	opened fs.FileInfo // opened describes the file when it was opened. It is nil for a stream.
}

var _ io.ReadCloser = (*Stream)(nil)

// OpenStream opens a file; "-" is standard input. The argument trusted lifts the limits on
// compressed bytes (see ReadOptions.TrustCompressed).
func OpenStream(path string, trusted bool) (*Stream, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	name := path
	if path == "-" {
		name = stdinName
	}
	s := &Stream{inflater: newInflater(f, name, trusted), file: f}
	s.opened = s.state()
	return s, nil
}

// NewStream returns a stream of what from yields, which messages call by the given name. Closing it
// leaves from open.
func NewStream(from io.Reader, name string, trusted bool) *Stream {
	return &Stream{inflater: newInflater(from, name, trusted)}
}

// Name returns the name that messages use.
func (s *Stream) Name() string { return s.name }

// Read reads inflated bytes. If the file was written to in the meantime, it returns an error in
// place of io.EOF.
func (s *Stream) Read(p []byte) (int, error) {
	n, err := s.inflater.Read(p)
	if err == io.EOF {
		err = s.end()
	}
	return n, err
}

// MostAtOnce returns how many bytes the longest line, or row, may have now. It keeps a few
// compressed bytes from making the program hold many.
func (s *Stream) MostAtOnce() int { return s.most(maxLine) }

// end returns io.EOF, or an error if the file has changed since it was opened, because what was
// read may then be half old and half new. A file that another file replaced under its name is still
// read to its own end.
func (s *Stream) end() error {
	if s.opened != nil {
		if now := s.state(); now == nil || now.Size() != s.opened.Size() || !now.ModTime().
			Equal(s.opened.ModTime()) {
			return fail.New(fail.Input, "the file changed while it was read").At(s.name, 0, 0)
		}
	}
	return io.EOF
}

// state asks the system for size and times of the file. It returns nil if the file is not a
// regular file.
func (s *Stream) state() fs.FileInfo {
	f, ok := s.file.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return info
}

// Close closes the file.
func (s *Stream) Close() error {
	s.close()
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// StreamOf returns a stream of bytes that are text and not compressed, such as the bytes of
// another process, which messages call by the given name. Errors of from are returned as they
// are, and closing the stream closes from.
func StreamOf(from io.ReadCloser, name string) *Stream {
	s := &Stream{inflater: newInflater(from, name, true), file: from}
	s.out = bareReader{from}
	return s
}

// bareReader marks a stream whose errors need no explanation.
type bareReader struct{ io.Reader }
