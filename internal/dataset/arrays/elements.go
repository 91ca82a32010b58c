package arrays

import (
	"archive/zip"
	"bufio"
	"errors"
	"io"
	"io/fs"

	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
)

const (
	// chunk is the number of elements that are decoded at once.
	chunk = 4096
	// bufferSize is the size in bytes of the buffer of an array.
	bufferSize = 32 << 10
)

// elements reads the elements of one array in the order of the file.
type elements struct {
	*npy.Array
	file *file
	// name is the name of the array in messages.
	name string
	in   *bufio.Reader
	// member is nil for the array of a .npy file.
	member *zip.File
	close  func() error
	buf    []byte
}

// openArray opens the array of a .npy file, or a member of an archive, and reads its header. The
// size that the header claims must be the size of the file or of the member.
func (f *file) openArray(key string) (*elements, error) {
	e := &elements{file: f, name: "the array", close: func() error { return nil }}
	size := f.info.Size()
	var in io.Reader = io.NewSectionReader(f.f, 0, size)
	if f.members != nil {
		e.name, e.member = "array "+fail.Label(key), f.members[key]
		r, err := e.member.Open()
		if err != nil {
			return nil, f.damaged(e.name, err)
		}
		in, e.close = r, r.Close
		size = int64(min(e.member.UncompressedSize64, 1<<62))
	}
	e.in = bufio.NewReaderSize(in, bufferSize)
	var err error
	if e.Array, err = npy.ReadHeader(e.in); err != nil {
		e.close()
		if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
			return nil, f.damaged(e.name, err)
		}
		return nil, npy.Fault(err, e.name, f.path)
	}
	if e.Bytes != size-e.Offset {
		e.close()
		return nil, f.fault("%s: %v after %d bytes of header do not make %d bytes", e.name, e.Array,
			e.Offset, size)
	}
	// Numbers are read many at once, and text, whose elements may be long, one at a time.
	e.buf = make([]byte, chunk*min(e.Size, 8)+e.Size)
	return e, nil
}

// read returns the bytes of the next n elements, which are valid until the following call.
func (e *elements) read(n int) ([]byte, error) {
	b := e.buf[:n*e.Size]
	if _, err := io.ReadFull(e.in, b); err != nil {
		return nil, e.file.damaged(e.name, err)
	}
	return b, nil
}

// int returns the next element, which is an integer.
func (e *elements) int() (int64, error) {
	b, err := e.read(1)
	if err != nil {
		return 0, err
	}
	return e.Int(b), nil
}

// text appends the next element as text.
func (e *elements) text(dst []byte) ([]byte, error) {
	b, err := e.read(1)
	if err != nil {
		return nil, err
	}
	return e.AppendText(dst, b), nil
}

// end checks after the last element that nothing follows. In an archive this also compares the
// checksum.
func (e *elements) end() error {
	switch _, err := e.in.ReadByte(); err {
	case io.EOF:
		return nil
	case nil:
		return e.file.fault("%s goes on after its last element", e.name)
	default:
		return e.file.damaged(e.name, err)
	}
}

// vector reports whether the array is a list: of one dimension, or a matrix of one column.
func (e *elements) vector() bool { return e.Dims == 1 || e.Dims == 2 && e.Cols == 1 }

// closeAll closes the arrays of a matrix. What is nil was not opened.
func closeAll(all []*elements) error {
	var errs []error
	for _, e := range all {
		if e != nil {
			errs = append(errs, e.close())
		}
	}
	return errors.Join(errs...)
}
