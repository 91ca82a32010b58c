package dataset

import (
	"bufio"
	"encoding/binary"
	"io"
	"slices"

	"bigmkl/internal/files"
	"bigmkl/internal/float"
	"bigmkl/mmap"
)

// Spool keeps rows, without their labels and weights, in an unlinked scratch file, so rows that come
// once can be read several times. A row is a head of 24 bytes, its indices and its values, all
// little-endian as the hosts are. Indices are left out if the row gives its first features without a
// gap, as rows of a matrix do, and values take 4 bytes if all of the row are float32. The file is
// written once, front to back, and read once for each pass, in large pieces, so the disk never has
// to find a single row.
//
// A Spool is a Source. The rows that Next returns are the caller's to read alone.
type Spool struct {
	file *files.File // nil if rows are counted alone
	// again is true if another Spool has created the file and closes it.
	again bool
	out   *bufio.Writer
	in    *bufio.Reader
	rows  int
	// next is the number of the row that is read next.
	next int
	// width is the greatest 1-based feature number so far.
	width int
	// values counts the values of all rows, and size the bytes that the rows take, whether they were
	// kept or only counted.
	values, size int64
	// limit is the largest size of the file in bytes, or 0 for none.
	limit int64
	// dropped is true once the rows exceeded the limit. From then on they are only counted.
	dropped bool
	// lengths counts the rows by their number of values.
	lengths Lengths
	// files lists the names to which heads refer.
	files []string
	head  [spoolHead]byte
	short []float32 // values of the row that is added
	// ordinals counts up from 0: it has the indices of rows whose own are left out.
	ordinals []int32
	// last is the row that Next read last, and picked that of At, whose places in the file are known once it was
	// called.
	last, picked spooled
	offsets      []int64
}

// spooled is a row that was read. Its memory is used again for the next one; values may come as float32.
type spooled struct {
	row   Row
	head  [spoolHead]byte
	index []int32
	short []float32
}

var _ Source = (*Spool)(nil)

const (
	spoolBuffer = 256 << 10
	// spoolHead is the bytes of a head: the number of values and the form in 4 bytes each, the
	// number of the file's name and the line in 8.
	spoolHead = 24
)

// These are the bits of a row's form.
const (
	formIndices = 1 << iota // The indices are written.
	formDoubles             // The values are float64.
)

// NewSpool creates a spool without rows, whose file is in a folder.
func NewSpool(dir string) (*Spool, error) { return newSpool(dir, 0) }

func newSpool(dir string, limit int64) (*Spool, error) {
	f, err := files.CreateScratch(dir, "bigmkl-rows-*")
	if err != nil {
		return nil, err
	}
	return &Spool{file: f, out: bufio.NewWriterSize(f, spoolBuffer), limit: limit}, nil
}

// Rows returns the number of rows.
func (s *Spool) Rows() int { return s.rows }

// Width returns the number of the last feature that a row gives, counted from 1.
func (s *Spool) Width() int { return s.width }

// Size returns the bytes that the rows take in the file.
func (s *Spool) Size() int64 { return s.size }

// drop gives the disk space back, because there are too many rows. From then on they are only
// counted.
func (s *Spool) drop() error {
	s.dropped = true
	if s.file == nil {
		return nil
	}
	s.out.Reset(s.file) // This discards what was not written yet.
	if err := s.file.Truncate(0); err != nil {
		return files.OwnFault("cannot empty the scratch file", "", err)
	}
	return nil
}

// formOf returns the form of a row and the bytes that it takes.
func formOf(r *Row) (form uint32, bytes int64) {
	n := len(r.Index)
	// Features ascend, so the last of n that stand without a gap has number n-1.
	if n > 0 && int(r.Index[n-1]) != n-1 {
		form = formIndices
	}
	if !allExact(r.Value) {
		form |= formDoubles
	}
	return form, spoolHead + bytesOfValue(form)*int64(n)
}

// allExact reports whether all values are float32.
func allExact(values []float64) bool {
	for _, v := range values {
		if !float.Single(v) {
			return false
		}
	}
	return true
}

// Add appends a row, whose features ascend. No row can be added once one was read.
func (s *Spool) Add(r *Row) error {
	if len(s.files) == 0 || s.files[len(s.files)-1] != r.File {
		s.files = append(s.files, r.File)
	}
	n := len(r.Index)
	if n > 0 {
		s.width = max(s.width, int(r.Index[n-1])+1)
	}
	form, bytes := formOf(r)
	s.rows++
	s.values += int64(n)
	s.size += bytes
	if s.lengths == nil {
		s.lengths = Lengths{}
	}
	s.lengths.Add(n)
	if s.limit > 0 && s.size > s.limit && !s.dropped {
		return s.drop()
	}
	if s.dropped || s.file == nil {
		return nil
	}
	binary.LittleEndian.PutUint32(s.head[0:], uint32(n))
	binary.LittleEndian.PutUint32(s.head[4:], form)
	binary.LittleEndian.PutUint64(s.head[8:], uint64(len(s.files)-1))
	binary.LittleEndian.PutUint64(s.head[16:], uint64(r.Line))
	// A bufio.Writer keeps its first error and returns it from every later write.
	s.out.Write(s.head[:])
	if form&formIndices != 0 {
		s.out.Write(mmap.Bytes(r.Index))
	}
	values := mmap.Bytes(r.Value)
	if form&formDoubles == 0 {
		s.short = slices.Grow(s.short[:0], n)[:n]
		for k, v := range r.Value {
			s.short[k] = float32(v)
		}
		values = mmap.Bytes(s.short)
	}
	if _, err := s.out.Write(values); err != nil {
		return files.OwnFault("cannot write the scratch file", s.file.Name(), err)
	}
	return nil
}

// Rewind makes Next start from the first row.
func (s *Spool) Rewind() error {
	if err := s.end(); err != nil {
		return err
	}
	all := io.NewSectionReader(s.file, 0, s.size)
	if s.in == nil {
		s.in = bufio.NewReaderSize(all, spoolBuffer)
	} else {
		s.in.Reset(all)
	}
	s.next = 0
	return nil
}

// Values returns the number of values of all rows.
func (s *Spool) Values() int64 { return s.values }

// end writes what is still in memory. No row can be added from then on.
func (s *Spool) end() error {
	if s.out == nil {
		return nil
	}
	if err := s.out.Flush(); err != nil {
		return files.OwnFault("cannot write the scratch file", s.file.Name(), err)
	}
	s.out = nil
	return nil
}

// Again returns the same rows with a place of reading of its own, which another goroutine may use. The result has no file
// to close, and must not be used once s is closed. No row can be added to s from then on.
func (s *Spool) Again() (*Spool, error) {
	if err := s.end(); err != nil {
		return nil, err
	}
	return &Spool{file: s.file, again: true, rows: s.rows, width: s.width, values: s.values, size: s.size, lengths: s.lengths, files: s.files}, nil
}

// Next returns the next row since Rewind, without label and weight, or io.EOF after the last one. It
// is valid until the following call.
func (s *Spool) Next() (Row, error) {
	if s.next == s.rows {
		return Row{}, io.EOF
	}
	s.next++
	if err := s.read(s.in, &s.last); err != nil {
		return Row{}, files.OwnFault("cannot read the scratch file", s.file.Name(), err)
	}
	return s.last.row, nil
}

// At returns row i, from 0, without label and weight. It is valid until the following call of At. Rewind has been
// called before. The first call reads the heads of all rows, and keeps 8 bytes for each.
func (s *Spool) At(i int) (Row, error) {
	err := s.find()
	if err == nil {
		err = s.read(io.NewSectionReader(s.file, s.offsets[i], s.size-s.offsets[i]), &s.picked)
	}
	if err != nil {
		return Row{}, files.OwnFault("cannot read the scratch file", s.file.Name(), err)
	}
	return s.picked.row, nil
}

// find finds where each row begins.
func (s *Spool) find() error {
	if s.offsets != nil {
		return nil
	}
	offsets, at := make([]int64, s.rows), int64(0)
	for i := range offsets {
		offsets[i] = at
		if _, err := s.file.ReadAt(s.head[:], at); err != nil {
			return err
		}
		n, form := int64(binary.LittleEndian.Uint32(s.head[0:])), binary.LittleEndian.Uint32(s.head[4:])
		at += spoolHead + n*bytesOfValue(form)
	}
	s.offsets = offsets
	return nil
}

// bytesOfValue returns the bytes that a value takes with its index, by the form of the row.
func bytesOfValue(form uint32) int64 {
	each := int64(4)
	if form&formIndices != 0 {
		each += 4
	}
	if form&formDoubles != 0 {
		each += 4
	}
	return each
}

// read reads the row that comes next.
func (s *Spool) read(in io.Reader, to *spooled) error {
	if _, err := io.ReadFull(in, to.head[:]); err != nil {
		return err
	}
	n := int(binary.LittleEndian.Uint32(to.head[0:]))
	form := binary.LittleEndian.Uint32(to.head[4:])
	r := &to.row
	r.File = s.files[binary.LittleEndian.Uint64(to.head[8:])]
	r.Line = int(binary.LittleEndian.Uint64(to.head[16:]))
	r.Value = slices.Grow(r.Value[:0], n)[:n]
	if form&formIndices != 0 {
		to.index = slices.Grow(to.index[:0], n)[:n]
		r.Index = to.index
		if _, err := io.ReadFull(in, mmap.Bytes(r.Index)); err != nil {
			return err
		}
	} else {
		for len(s.ordinals) < n {
			s.ordinals = append(s.ordinals, int32(len(s.ordinals)))
		}
		r.Index = s.ordinals[:n:n]
	}
	if form&formDoubles != 0 {
		_, err := io.ReadFull(in, mmap.Bytes(r.Value))
		return err
	}
	to.short = slices.Grow(to.short[:0], n)[:n]
	if _, err := io.ReadFull(in, mmap.Bytes(to.short)); err != nil {
		return err
	}
	for k, v := range to.short {
		r.Value[k] = float64(v)
	}
	return nil
}

// Close frees the file.
func (s *Spool) Close() error {
	if s.file == nil || s.again {
		return nil
	}
	return s.file.Close()
}
