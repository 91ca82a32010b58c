package arrays

import "io"

// Vector reads a list of words from a .npy file of one dimension, such as labels.
type Vector struct {
	*elements
	// Path is the path of the file.
	Path string
	row  int
	buf  []byte
}

var _ io.Closer = (*Vector)(nil)

// OpenVector opens a .npy file of one dimension, or of one column. Errors are of class fail.Input.
func OpenVector(path string) (*Vector, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	if f.members != nil {
		f.Close()
		return nil, f.fault("an archive, where one list is to be read").WithHint("numpy.save")
	}
	e, err := f.openArray("")
	if err == nil && !e.vector() {
		err = f.fault("the array is no list: it has %d dimensions", e.Dims)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Vector{elements: e, Path: path}, nil
}

// Next returns the next element as text, which is valid until the following call, or io.EOF.
func (v *Vector) Next() (word []byte, err error) {
	if v.row == v.Rows {
		if err := v.end(); err != nil {
			return nil, err
		}
		if err := v.file.end(); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
	v.row++
	v.buf, err = v.text(v.buf[:0])
	return v.buf, err
}

// Close closes the file.
func (v *Vector) Close() error { return v.file.Close() }
