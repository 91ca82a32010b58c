package arrays

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"

	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// zipMagic begins an archive with at least one member.
const zipMagic = "PK\x03\x04"

// Magic lists the first bytes of the files that this package reads.
var Magic = []string{npy.Magic, zipMagic}

// file is an open .npy or .npz file.
type file struct {
	path string
	f    *files.File
	// info describes the file when it was opened.
	info fs.FileInfo
	// members holds what is in an archive. It is nil for a .npy file.
	members map[string]*zip.File
	// names lists the members in the order of the archive.
	names []string
	// imputes is Options.Imputes.
	imputes bool
}

// maxDirectory bounds the bytes of an archive's list of members, of which each takes several times
// as much memory.
const maxDirectory = 1 << 20

// openFile opens a file. It looks at the file before it opens it, because opening a pipe would wait
// for a writer.
func openFile(path string) (*file, error) {
	info, err := files.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return nil, files.InputFault("cannot open the array", path, err)
	}
	f, err := files.Open(path)
	if err != nil {
		return nil, files.InputFault("cannot open the array", path, err)
	}
	a := &file{path: path, f: f}
	if a.info, err = f.Stat(); err != nil {
		f.Close()
		return nil, files.InputFault("cannot open the array", path, err)
	}
	start := make([]byte, len(npy.Magic))
	n, err := f.ReadAt(start, 0)
	if err != nil && err != io.EOF {
		f.Close()
		return nil, files.InputFault("cannot read", path, err)
	}
	if bytes.HasPrefix(start[:n], []byte("PK")) {
		err = a.list()
	} else if string(start[:n]) != npy.Magic {
		err = a.fault("neither an .npy nor an .npz file")
	} else {
		err = nil
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return a, nil
}

// list reads the list of members of an archive.
func (f *file) list() error {
	// The reader of archives takes the whole list at once, whatever length the archive claims.
	from := &frugal{f.f, maxDirectory}
	z, err := zip.NewReader(from, f.info.Size())
	if errors.Is(err, errDirectory) {
		return f.fault("a list of members of more than %d bytes", maxDirectory)
	}
	if err != nil {
		return f.damaged("the archive", err)
	}
	from.left = unbounded // The members may be longer than their list.
	f.members = map[string]*zip.File{}
	for _, m := range z.File {
		// An archive of other files is one that was given by mistake, of which no part should be used.
		name, ok := strings.CutSuffix(m.Name, ".npy")
		if !ok {
			return f.fault("the member %s is no .npy array", fail.Quote(m.Name))
		}
		// Which of two members is read differs between programs, and so would the rows.
		if f.members[name] != nil {
			return f.fault("two members are called %s", fail.Quote(m.Name))
		}
		f.members[name] = m
		f.names = append(f.names, name)
	}
	return nil
}

// frugal is a file of which only so many bytes can be read.
type frugal struct {
	*files.File
	left int64
}

// unbounded represents any number of bytes.
const unbounded = -1

var errDirectory = errors.New("too many members")

// ReadAt reads from the file as long as bytes are left.
func (l *frugal) ReadAt(p []byte, offset int64) (int, error) {
	if l.left != unbounded {
		if int64(len(p)) > l.left {
			return 0, errDirectory
		}
		l.left -= int64(len(p))
	}
	return l.File.ReadAt(p, offset)
}

// end returns an error if the file has been written to since it was opened, because what was read
// of it may then be half old and half new.
func (f *file) end() error {
	now, err := f.f.Stat()
	if err != nil || now.Size() != f.info.Size() || !now.ModTime().Equal(f.info.ModTime()) {
		return f.fault("the file changed while it was read")
	}
	return nil
}

// Close closes the file.
func (f *file) Close() error { return f.f.Close() }

func (f *file) fault(format string, args ...any) *fail.Error {
	return fail.New(fail.Input, format, args...).At(f.path, 0, 0)
}

// damaged returns the error for bytes that could not be read. The cause is given as text, so an
// io.EOF in it does not pass for the end of the rows.
func (f *file) damaged(what string, err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return f.fault("%s is cut off", what)
	case errors.Is(err, zip.ErrAlgorithm):
		return f.fault("%s is compressed in a way that is not read", what).
			WithHint("numpy.savez_compressed uses deflate")
	}
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		return files.InputFault("cannot read", f.path, err)
	}
	return f.fault("%s is damaged: %v", what, err)
}
