package packed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/cespare/xxhash/v2"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/mmap"
)

// container is an open file of sections with checksums, whatever they hold. Errors name the file.
type container struct {
	path     string
	f        *files.File
	info     fs.FileInfo // info describes the file when it was opened.
	sections map[string]*section
}

// openContainer opens a file and checks its table. It looks at the
// file before it opens it, because opening a pipe would wait for a writer.
func openContainer(path string) (_ *container, err error) {
	info, err := files.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return nil, files.InputFault("cannot open the packed store", path, err)
	}
	f := &container{path: path, sections: map[string]*section{}}
	if f.f, err = files.Open(path); err != nil {
		return nil, files.InputFault("cannot open the packed store", path, err)
	}
	defer func() {
		if err != nil {
			f.f.Close()
		}
	}()
	if f.info, err = f.f.Stat(); err != nil {
		return nil, files.InputFault("cannot open the packed store", path, err)
	}
	if err := f.readTable(); err != nil {
		return nil, err
	}
	return f, nil
}

// readTable reads the first and the last bytes of the file and the table, and checks them.
func (f *container) readTable() error {
	size := f.info.Size()
	start := make([]byte, headSize)
	if n, err := f.f.ReadAt(start, 0); err != nil && err != io.EOF {
		return files.InputFault("cannot read", f.path, err)
	} else if start = start[:n]; !bytes.HasPrefix(start, []byte(Magic)) {
		return fail.New(fail.Input, "the file is no packed store").At(f.path, 0, 0).
			WithHint("bigmkl convert writes them")
	}
	if len(start) == headSize {
		if v := binary.LittleEndian.Uint64(start[8:]); v > version && v < 1<<16 {
			return fail.New(fail.Version, "a packed store of version %d, and this program reads "+
				"version %d", v, version).At(f.path, 0, 0).WithHint("take a newer release")
		} else if v != version {
			return f.damaged("its version is %d", v)
		}
	}
	if size < headSize+footSize {
		return f.damaged("it is cut off")
	}
	end := make([]byte, footSize)
	if err := f.readAt(end, size-footSize); err != nil {
		return err
	}
	if !bytes.HasSuffix(end, []byte(Magic)) {
		return f.damaged("it is cut off, or followed by other bytes")
	}
	at, length := binary.LittleEndian.Uint64(end), binary.LittleEndian.Uint64(end[8:])
	if binary.LittleEndian.Uint64(end[16:]) != uint64(size) || at < headSize ||
		at > uint64(size)-footSize || length != uint64(size)-footSize-at {
		return f.damaged("it has %d bytes and says that it has others", size)
	}
	// A table has 8 bytes for each MiB, and 24 for each section. A longer one is rejected before it
	// takes memory.
	if most := 8*(size/blockBytes) + 64*64; int64(length) > most {
		return f.damaged("its table has %d bytes", length)
	}
	table := make([]byte, length)
	if err := f.readAt(table, int64(at)); err != nil {
		return err
	}
	if sumOf(start, table, end[:24]) != binary.LittleEndian.Uint64(end[24:]) {
		return f.damaged("the checksum of its table is another")
	}
	return f.parseTable(table, int64(at))
}

// parseTable finds the sections in the table, which follows them at an offset.
func (f *container) parseTable(b []byte, behind int64) error {
	number := func() (x int64) {
		if len(b) < 8 {
			b = nil
			return -1
		}
		x, b = int64(binary.LittleEndian.Uint64(b)), b[8:]
		return x
	}
	last := int64(headSize)
	for range min(number(), 64) {
		if len(b) < 24 {
			return f.damaged("its table is too short")
		}
		name := strings.TrimRight(string(b[:8]), "\x00")
		b = b[8:]
		s := &section{name: name, offset: number(), length: number()}
		if s.offset < last || s.offset%align != 0 || s.length < 0 || s.length > behind-s.offset {
			return f.damaged("section %s lies outside of it", fail.Word(name))
		}
		if f.sections[name] != nil {
			return f.damaged("two sections are called %s", fail.Word(name))
		}
		last = s.offset + s.length
		n := blocks(s.length)
		if n > int64(len(b))/8 {
			return f.damaged("its table is too short")
		}
		s.sums = make([]uint64, n)
		for k := range s.sums {
			s.sums[k] = uint64(number())
		}
		f.sections[name] = s
	}
	if len(b) > 0 {
		return f.damaged("its table is too long")
	}
	return nil
}

// readAll reads a section and compares its checksums.
func (f *container) readAll(s *section) ([]byte, error) {
	b := make([]byte, s.length)
	if err := f.readAt(b, s.offset); err != nil {
		return nil, err
	}
	for k, sum := range s.sums {
		from := k * blockBytes
		if xxhash.Sum64(b[from:min(len(b), from+blockBytes)]) != sum {
			return nil, f.badSum(s, int64(k))
		}
	}
	return b, nil
}

// readAt fills b with the bytes of the file from an offset on.
func (f *container) readAt(b []byte, at int64) error {
	_, err := f.f.ReadAt(b, at)
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		return files.InputFault("cannot read", f.path, err)
	}
	if err != nil && !(err == io.EOF && len(b) == 0) {
		return f.damaged("it is cut off")
	}
	return nil
}

// end returns an error if the file has been written to since it was opened, because what was read
// of it may then be half old and half new.
func (f *container) end() error {
	now, err := f.f.Stat()
	if err != nil || now.Size() != f.info.Size() || !now.ModTime().Equal(f.info.ModTime()) {
		return fail.New(fail.Input, "the file changed while it was read").At(f.path, 0, 0)
	}
	return nil
}

// badSum returns the error for a block whose checksum is another.
func (f *container) badSum(s *section, block int64) error {
	if err := f.end(); err != nil {
		return err
	}
	return f.damaged("the checksum of section %s differs near byte %d", s.name,
		s.offset+block*blockBytes)
}

func (f *container) damaged(format string, args ...any) *fail.Error {
	return fail.New(fail.Corrupt, "the packed store is damaged: "+format, args...).At(f.path, 0, 0)
}

// mapped maps the file.
func (f *container) mapped() (*mmap.Map, error) {
	m, err := mmap.OpenRead(f.path)
	if err != nil {
		return nil, err
	}
	// Another file may have taken the name since this one was opened.
	now, err := files.Stat(f.path)
	if err != nil || !os.SameFile(now, f.info) || int64(len(m.Bytes())) != f.info.Size() {
		m.Close()
		return nil, f.damaged("another file has taken its name")
	}
	return m, nil
}

// viewOf returns a section of the mapped file as numbers.
func viewOf[T mmap.Number](f *container, m *mmap.Map, name string) []T {
	s := f.sections[name]
	return mmap.Slice[T](m.Bytes()[s.offset : s.offset+s.length])
}
