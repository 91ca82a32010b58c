package packed

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"strings"

	"github.com/cespare/xxhash/v2"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// file is an open packed store.
type file struct {
	path     string
	f        *files.File
	info     fs.FileInfo // info describes the file when it was opened.
	meta     meta
	sections map[string]*section
}

// openFile opens a packed store and checks its table and the sizes of its sections. It looks at the
// file before it opens it, because opening a pipe would wait for a writer.
func openFile(path string) (_ *file, err error) {
	info, err := files.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return nil, files.InputFault("cannot open the packed store", path, err)
	}
	f := &file{path: path, sections: map[string]*section{}}
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
	if err := f.readMeta(); err != nil {
		return nil, err
	}
	return f, f.checkSections()
}

// readTable reads the first and the last bytes of the file and the table, and checks them.
func (f *file) readTable() error {
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
func (f *file) parseTable(b []byte, behind int64) error {
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

// readMeta reads the sizes of the store, and what is known of its columns.
func (f *file) readMeta() error {
	s := f.sections[metaSection]
	if s == nil || s.length > maxMeta {
		return f.damaged("it has no description of at most %d bytes", maxMeta)
	}
	text, err := f.readAll(s)
	if err != nil {
		return err
	}
	m := &f.meta
	if err := json.Unmarshal(text, m); err != nil {
		return f.damaged("its description cannot be read: %v", err)
	}
	if m.Rows < 1 || m.Rows > math.MaxInt32 || m.Features < 0 || m.Features > math.MaxInt32 ||
		m.Nonzeros < 0 || m.Nonzeros > math.MaxInt64/16 || m.Words < 0 ||
		m.Words > m.Rows || len(m.Views) > dataset.MaxViews {
		return f.damaged("it claims %d rows, %d features, %d values and %d labels", m.Rows,
			m.Features, m.Nonzeros, m.Words)
	}
	if _, err := dataset.ParseAlphabet(string(m.Sequences)); err != nil {
		return f.damaged("it has sequences of %s", fail.Word(m.Sequences))
	}
	if m.Columns != nil {
		if err := m.Columns.Check(); err != nil {
			return f.damaged("its columns: %v", err)
		}
	}
	return f.checkViews()
}

// checkViews checks the views of the description.
func (f *file) checkViews() error {
	names := map[string]bool{}
	for _, v := range f.meta.Views {
		if v.First < 1 || v.Last < v.First || v.Last > math.MaxInt32 || v.Name == "" ||
			len(v.Name) > 1<<10 || !dataset.Printable(v.Name) || names[v.Name] {
			return f.damaged("view %s of features %d to %d", fail.Word(v.Name), v.First, v.Last)
		}
		names[v.Name] = true
	}
	return nil
}

// checkSections checks that the sections go together and are as long as the sizes ask for.
func (f *file) checkSections() error {
	has := func(name string) bool { return f.sections[name] != nil }
	for name, s := range f.sections {
		if n := f.meta.length(name); n >= 0 && s.length != n {
			return f.damaged("section %s has %d bytes and not %d", name, s.length, n)
		}
	}
	entries := has(offsetSection) && has(indexSection) && (has(exactSection) || has(valueSection))
	narrow := has(panelsSection) && readable(f.meta.Features)
	points := has(panelsSection) != has(valueSection) && has(meanSection)
	switch {
	case !entries && !narrow:
		return f.damaged("it has no rows")
	case (has(panelsSection) || has(valueSection) || has(meanSection)) && !points:
		return f.damaged("it has points in part")
	case has(labelsSection) != has(wordsSection) || has(labelsSection) && has(targetsSection):
		return f.damaged("it has labels in part")
	}
	return nil
}

// readAll reads a section and compares its checksums.
func (f *file) readAll(s *section) ([]byte, error) {
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
func (f *file) readAt(b []byte, at int64) error {
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
func (f *file) end() error {
	now, err := f.f.Stat()
	if err != nil || now.Size() != f.info.Size() || !now.ModTime().Equal(f.info.ModTime()) {
		return fail.New(fail.Input, "the file changed while it was read").At(f.path, 0, 0)
	}
	return nil
}

// badSum returns the error for a block whose checksum is another.
func (f *file) badSum(s *section, block int64) error {
	if err := f.end(); err != nil {
		return err
	}
	return f.damaged("the checksum of section %s differs near byte %d", s.name,
		s.offset+block*blockBytes)
}

func (f *file) damaged(format string, args ...any) *fail.Error {
	return fail.New(fail.Corrupt, "the packed store is damaged: "+format, args...).At(f.path, 0, 0)
}
